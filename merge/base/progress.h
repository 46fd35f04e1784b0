/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - progress of a merge: readers in several threads add what they read, and a callback
 * gets the sums.
 */
#ifndef STRATA_MERGE_PROGRESS_H
#define STRATA_MERGE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct strata_progress {
	/* Called by any thread after each batch of events, with the totals read so far. */
	void (*tell)(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total);
	void *data;
	uint64_t bytes_total; /* of all input; 0: unknown */
	_Atomic uint64_t events, bytes;
};

static inline void strata_progress_add(struct strata_progress *progress, uint64_t events,
				       uint64_t bytes)
{
	/* Relaxed: these counters are only displayed; nothing is ordered by them. */
	events += atomic_fetch_add_explicit(&progress->events, events, memory_order_relaxed);
	bytes += atomic_fetch_add_explicit(&progress->bytes, bytes, memory_order_relaxed);
	progress->tell(progress->data, events, bytes, progress->bytes_total);
}

#endif /* STRATA_MERGE_PROGRESS_H */
