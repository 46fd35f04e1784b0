/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_pairs.h - finds TCP segments that one machine sent and another received: each pair proves
 * that a reading of one clock was before a reading of the other.
 *
 * Sightings of any number of machines are added in any order, and matched at the end.  A false pair
 * would make a bound false, so doubtful ones are left out:
 *
 *     seen more than once in one role   with an IPv4 identification it is one packet that passed
 *     by one machine                    several devices: the first sending and the last receipt
 *                                       count, which are in order whichever belong together.
 *                                       Without one, the sightings may be of several segments, one
 *                                       of them a retransmission: none counts. (So only a trace
 *                                       that lost events can give a false pair.)
 *     seen by several events of one     each occurs once: the first sending and the last receipt
 *     machine, on its way through it    count
 *     seen by one machine only          is no pair
 *     seen by very many                 does not travel between two machines: none counts
 *
 * Memory is bounded.  When it is full, half of all segments are dropped, then half of the rest, and
 * so on, chosen by a hash of the segment (adaptive sampling: Wegman 1984; Flajolet 1990), so that
 * all machines keep the same ones, spread over the whole time.
 *
 * Synchronisation: one thread at a time.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_PAIRS_H
#define STRATA_MERGE_INPUTS_TCP_PAIRS_H

#include <stdint.h>

#include "inputs/tcp/tcp_segment.h"

/* Takes 44 MiB, and temporarily a quarter more. */
#define STRATA_TCP_SIGHTINGS (1u << 19)

struct strata_tcp_pairs;

/* A segment was sent before it was received. Clocks are the caller's numbers. */
struct strata_tcp_pair {
	uint32_t form; /* the form in which it was noted */
	uint32_t sent_clock;
	uint32_t received_clock;
	int64_t sent;
	int64_t received;
};

struct strata_tcp_tally {
	uint64_t sightings; /* added */
	uint64_t kept;      /* after those of one segment, machine and role were combined */
	uint64_t repeated;  /* segments left out because they may be several (see above) */
	uint64_t pairs;
	unsigned int halvings; /* one segment of 2^halvings was used */
};

/* @most: largest number of sightings in memory, at least 4. NULL: out of memory. */
struct strata_tcp_pairs *strata_tcp_pairs_new(size_t most);
void strata_tcp_pairs_free(struct strata_tcp_pairs *pairs);

/*
 * A machine saw @segment in @role (not NONE) when its clock showed @reading.
 * @rule: number of the rule that found it: events of several rules may be about one segment
 */
void strata_tcp_pairs_add(struct strata_tcp_pairs *pairs, uint32_t clock, enum strata_tcp_role role,
			  unsigned int rule, const struct strata_tcp_segment *segment,
			  int64_t reading);

/*
 * Passes each pair to @take.  The order of pairs does not depend on the order of additions.
 * @take: returns 1: the pair is used, and counted; 0: it is not; -1 ends matching
 * @tally: OUT
 * 0, or -1.
 */
int strata_tcp_pairs_match(struct strata_tcp_pairs *pairs,
			   int (*take)(void *data, const struct strata_tcp_pair *pair), void *data,
			   struct strata_tcp_tally *tally);

#endif /* STRATA_MERGE_INPUTS_TCP_PAIRS_H */
