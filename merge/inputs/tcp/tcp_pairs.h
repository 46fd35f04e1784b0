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
 *                                       of them a retransmission: none of that machine's counts.
 *                                       (So only a trace that lost events can give a false pair.)
 *                                       Those of other machines do, or a trace that lies could
 *                                       cancel what two others saw.
 *     seen by several events of one     each occurs once: the first sending and the last receipt
 *     machine, on its way through it    count
 *     seen by one machine only          is no pair
 *     claimed by a crowd                64 pairs at most, of senders and receivers that are drawn
 *                                       anew for each segment: liars cannot cancel it
 *
 * Memory is bounded.  When it is full, half of the segments of the machine with the most sightings
 * are dropped, then half of those of the machine that now has the most, and so on, chosen by a hash
 * of the segment (adaptive sampling: Wegman 1984; Flajolet 1990): of two machines, one keeps all
 * that the other keeps, spread over the whole time.  So a trace with too many sightings thins its
 * own alone.  The hash has a key, so that nobody can send segments that it always keeps.
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
	/* Of the machine that was thinned most, one segment of 2^halvings was used. */
	unsigned int halvings;
};

/*
 * @most: largest number of sightings in memory, at least 4
 * @nr_clocks: clocks have lower numbers; at least 1
 * NULL: out of memory.
 */
struct strata_tcp_pairs *strata_tcp_pairs_new(size_t most, size_t nr_clocks);
void strata_tcp_pairs_free(struct strata_tcp_pairs *pairs);

/* Adds to the key, before any sighting: what a sender of segments cannot know in advance, but is
 * the same each time that the same traces are read. */
void strata_tcp_pairs_add_key(struct strata_tcp_pairs *pairs, const void *bytes, size_t length);

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
