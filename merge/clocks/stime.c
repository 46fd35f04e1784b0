// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stime.c - see stime.h: queries, and composite times. stime_record.c makes the time of each
 * physical CPU from its records, vcpu_stime.c that of each vCPU with an emulated counter;
 * stream_clock.c queries them.
 *
 * Within a piece time never decreases.  Across pieces it may, so each keeps the greatest time up to
 * its end and the least from its start on: these never decrease, and each query is one binary
 * search.
 *
 * Where pieces overlap, the answers are the earliest and the latest tick that any
 * of them can give, or beyond: the search finds the first piece, by its start, that
 * gets to a time, and one that starts later can get there earlier, but not before
 * its start.
 */
#include "clocks/stime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partition.h"

static bool is_vague(const struct strata_stime_piece *piece)
{
	return piece->line.scale.mul_frac == 0;
}

bool strata_stime_add_piece(struct strata_stime *stime, const struct strata_stime_piece *piece)
{
	if (!STRATA_GROW(stime->pieces, stime->nr, stime->capacity))
		return false;
	stime->pieces[stime->nr++] = *piece;
	return true;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* Before the stamp, which only happens in the first piece, the line is extended backwards. */
uint64_t strata_stime_line_at(const struct strata_stime_line *line, uint64_t ticks)
{
	if (ticks >= line->local_tsc)
		return add_held(line->local_stime_ns,
				strata_clock_scale(&line->scale, ticks - line->local_tsc));
	return subtract_held(line->local_stime_ns,
			     strata_clock_scale(&line->scale, line->local_tsc - ticks));
}

/* The first tick at which the line is at @ns or above. */
static uint64_t first_tick(const struct strata_stime_line *line, uint64_t ns)
{
	if (ns > line->local_stime_ns)
		return add_held(line->local_tsc, strata_clock_unscale_first(
							 &line->scale, ns - line->local_stime_ns));
	return subtract_held(line->local_tsc,
			     strata_clock_unscale_last(&line->scale, line->local_stime_ns - ns));
}

/* The last tick at which the line is at @ns or below. */
static uint64_t last_tick(const struct strata_stime_line *line, uint64_t ns)
{
	if (ns >= line->local_stime_ns)
		return add_held(line->local_tsc,
				strata_clock_unscale_last(&line->scale, ns - line->local_stime_ns));
	return subtract_held(line->local_tsc,
			     strata_clock_unscale_first(&line->scale, line->local_stime_ns - ns));
}

static int compare_pieces(const void *left, const void *right)
{
	const struct strata_stime_piece *a = left, *b = right;

	return a->from_ticks < b->from_ticks ? -1 : a->from_ticks > b->from_ticks;
}

void strata_stime_finish_parts(struct strata_stime *stime)
{
	uint64_t most = 0, least = UINT64_MAX, reach = 0, vague = 0;
	size_t i, exact = 0;

	if (stime->nr == 0)
		return;
	qsort(stime->pieces, stime->nr, sizeof(stime->pieces[0]), compare_pieces);
	stime->pieces[0].from_ticks = 0;
	for (i = 0; i < stime->nr; i++) {
		struct strata_stime_piece *piece = &stime->pieces[i];

		if (!is_vague(piece)) {
			piece->most_ns = strata_stime_line_at(&piece->line, piece->until_ticks);
			piece->least_ns = strata_stime_line_at(&piece->line, piece->from_ticks);
		}
		most = piece->most_ns > most ? piece->most_ns : most;
		piece->most_ns = most;
		reach = piece->until_ticks > reach ? piece->until_ticks : reach;
		piece->reach_ticks = reach;
		if (is_vague(piece) && piece->until_ticks > vague)
			vague = piece->until_ticks;
		piece->vague_ticks = vague;
		exact = is_vague(piece) ? exact : i + 1;
		piece->nr_exact = exact;
	}
	for (i = stime->nr; i-- > 0;) {
		least = stime->pieces[i].least_ns < least ? stime->pieces[i].least_ns : least;
		stime->pieces[i].least_ns = least;
	}
}

void strata_stime_clear(struct strata_stime *stime)
{
	free(stime->pieces);
	free(stime->corrections);
	free(stime->gaps);
	memset(stime, 0, sizeof(*stime));
}

/* Index of the last piece that begins at a tick or before. */
static size_t piece_at(const struct strata_stime *stime, uint64_t ticks)
{
	return STRATA_LAST_OF(i, stime->nr, stime->pieces[i].from_ticks <= ticks);
}

/* @other's pieces do not overlap.  A vague piece stays vague. */
bool strata_stime_add_part(struct strata_stime *stime, const struct strata_stime *other,
			   uint64_t from_ticks, uint64_t until_ticks)
{
	size_t i;

	if (other->nr == 0)
		return true;
	for (i = piece_at(other, from_ticks);
	     i < other->nr && other->pieces[i].from_ticks <= until_ticks; i++) {
		struct strata_stime_piece piece = other->pieces[i];

		if (piece.from_ticks < from_ticks)
			piece.from_ticks = from_ticks;
		if (piece.until_ticks > until_ticks)
			piece.until_ticks = until_ticks;
		if (!strata_stime_add_piece(stime, &piece))
			return false;
	}
	return true;
}

bool strata_stime_sure(const struct strata_stime *stime, uint64_t first, uint64_t last)
{
	uint64_t vague = stime->pieces[piece_at(stime, last)].vague_ticks;

	return vague == 0 || vague < first;
}

uint64_t strata_stime_least(const struct strata_stime *stime, uint64_t ticks)
{
	size_t at = piece_at(stime, ticks);
	const struct strata_stime_piece *piece = &stime->pieces[at];
	uint64_t ns = is_vague(piece) ? piece->least_ns : strata_stime_line_at(&piece->line, ticks);

	return at + 1 < stime->nr && piece[1].least_ns < ns ? piece[1].least_ns : ns;
}

uint64_t strata_stime_most(const struct strata_stime *stime, uint64_t ticks)
{
	size_t at = piece_at(stime, ticks);
	const struct strata_stime_piece *piece = &stime->pieces[at];
	uint64_t ns = is_vague(piece) ? piece->most_ns : strata_stime_line_at(&piece->line, ticks);

	return at > 0 && piece[-1].most_ns > ns ? piece[-1].most_ns : ns;
}

uint64_t strata_stime_first(const struct strata_stime *stime, uint64_t ns)
{
	/* The first piece that reaches that time. */
	const size_t low = STRATA_PARTITION(i, 0, stime->nr, stime->pieces[i].most_ns < ns);
	const struct strata_stime_piece *piece;
	uint64_t ticks;

	if (low == stime->nr)
		return UINT64_MAX;
	piece = &stime->pieces[low];
	if (is_vague(piece))
		return piece->from_ticks;
	ticks = first_tick(&piece->line, ns);
	if (ticks < piece->from_ticks)
		return piece->from_ticks;
	return low + 1 < stime->nr && piece[1].from_ticks < ticks ? piece[1].from_ticks : ticks;
}

/* Number of pieces that begin at that time or before. */
static size_t nr_begun(const struct strata_stime *stime, uint64_t ns)
{
	return STRATA_PARTITION(i, 0, stime->nr, stime->pieces[i].least_ns <= ns);
}

uint64_t strata_stime_last(const struct strata_stime *stime, uint64_t ns)
{
	size_t begun = nr_begun(stime, ns);
	const struct strata_stime_piece *piece;
	uint64_t ticks;

	if (begun == 0)
		return 0;
	piece = &stime->pieces[begun - 1];
	ticks = piece->until_ticks;
	if (!is_vague(piece)) {
		ticks = last_tick(&piece->line, ns);
		if (ticks > piece->until_ticks)
			ticks = piece->until_ticks;
	}
	return begun > 1 && piece[-1].reach_ticks > ticks ? piece[-1].reach_ticks : ticks;
}

uint64_t strata_stime_guess(const struct strata_stime *stime, uint64_t ns)
{
	size_t begun = nr_begun(stime, ns), at = begun ? stime->pieces[begun - 1].nr_exact : 0;

	return at ? last_tick(&stime->pieces[at - 1].line, ns) : strata_stime_first(stime, ns);
}
