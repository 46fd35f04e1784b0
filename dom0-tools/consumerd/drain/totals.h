/* SPDX-License-Identifier: GPL-2.0-or-later */
/* totals.h - what has been recorded so far, of all rings together. */
#ifndef STRATA_CONSUMERD_TOTALS_H
#define STRATA_CONSUMERD_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct recorder_totals {
	uint64_t events;
	uint64_t bytes;
	uint64_t lost;
	uint64_t bad_packets;
	uint64_t no_room; /* of those lost: they waited for room on the disk until the end */
	bool was_full;    /* the disk, for a while at least */
	/* Of those lost: their user or guest had written as much as was left on the disk. */
	uint64_t no_share;
	bool was_shared; /* there was one, for a while at least */
	/* Of those lost: the file of their stream may not become larger. */
	uint64_t too_large;
	bool was_too_large; /* there was one */
};

#endif /* STRATA_CONSUMERD_TOTALS_H */
