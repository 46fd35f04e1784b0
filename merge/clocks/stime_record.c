// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stime_record.c - makes a physical CPU's system time from the recorded corrections and the gaps in
 * which corrections may be missing. xen_scan.c adds both.
 *
 * The range of time where a correction is missing follows from how Xen corrects
 * (local_time_calibration()): it takes a stamp, and some time later continues from there on another
 * line. At its stamp, the new line is at the time of the previous line or later (it warps forward,
 * never back). The slopes of lines differ at most by a factor of two (the error factor is clamped
 * to one half); with a constant counter, all slopes are equal. So with the last correction K before
 * a gap, which begins at tick g, and the first one N after it:
 *
 *   - Each line in between begins at or above the previous line, and rises at half of K's rate or
 *     more. From g on, time is at least K's at its stamp, plus half of what K rose since.
 *   - Each line in between was at or below its successor's stamp there. Until N takes effect, the
 *     last of them rises at twice N's rate at most: time is at most N's at its stamp, plus twice
 *     what N rose since. The same holds for the lines before the last as long as a correction takes
 *     less than half of the time to the next stamp to be applied: Xen takes one a second, and
 *     applies it as soon as the CPU leaves its interrupt.
 *
 * Nothing is known about the time before the first correction, or after the last one.
 */
#include "base/array.h"
#include "clocks/stime.h"

#include <stdlib.h>

/* Each of the four values in these sums is rounded. */
#define ROUNDING_NS 4u

bool strata_stime_add(struct strata_stime *stime, uint64_t ticks,
		      const struct strata_hv_pcpu_clock *clock)
{
	const struct strata_clock_scale scale = { clock->mul_frac, clock->shift };

	if (!strata_clock_scale_valid(&scale))
		return true;
	if (!STRATA_GROW(stime->corrections, stime->nr_corrections, stime->corrections_capacity))
		return false;
	stime->corrections[stime->nr_corrections++] = (struct strata_stime_correction){
		ticks, { clock->local_tsc, clock->local_stime_ns, scale }
	};
	return true;
}

bool strata_stime_gap(struct strata_stime *stime, uint64_t from_ticks, uint64_t until_ticks)
{
	if (!STRATA_GROW(stime->gaps, stime->nr_gaps, stime->gaps_capacity))
		return false;
	stime->gaps[stime->nr_gaps++] =
		(struct strata_stime_gap){ from_ticks,
					   until_ticks < from_ticks ? from_ticks : until_ticks };
	return true;
}

static int compare_corrections(const void *left, const void *right)
{
	const struct strata_stime_correction *a = left, *b = right;

	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

static int compare_gaps(const void *left, const void *right)
{
	const struct strata_stime_gap *a = left, *b = right;

	return a->from_ticks < b->from_ticks ? -1 : a->from_ticks > b->from_ticks;
}

static bool equally_steep(const struct strata_stime_line *a, const struct strata_stime_line *b)
{
	return a->scale.mul_frac == b->scale.mul_frac && a->scale.shift == b->scale.shift;
}

/* Sets the range of time in a gap between two corrections, see above; NULL: none. */
static void set_range(struct strata_stime_piece *vague,
		      const struct strata_stime_correction *before, uint64_t gap_ticks,
		      const struct strata_stime_correction *after)
{
	bool steady = before && after && equally_steep(&before->line, &after->line);
	uint64_t least = 0, most = UINT64_MAX, begin;

	if (before) {
		least = strata_stime_line_at(&before->line, gap_ticks);
		begin = before->line.local_stime_ns;
		if (!steady && begin < least)
			least = begin + (least - begin) / 2;
		least = least > ROUNDING_NS ? least - ROUNDING_NS : 0;
	}
	if (after) {
		most = strata_stime_line_at(&after->line, after->ticks);
		begin = after->line.local_stime_ns;
		if (!steady && begin < most)
			most = most > UINT64_MAX - (most - begin) ? UINT64_MAX
								  : most + (most - begin);
		most = most > UINT64_MAX - ROUNDING_NS ? UINT64_MAX : most + ROUNDING_NS;
	}
	/* The recording is hostile. */
	vague->least_ns = least < most ? least : most;
	vague->most_ns = least < most ? most : least;
}

/* Adds the gap *@gap, joined with the following gaps that touch it. *@next: the first correction
 * after *@gap; on return, the first one after all of them. False: out of memory. */
static bool add_gap(struct strata_stime *stime, size_t *gap, size_t *next)
{
	const struct strata_stime_correction *before = *next ? &stime->corrections[*next - 1]
							     : NULL;
	const struct strata_stime_correction *after = NULL;
	uint64_t from = stime->gaps[*gap].from_ticks, until = from;
	struct strata_stime_piece vague = { .until_ticks = UINT64_MAX };

	/* Further corrections may be missing after a correction inside a gap. */
	while (*gap < stime->nr_gaps && (!after || stime->gaps[*gap].from_ticks < after->ticks)) {
		if (stime->gaps[*gap].until_ticks > until)
			until = stime->gaps[*gap].until_ticks;
		++*gap;
		while (*next < stime->nr_corrections && stime->corrections[*next].ticks <= until)
			++*next;
		after = *next < stime->nr_corrections ? &stime->corrections[*next] : NULL;
	}
	if (before) {
		stime->pieces[stime->nr - 1].until_ticks = from;
		vague.from_ticks = from + 1;
	}
	if (after)
		vague.until_ticks = after->ticks - 1;
	set_range(&vague, before, from, after);
	return vague.from_ticks > vague.until_ticks || from == UINT64_MAX ||
	       strata_stime_add_piece(stime, &vague);
}

bool strata_stime_finish(struct strata_stime *stime)
{
	size_t gap = 0, next = 0;

	if (stime->nr_corrections)
		qsort(stime->corrections, stime->nr_corrections, sizeof(stime->corrections[0]),
		      compare_corrections);
	if (stime->nr_gaps)
		qsort(stime->gaps, stime->nr_gaps, sizeof(stime->gaps[0]), compare_gaps);
	stime->nr = 0;
	while (next < stime->nr_corrections || gap < stime->nr_gaps) {
		const struct strata_stime_correction *correction = &stime->corrections[next];
		struct strata_stime_piece piece = { .until_ticks = UINT64_MAX };

		if (next == stime->nr_corrections ||
		    (gap < stime->nr_gaps && stime->gaps[gap].from_ticks < correction->ticks)) {
			if (!add_gap(stime, &gap, &next))
				return false;
			continue;
		}
		if (++next < stime->nr_corrections)
			piece.until_ticks = correction[1].ticks - 1;
		piece.from_ticks = correction->ticks;
		piece.line = correction->line;
		/* Of corrections at the same tick only the last counts. */
		if ((next == stime->nr_corrections || correction[1].ticks != correction->ticks) &&
		    !strata_stime_add_piece(stime, &piece))
			return false;
	}
	strata_stime_finish_parts(stime);
	return true;
}
