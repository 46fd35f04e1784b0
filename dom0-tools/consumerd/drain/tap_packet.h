/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tap_packet.h - the steps of a packet on its way from a ring to its stream file: what the tap
 * files call of one another.  No other file includes it.
 */
#ifndef STRATA_CONSUMERD_TAP_PACKET_H
#define STRATA_CONSUMERD_TAP_PACKET_H

#include "consumerd/drain/tap.h"

/* What to do with a packet that the disk has no room for. */
enum no_room {
	NO_ROOM_WAIT, /* it stays in its ring */
	NO_ROOM_LOSE, /* its ring goes away: its events are lost, and counted */
};

/* The number of the packet that the sub-buffer at a position becomes. */
static inline uint64_t tap_number_at(const struct tap *tap, strata_count_t position)
{
	return (position >> tap->ring->reader.geo.subbuf_bits) + tap->partly_packets;
}

/* What is read next is another sub-buffer. */
static inline void tap_forget_part(struct tap *tap)
{
	tap->partly_bytes = 0;
	tap->partly_ticks = 0;
}

/* The position first: until the number is there as well, this is the note of no packet. */
static inline void tap_note_taken(struct ring_taken *taken, uint64_t sequence, uint64_t position)
{
	strata_write_once(&taken->position, position);
	strata_store_release(&taken->number, sequence + 1);
}

/* tap.c: fails if a packet's number is less than the next one may have.  A writer that lies about
 * its turns can lead us back; a file's packets only go forward.  0 or -1. */
int tap_check_sequence(const struct tap *tap, uint64_t sequence, struct strata_error *error);

/*
 * tap.c: takes the sub-buffer that get found: copy first, then check, then use.
 * 0, 1 if it waits for room on the disk, or -1.
 */
int tap_take_found(struct recorder *recorder, struct tap *tap, enum no_room no_room,
		   struct strata_error *error);

/* tap_append.c: appends a packet that was checked.  0: it is written, or lost and counted; 1 if it
 * waits for room on the disk; -1. */
int tap_keep(struct recorder *recorder, struct tap *tap, struct strata_packet *packet,
	     uint64_t events, enum no_room no_room, struct strata_error *error);

/* tap_append.c: counts a packet that is left out; prints why, for the first few of a ring. */
void tap_complain(struct recorder *recorder, struct tap *tap, const struct strata_error *why);

/*
 * tap_append.c: stops recording a ring's channel because its control words are invalid.  Prints
 * that once; whoever mapped the ring sees that it is broken.
 */
void tap_disable(struct recorder *recorder, struct tap *tap);

/*
 * tap_singles.c: tap_take() of a single-store ring; at its end also what is published of a
 * sub-buffer that is being written, if @partly.
 */
int tap_take_singles(struct recorder *recorder, struct tap *tap, strata_count_t turns, bool partly,
		     enum no_room no_room, uint64_t *nr_packets, struct strata_error *error);

/* tap_partly.c: reduces a whole packet that was checked to the part that was not taken before.  0,
 * or -1: that part is no packet. */
int tap_take_rest_of_packet(struct recorder *recorder, const struct tap *tap,
			    struct strata_packet *packet, uint64_t *events,
			    struct strata_error *error);

/*
 * tap_partly.c: takes what is committed of a sub-buffer that its writer has not completed: it
 * stopped in the middle, or does not answer.  0, also when there is nothing; or -1.
 */
int tap_take_unfinished(struct recorder *recorder, struct tap *tap, strata_count_t position,
			struct strata_error *error);

#endif /* STRATA_CONSUMERD_TAP_PACKET_H */
