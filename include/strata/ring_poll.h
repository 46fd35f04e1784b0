/* SPDX-License-Identifier: MIT */
/*
 * ring_poll.h - the states in which a reader finds a ring (Desnoyers & Dagenais
 * 2012, Algorithm 5); returned by strata_reader_poll() and strata_single_poll().
 */
#ifndef STRATA_RING_POLL_H
#define STRATA_RING_POLL_H

#include <strata/ring_state.h>

enum strata_poll {
	STRATA_POLL_NOTHING,  /* to read: wait */
	STRATA_POLL_DATA,     /* there is some */
	STRATA_POLL_PRIORITY, /* so much that this ring must be read before others */
	STRATA_POLL_HANGUP,   /* its writer has ended, and nothing that it completed is left */
	STRATA_POLL_ERROR,    /* its words are impossible */
};

/* Number of unread sub-buffers that gives a ring priority: three quarters. In rings of four or two
 * sub-buffers, the writer is then in the last one. */
static inline strata_count_t strata_poll_priority_subbufs(struct strata_ring_geometry geo)
{
	return strata_nr_subbufs(geo) * 3 / 4;
}

#endif /* STRATA_RING_POLL_H */
