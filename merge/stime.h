/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stime.h - Xen's system time as a function of the host's time stamp counter, and
 * its inverse as an interval.
 *
 * Each physical CPU extrapolates system time from its own counter, and is
 * corrected about once a second: a piece for each correction, which holds from
 * the tick on at which it was recorded.  Where two pieces meet, system time may
 * jump forward, or step back: the inverse of a step back is not one tick but a
 * span of them.
 *
 * A vCPU whose counter is emulated sees the time of the CPU that it runs on, so
 * it has such a function too, put together from theirs.
 */
#ifndef STRATA_MERGE_STIME_H
#define STRATA_MERGE_STIME_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>
#include <strata/clock.h>

struct strata_stime_piece {
	uint64_t from_ticks; /* of the host; the first one holds before that, too */
	uint64_t local_tsc;
	uint64_t local_stime_ns;
	struct strata_clock_scale scale;
	uint64_t sure_until; /* host ticks: after that, a record may be missing */
	uint64_t most_ns;    /* greatest time in this piece or one before it */
	uint64_t least_ns;   /* least time in this piece or one after it */
};

/* Zero-initialised is empty. */
struct strata_stime {
	struct strata_stime_piece *pieces;
	size_t nr;
	size_t capacity;
};

/* Adds what a record at host time @ticks says, if it can be.  False: out of memory. */
bool strata_stime_add(struct strata_stime *stime, uint64_t ticks,
		      const struct strata_hv_pcpu_clock *clock);

/* Records may be missing from @ticks on: what was added last is sure until then only. */
void strata_stime_gap(struct strata_stime *stime, uint64_t ticks);

/* Adds the part of @other from @from_ticks until before @until_ticks; @other is finished.
 * To be called in order of time.  False: out of memory. */
bool strata_stime_add_part(struct strata_stime *stime, const struct strata_stime *other,
			   uint64_t from_ticks, uint64_t until_ticks);

/* To be called after the last add and before the first question. */
void strata_stime_finish(struct strata_stime *stime);

void strata_stime_clear(struct strata_stime *stime);

/* The questions; @stime must not be empty. */

/* Whether no correction of the time at @ticks can be missing. */
bool strata_stime_sure(const struct strata_stime *stime, uint64_t ticks);

/* The first host tick at which system time is @ns or later; UINT64_MAX: never. */
uint64_t strata_stime_first(const struct strata_stime *stime, uint64_t ns);

/* The last host tick at which system time is @ns or earlier; 0 if it never is. */
uint64_t strata_stime_last(const struct strata_stime *stime, uint64_t ns);

#endif /* STRATA_MERGE_STIME_H */
