// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_maps.c - see clock_maps.h.  xen_scan.c fills the maps, the merger
 * converts each kernel stream with them.
 *
 * Which piece a guest tick belongs to is not in the record.  A stream moves
 * forward in time, so it is the first piece, from the current one on, whose
 * conversion lies before the next piece begins.  That fails in one case: a
 * guest that set its counter back repeats readings.  The ring closes a packet
 * there, readings go back between packets, and that is when the next piece is
 * entered.
 */
#include "clock_maps.h"

#include <stdlib.h>
#include <string.h>

bool strata_clock_maps_add(struct strata_clock_maps *maps, uint64_t ticks,
			   const struct strata_hv_vcpu_clock *clock)
{
	struct strata_clock_piece *piece;

	if (maps->nr == maps->capacity) {
		size_t capacity = maps->capacity ? maps->capacity * 2 : 64;
		struct strata_clock_piece *pieces =
			reallocarray(maps->pieces, capacity, sizeof(*pieces));

		if (!pieces)
			return false;
		maps->pieces = pieces;
		maps->capacity = capacity;
	}
	piece = &maps->pieces[maps->nr++];
	memset(piece, 0, sizeof(*piece));
	piece->domain = clock->domain;
	piece->vcpu = clock->vcpu;
	piece->from_ticks = ticks;
	if (clock->is_hvm) {
		piece->map.offset = clock->offset;
		piece->map.ratio = clock->ratio;
		piece->map.frac_bits = clock->ratio_frac_bits;
	}
	piece->usable = clock->emulated == 0 && strata_clock_map_valid(&piece->map);
	return true;
}

static int compare_pieces(const void *left, const void *right)
{
	const struct strata_clock_piece *a = left, *b = right;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->vcpu != b->vcpu)
		return a->vcpu < b->vcpu ? -1 : 1;
	if (a->from_ticks != b->from_ticks)
		return a->from_ticks < b->from_ticks ? -1 : 1;
	return 0;
}

void strata_clock_maps_sort(struct strata_clock_maps *maps)
{
	size_t i, kept = 0;

	if (maps->nr == 0)
		return;
	qsort(maps->pieces, maps->nr, sizeof(*maps->pieces), compare_pieces);
	/* A record that says again what holds already makes no new piece. */
	for (i = 1; i < maps->nr; i++) {
		struct strata_clock_piece *last = &maps->pieces[kept];
		const struct strata_clock_piece *piece = &maps->pieces[i];

		if (piece->domain == last->domain && piece->vcpu == last->vcpu &&
		    piece->usable == last->usable && piece->map.offset == last->map.offset &&
		    piece->map.ratio == last->map.ratio &&
		    piece->map.frac_bits == last->map.frac_bits)
			continue;
		maps->pieces[++kept] = *piece;
	}
	maps->nr = kept + 1;
}

void strata_clock_maps_clear(struct strata_clock_maps *maps)
{
	free(maps->pieces);
	memset(maps, 0, sizeof(*maps));
}

bool strata_clock_maps_usable(const struct strata_clock_maps *maps, uint16_t domain)
{
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		if (maps->pieces[i].domain == domain && !maps->pieces[i].usable)
			return false;
	}
	return true;
}

void strata_stream_clock_init(struct strata_stream_clock *clock,
			      const struct strata_clock_maps *maps, uint16_t domain, uint16_t vcpu,
			      uint32_t tsc_khz)
{
	size_t i;

	memset(clock, 0, sizeof(*clock));
	clock->tsc_khz = tsc_khz;
	for (i = 0; i < maps->nr; i++) {
		if (maps->pieces[i].domain != domain || maps->pieces[i].vcpu != vcpu)
			continue;
		if (clock->nr++ == 0)
			clock->pieces = &maps->pieces[i];
	}
}

/* A guest reading that goes back: is it because the next piece has begun?  Its record may lie
 * a little after the change that it tells of. */
static bool next_piece_explains(const struct strata_stream_clock *clock, uint64_t guest)
{
	const uint64_t slop_ticks = clock->tsc_khz; /* a millisecond */
	const struct strata_clock_piece *next = &clock->pieces[clock->at + 1];
	uint64_t from = next->from_ticks > slop_ticks ? next->from_ticks - slop_ticks : 0;

	return strata_host_from_guest(&next->map, guest) >= from;
}

uint64_t strata_stream_clock_convert(struct strata_stream_clock *clock, uint64_t guest)
{
	uint64_t host;

	if (clock->nr == 0)
		return guest;
	if (guest < clock->last_guest && clock->at + 1 < clock->nr &&
	    next_piece_explains(clock, guest))
		clock->at++;
	clock->last_guest = guest;

	host = strata_host_from_guest(&clock->pieces[clock->at].map, guest);
	while (clock->at + 1 < clock->nr && host >= clock->pieces[clock->at + 1].from_ticks) {
		clock->at++;
		host = strata_host_from_guest(&clock->pieces[clock->at].map, guest);
	}
	return host;
}

uint64_t strata_stream_clock_bound_ticks(const struct strata_stream_clock *clock)
{
	uint64_t bound = 1;
	size_t i;

	for (i = 0; i < clock->nr; i++) {
		uint64_t ticks = strata_clock_map_bound_ticks(&clock->pieces[i].map);

		if (ticks > bound)
			bound = ticks;
	}
	return bound;
}
