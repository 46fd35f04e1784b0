// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stime.c - see stime.h.  xen_scan.c fills one for each physical CPU, vcpu_stime.c
 * one for each vCPU with an emulated counter, clock_maps.c asks.
 *
 * Within a piece time never falls.  Across pieces it may, so each keeps the
 * greatest time up to its end and the least from its start on: these never fall
 * from piece to piece, and each question is one binary search.
 */
#include "stime.h"

#include <stdlib.h>
#include <string.h>

static struct strata_stime_piece *append(struct strata_stime *stime)
{
	if (stime->nr == stime->capacity) {
		size_t capacity = stime->capacity ? stime->capacity * 2 : 16;
		struct strata_stime_piece *pieces =
			reallocarray(stime->pieces, capacity, sizeof(*pieces));

		if (!pieces)
			return NULL;
		stime->pieces = pieces;
		stime->capacity = capacity;
	}
	memset(&stime->pieces[stime->nr], 0, sizeof(stime->pieces[0]));
	return &stime->pieces[stime->nr++];
}

bool strata_stime_add(struct strata_stime *stime, uint64_t ticks,
		      const struct strata_hv_pcpu_clock *clock)
{
	const struct strata_clock_scale scale = { clock->mul_frac, clock->shift };
	struct strata_stime_piece *piece;

	if (!strata_clock_scale_valid(&scale))
		return true;
	piece = append(stime);
	if (!piece)
		return false;
	piece->from_ticks = ticks;
	piece->local_tsc = clock->local_tsc;
	piece->local_stime_ns = clock->local_stime_ns;
	piece->scale = scale;
	piece->sure_until = UINT64_MAX;
	return true;
}

void strata_stime_gap(struct strata_stime *stime, uint64_t ticks)
{
	struct strata_stime_piece *last;

	if (stime->nr == 0)
		return;
	last = &stime->pieces[stime->nr - 1];
	if (ticks < last->sure_until)
		last->sure_until = ticks;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract_held(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* Before the stamp, which only the first piece knows, the line is carried on backwards. */
static uint64_t time_at(const struct strata_stime_piece *piece, uint64_t ticks)
{
	if (ticks >= piece->local_tsc)
		return add_held(piece->local_stime_ns,
				strata_clock_scale(&piece->scale, ticks - piece->local_tsc));
	return subtract_held(piece->local_stime_ns,
			     strata_clock_scale(&piece->scale, piece->local_tsc - ticks));
}

/* The first tick at which the piece's line is at @ns or above. */
static uint64_t first_tick(const struct strata_stime_piece *piece, uint64_t ns)
{
	if (ns > piece->local_stime_ns)
		return add_held(
			piece->local_tsc,
			strata_clock_unscale_first(&piece->scale, ns - piece->local_stime_ns));
	return subtract_held(piece->local_tsc,
			     strata_clock_unscale_last(&piece->scale, piece->local_stime_ns - ns));
}

/* The last tick at which the piece's line is at @ns or below. */
static uint64_t last_tick(const struct strata_stime_piece *piece, uint64_t ns)
{
	if (ns >= piece->local_stime_ns)
		return add_held(
			piece->local_tsc,
			strata_clock_unscale_last(&piece->scale, ns - piece->local_stime_ns));
	return subtract_held(piece->local_tsc,
			     strata_clock_unscale_first(&piece->scale, piece->local_stime_ns - ns));
}

/* The last tick of a piece. */
static uint64_t end_of(const struct strata_stime *stime, size_t index)
{
	return index + 1 < stime->nr ? stime->pieces[index + 1].from_ticks - 1 : UINT64_MAX;
}

static int compare_pieces(const void *left, const void *right)
{
	const struct strata_stime_piece *a = left, *b = right;

	return a->from_ticks < b->from_ticks ? -1 : a->from_ticks > b->from_ticks;
}

/* Of pieces that begin at one tick only the last counts. */
static void drop_empty_pieces(struct strata_stime *stime)
{
	size_t i, kept = 0;

	for (i = 1; i < stime->nr; i++) {
		if (stime->pieces[i].from_ticks != stime->pieces[kept].from_ticks)
			kept++;
		stime->pieces[kept] = stime->pieces[i];
	}
	stime->nr = kept + 1;
}

void strata_stime_finish(struct strata_stime *stime)
{
	uint64_t most = 0, least = UINT64_MAX;
	size_t i;

	if (stime->nr == 0)
		return;
	qsort(stime->pieces, stime->nr, sizeof(stime->pieces[0]), compare_pieces);
	drop_empty_pieces(stime);
	stime->pieces[0].from_ticks = 0;
	for (i = 0; i < stime->nr; i++) {
		uint64_t last = time_at(&stime->pieces[i], end_of(stime, i));

		most = last > most ? last : most;
		stime->pieces[i].most_ns = most;
	}
	for (i = stime->nr; i-- > 0;) {
		uint64_t first = time_at(&stime->pieces[i], stime->pieces[i].from_ticks);

		least = first < least ? first : least;
		stime->pieces[i].least_ns = least;
	}
}

void strata_stime_clear(struct strata_stime *stime)
{
	free(stime->pieces);
	memset(stime, 0, sizeof(*stime));
}

/* Index of the piece that holds at a tick. */
static size_t piece_at(const struct strata_stime *stime, uint64_t ticks)
{
	size_t low = 0, high = stime->nr;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (stime->pieces[middle].from_ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool strata_stime_add_part(struct strata_stime *stime, const struct strata_stime *other,
			   uint64_t from_ticks, uint64_t until_ticks)
{
	size_t i;

	if (other->nr == 0)
		return true;
	for (i = piece_at(other, from_ticks);
	     i < other->nr && other->pieces[i].from_ticks < until_ticks; i++) {
		struct strata_stime_piece *piece = append(stime);

		if (!piece)
			return false;
		*piece = other->pieces[i];
		if (piece->from_ticks < from_ticks)
			piece->from_ticks = from_ticks;
	}
	return true;
}

bool strata_stime_sure(const struct strata_stime *stime, uint64_t ticks)
{
	return ticks <= stime->pieces[piece_at(stime, ticks)].sure_until;
}

uint64_t strata_stime_first(const struct strata_stime *stime, uint64_t ns)
{
	size_t low = 0, high = stime->nr;
	uint64_t ticks;

	/* The first piece that gets there. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stime->pieces[middle].most_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == stime->nr)
		return UINT64_MAX;
	ticks = first_tick(&stime->pieces[low], ns);
	return ticks < stime->pieces[low].from_ticks ? stime->pieces[low].from_ticks : ticks;
}

uint64_t strata_stime_last(const struct strata_stime *stime, uint64_t ns)
{
	size_t low = 0, high = stime->nr;
	uint64_t ticks, end;

	/* The first piece from which on time is always later. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stime->pieces[middle].least_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	ticks = last_tick(&stime->pieces[low - 1], ns);
	end = end_of(stime, low - 1);
	return ticks > end ? end : ticks;
}
