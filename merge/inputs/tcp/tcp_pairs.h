/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_pairs.h - finds TCP segments that one machine sent and another received: each pair proves
 * that a reading of one clock was before a reading of the other.
 *
 * Sightings are added in any order, of any number of machines, and matched at the end.  A false
 * pair would make a bound false, so that what may be one is left out:
 *
 *     seen more than once in one role   with an IPv4 identification it is one packet that passed
 *     by one machine                    several devices: the first sending and the last receipt
 *                                       count, which are in order whichever belong together.
 *                                       Without one it may be several segments, one of them sent
 *                                       again: none counts.  (So only a trace that lost events
 *                                       can give a false pair.)
 *     seen by several events of one     of each kind there is one: the first sending and the last
 *     machine, on its way through it    receipt count
 *     seen by one machine only          is no pair
 *     seen by very many                 is nothing that travels from one to another: none counts
 *
 * Memory is bounded.  When there are more sightings than that allows, half of all segments are
 * given up, then half of the others, and so on; which they are depends on a hash of the segment
 * (adaptive sampling: Wegman 1984; Flajolet 1990), so that machines keep the same ones, all over
 * their time.
 *
 * Synchronisation: one thread at a time.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_PAIRS_H
#define STRATA_MERGE_INPUTS_TCP_PAIRS_H

#include <stdint.h>

#include "inputs/tcp/tcp_segment.h"

/* Takes 44 MiB, and a quarter more for moments. */
#define STRATA_TCP_SIGHTINGS (1u << 19)

struct strata_tcp_pairs;

/* A segment was sent before it was received. Clocks are numbers of the caller's. */
struct strata_tcp_pair {
	uint32_t form; /* in which it was noted */
	uint32_t sent_clock;
	uint32_t received_clock;
	int64_t sent;
	int64_t received;
};

struct strata_tcp_tally {
	uint64_t sightings; /* that were added */
	uint64_t kept;      /* of them, after those of one machine and role were put together */
	uint64_t repeated;  /* segments, not kept: may be several (see above) */
	uint64_t pairs;
	unsigned int halvings; /* one segment of 2^halvings was looked at */
};

/* @most: sightings that are held at a time, 4 or more.  NULL: out of memory. */
struct strata_tcp_pairs *strata_tcp_pairs_new(size_t most);
void strata_tcp_pairs_free(struct strata_tcp_pairs *pairs);

/*
 * A machine saw @segment in @role (not NONE) when its clock showed @reading.
 * @rule: the number of the rule that found it: events of different rules may be about one segment
 */
void strata_tcp_pairs_add(struct strata_tcp_pairs *pairs, uint32_t clock, enum strata_tcp_role role,
			  unsigned int rule, const struct strata_tcp_segment *segment,
			  int64_t reading);

/*
 * Hands each pair to @take, in an order that depends on what was added, but not on its order.
 * @take:  1: the pair is used, and counted; 0: it is not; -1 ends it
 * @tally: OUT
 * 0, or -1.
 */
int strata_tcp_pairs_match(struct strata_tcp_pairs *pairs,
			   int (*take)(void *data, const struct strata_tcp_pair *pair), void *data,
			   struct strata_tcp_tally *tally);

#endif /* STRATA_MERGE_INPUTS_TCP_PAIRS_H */
