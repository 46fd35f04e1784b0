/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutate.h - the lies of a guest: each call puts something false in the place of
 * one word, byte, page, node, reference or grant.
 */
#ifndef STRATA_TESTS_MUTATE_H
#define STRATA_TESTS_MUTATE_H

#include "fake_guest.h"

enum mutation {
	/* in words that are read when a guest is found and mapped */
	MUTATE_NODE,      /* a value in xenstore, or its absence */
	MUTATE_ROOT,      /* a number of the root page */
	MUTATE_REFERENCE, /* in the directory */
	MUTATE_GRANT,     /* a page is not granted any more, or not so */
	MUTATE_EVENT,     /* in the event table */
	MUTATE_RING,      /* the first words of a writer area */
	/* in words that are read while it is recorded */
	MUTATE_STATE,  /* the answer to a command */
	MUTATE_COMMIT, /* a commit seq */
	MUTATE_LOST,   /* a count of losses */
	MUTATE_READER, /* the reader's own words */
	MUTATE_TABLE,  /* which page a sub-buffer lies in, by the reader's table */
	MUTATE_PLACE,  /* ... and by the writer's words */
	MUTATE_HEADER, /* a number of a packet's header */
	MUTATE_RECORD, /* a number in a packet's content */
	MUTATE_PACKET, /* a whole one, forged */
	MUTATE_REPLAY, /* an earlier one, published again in another sub-buffer */
	MUTATE_BYTE,   /* anywhere */
	MUTATE_PAGE,   /* the whole of one */
	/* of a word in the moment in which it is read */
	MUTATE_GLANCE,
	NR_MUTATIONS
};

#define MUTATE_WHEN_MAPPED   ((1u << MUTATE_STATE) - 1u)
#define MUTATE_WHEN_RECORDED (((1u << MUTATE_GLANCE) - 1u) & ~MUTATE_WHEN_MAPPED)
/* Those that touch nothing but granted memory: another thread may make them. */
#define MUTATE_MEMORY                   \
	(((1u << MUTATE_GLANCE) - 1u) & \
	 ~(1u << MUTATE_NODE | 1u << MUTATE_STATE | 1u << MUTATE_GRANT))

extern const char *const mutation_names[NR_MUTATIONS];

/* Makes one mutation of a kind.  False: nothing is different afterwards. */
bool mutate(struct fake_guest *guest, enum mutation kind, struct randomness *random);

/* Puts something else in the place of the @bytes (1, 2, 4 or 8) at @where.  False: the same. */
bool mutate_number(void *where, size_t bytes, struct randomness *random);

/* Where in a packet of @bytes at @packet something is that is looked at. */
uint32_t mutate_place_in_packet(const void *packet, size_t bytes, struct randomness *random);

/* Forges the packet that is read next of a ring, and publishes it.  True. */
bool forge_packet(struct fake_guest *guest, struct fake_ring *ring, struct randomness *random);

#endif /* STRATA_TESTS_MUTATE_H */
