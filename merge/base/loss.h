/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss.h - events or packets that are missing from a stream: how many, why, and between which
 * times.
 *
 * A tracer counts discarded events up to the end of each packet, so they were discarded between the
 * last event before the packet and the packet's end.  Overwritten packets leave a gap in the packet
 * sequence numbers.
 */
#ifndef STRATA_MERGE_LOSS_H
#define STRATA_MERGE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include <strata/ring_layout.h>

struct strata_loss {
	uint64_t discarded;             /* events */
	uint64_t kinds[STRATA_NR_LOST]; /* the same by enum strata_lost, if has_kinds */
	bool has_kinds;
	uint64_t missing_packets;
	bool is_damage;          /* bytes were unreadable: their number of events is unknown */
	uint64_t from_ns, to_ns; /* since 1970 */
	uint64_t bound_ns;       /* the largest error of each of the times; UINT64_MAX: unknown */
};

/* Whether the loss has a count of events or packets. */
static inline bool strata_loss_is_counted(const struct strata_loss *loss)
{
	return loss->discarded || loss->missing_packets;
}

/* Adds a later loss of the same stream; no event lies between the two. */
void strata_loss_add(struct strata_loss *loss, const struct strata_loss *more);

#define STRATA_LOSS_TEXT_BYTES 256u

/* Names of enum strata_lost in JSON. */
extern const char *const strata_loss_json_names[STRATA_NR_LOST];

/* Writes "123 events discarded: buffer full; 4 packets missing", without a zero byte at the end.
 * @out: room for STRATA_LOSS_TEXT_BYTES.  Returns where the text ends. */
char *strata_loss_text(char *out, const struct strata_loss *loss);

#endif /* STRATA_MERGE_LOSS_H */
