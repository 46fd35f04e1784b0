/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far a merge has come: readers, in several threads, say what they
 * have read, and somebody is told of the sum now and then.
 */
#ifndef STRATA_MERGE_PROGRESS_H
#define STRATA_MERGE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct strata_progress {
	/* Told of what was read so far, by any thread, after each batch of events. */
	void (*tell)(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total);
	void *data;
	uint64_t bytes_total; /* that there are to be read; 0: not known */
	_Atomic uint64_t events, bytes;
};

static inline void strata_progress_add(struct strata_progress *progress, uint64_t events,
				       uint64_t bytes)
{
	/* Numbers to be looked at: they order nothing. */
	events += atomic_fetch_add_explicit(&progress->events, events, memory_order_relaxed);
	bytes += atomic_fetch_add_explicit(&progress->bytes, bytes, memory_order_relaxed);
	progress->tell(progress->data, events, bytes, progress->bytes_total);
}

#endif /* STRATA_MERGE_PROGRESS_H */
