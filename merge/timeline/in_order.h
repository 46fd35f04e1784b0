/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_order.h - observers, which receive all events of a merge in the order of the timeline, however
 * many threads merge slices of it.
 *
 * An observer is a slice sink (trace_set.h): it receives runs of events, each of one stream, and
 * losses, in the order of the merge. It can get of an event
 *
 *     its time       ns, and the host's tick within it; its bound by strata_ctf_bound_ns()
 *     its class      reader->kind->classes[event->class]: name, id, types
 *     its fields     by strata_ctf_event_open(), which puts a cursor at its contexts
 *     its stream     the set's, by number
 *     all as shown   by strata_shown_run() and strata_shown_next(): with source, layer, pCPU,
 *                    domain and vCPU (outputs/shown.h)
 *
 * An observer with by_stream receives the same by whole batches, in the order of each stream only.
 *
 * One pass serves any number of observers in addition to the output. A slice that waits for its
 * turn keeps copies of its runs, until all slices keep too much: then it stops reading until its
 * turn. With one thread, nothing is copied.
 *
 * Synchronisation: one thread at a time calls the observers, in the slices' order; each call
 * happens before the next.
 */
#ifndef STRATA_MERGE_TIMELINE_IN_ORDER_H
#define STRATA_MERGE_TIMELINE_IN_ORDER_H

#include <stdatomic.h>

#include "timeline/slices.h"

struct strata_in_order {
	struct strata_slice_work work;
	struct strata_slice_work *inner; /* other work of each slice; NULL: none */
	struct strata_slice_sink *const *observers;
	size_t nr_observers;
	size_t nr_by_time;     /* of these, without by_stream; set by strata_in_order_init() */
	size_t nr_streams;     /* of the set */
	size_t held_bytes_max; /* memory of all copies */
	size_t kept_bytes_max; /* of it, what a thread keeps for its next slice */
	/* Returns when all slices before @at are joined; called in the thread of the slice. */
	void (*await_turn)(void *data, size_t at);
	void *await_data;
	atomic_size_t joined; /* number of slices passed on; the next one is in progress */
	atomic_size_t held_bytes;
};

/* Initialises the work; the caller has set the other members. */
void strata_in_order_init(struct strata_in_order *in_order);

#endif /* STRATA_MERGE_TIMELINE_IN_ORDER_H */
