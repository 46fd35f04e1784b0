/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allowance.h - limits how often one domain may come and die in a recording.
 *
 * A domain gets a new number at each reboot, but keeps its UUID, which the hypervisor reports. So
 * its allowance belongs to that UUID, and a reboot does not renew it. How many sources a domain may
 * have in one recording is its share (principal.h).
 */
#ifndef STRATA_CONSUMERD_ALLOWANCE_H
#define STRATA_CONSUMERD_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOWANCE_UUID_BYTES 16u

/* A domain may appear this often in a burst, and then about once a minute. */
#define ALLOWANCE_BURST      32u
#define ALLOWANCE_PER_1000_S 16u

/* How often the final events of one domain are saved on the disk. */
#define ALLOWANCE_MOMENTS 8u

struct allowance_entry;

/* All zero: nothing is used. */
struct allowances {
	struct allowance_entry *entries;
	size_t nr;
};

enum allowance_answer {
	ALLOWANCE_GRANTED,
	ALLOWANCE_LATER,   /* ask again later */
	ALLOWANCE_USED_UP, /* not in this recording */
};

/*
 * Whether its module may take part once more. @news: OUT: the answer differs from the last one, and
 * the user should be told
 */
enum allowance_answer allowance_come(struct allowances *all,
				     const uint8_t uuid[ALLOWANCE_UUID_BYTES], uint64_t now_ms,
				     bool *news);

/* Whether its final events may be saved. @news: as above */
enum allowance_answer allowance_moments(struct allowances *all,
					const uint8_t uuid[ALLOWANCE_UUID_BYTES], bool *news);

void allowances_clear(struct allowances *all);

#endif /* STRATA_CONSUMERD_ALLOWANCE_H */
