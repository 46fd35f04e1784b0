// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - makes the table, and converts readings by it.
 *
 * Values at nodes are below 2^100 ticks (2^63 readings at 1 Hz, in ticks of 2^36 Hz) before
 * they are clamped.  The shift of a piece is chosen so that value and bound times 2^shift
 * stay below 2^124, and slopes below 2^63; slopes are rounded so that the next piece begins
 * no lower, and what that loses over the whole piece is in its bound.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partition.h"

#include "clock_sync/map.h"

#define MOST_SHIFT  60u
#define SLOPE_LIMIT ((strata_wide)INT64_MAX - 2)
#define BOUND_LIMIT ((strata_wide)1 << 72) /* 2^62 ticks: more counts as unbounded */

static unsigned int bits_of(strata_wide value)
{
	unsigned __int128 rest = (unsigned __int128)(value < 0 ? -value : value);
	unsigned int bits = 0;

	for (; rest; rest >>= 1)
		bits++;
	return bits;
}

static strata_wide scaled(strata_wide value, unsigned int shift)
{
	return shift >= STRATA_MAP_FRACTION
		       ? value * ((strata_wide)1 << (shift - STRATA_MAP_FRACTION))
		       : value >> (STRATA_MAP_FRACTION - shift);
}

/* Of a difference of two nodes, the slope over @length readings: value times 2^shift. */
static bool slope_of(strata_wide difference, uint64_t length, unsigned int shift,
		     strata_wide *slope)
{
	strata_wide result;

	if (bits_of(difference) + shift >= 126 + STRATA_MAP_FRACTION)
		return false;
	result = strata_floor_div(scaled(difference, shift), (strata_wide)length);
	*slope = result;
	return result >= -SLOPE_LIMIT && result <= SLOPE_LIMIT;
}

static void set_bound(struct strata_map_piece *piece, const struct strata_map_node *a,
		      const struct strata_map_node *b, uint64_t length)
{
	strata_wide from = a->bound, to = b->bound, slope = 0;
	const strata_wide tick = (strata_wide)1 << piece->shift;

	piece->bound = -1;
	piece->bound_slope = 0;
	if (a->unbounded || from < 0 || to < 0 || from > BOUND_LIMIT || to > BOUND_LIMIT)
		return;
	if (length == 1) {
		/* No reading in between. */
		to = from;
	} else if (a->jump) {
		strata_wide jump = b->value > a->value ? b->value - a->value : a->value - b->value;

		from = to = strata_wide_max(from, to) + jump;
		if (from > BOUND_LIMIT)
			return;
	}
	if (!slope_of(to - from, length, piece->shift, &slope)) {
		from = strata_wide_max(from, to);
		slope = 0;
	}
	/* Half a tick, by which the value is rounded, and almost one, by which the last shift
	 * rounds up. Both slopes were rounded down: this error grows with the length. */
	piece->bound = scaled(from + a->sag, piece->shift) + tick / 2 + tick - 1;
	if (piece->shift < STRATA_MAP_FRACTION)
		piece->bound += 2 * tick;
	piece->bound_slope = (int64_t)slope + 2;
}

static bool add_piece(struct strata_sync_map *map, const struct strata_map_node *a,
		      const struct strata_map_node *b)
{
	struct strata_map_piece piece = { .from = a->reading, .flags = a->flags };
	const uint64_t length = (uint64_t)b->reading - (uint64_t)a->reading;
	unsigned int bits = bits_of(strata_wide_max(a->value < 0 ? -a->value : a->value,
						    b->value < 0 ? -b->value : b->value));
	strata_wide slope = 0;

	if (!STRATA_GROW(map->pieces, map->nr, map->capacity))
		return false;
	/* Bits of the value without its fraction, and of a bound, which is below 2^64. */
	bits = bits > 64 + STRATA_MAP_FRACTION ? bits - STRATA_MAP_FRACTION : 64;
	piece.shift = 124 - bits < MOST_SHIFT ? 124 - bits : MOST_SHIFT;
	if (b->value > a->value) {
		while (!slope_of(b->value - a->value, length, piece.shift, &slope) && piece.shift)
			piece.shift--;
		/* Only a jump exceeds the limit: it is placed at the end. */
		piece.slope = slope > 0 && slope <= SLOPE_LIMIT ? (uint64_t)slope : 0;
	}
	/* The conversion's shift rounds down: half a tick more rounds to the nearest. */
	piece.value = scaled(a->value, piece.shift) + ((strata_wide)1 << piece.shift) / 2;
	set_bound(&piece, a, b, length);
	map->pieces[map->nr++] = piece;
	return true;
}

bool strata_map_add(struct strata_sync_map *map, struct strata_map_node *nodes, size_t nr)
{
	size_t i;

	for (i = 0; i + 1 < nr; i++) {
		struct strata_map_node *a = &nodes[i], *b = &nodes[i + 1];

		if (!a->jump && b->value < a->value) {
			if (b->bound >= 0)
				b->bound += a->value - b->value;
			b->value = a->value;
		}
		if (!add_piece(map, a, b))
			return false;
	}
	if (nr)
		map->last = nodes[nr - 1].reading;
	return true;
}

void strata_map_clear(struct strata_sync_map *map)
{
	free(map->pieces);
	memset(map, 0, sizeof(*map));
}

/* Finds the piece for a reading, which is within the map. */
static size_t search(const struct strata_sync_map *map, int64_t reading)
{
	return STRATA_LAST_OF(i, map->nr, map->pieces[i].from <= reading);
}

/* Moves the cursor to the piece for @reading: usually this or the next one. */
static inline const struct strata_map_piece *seek(struct strata_clock_cursor *cursor,
						  int64_t reading)
{
	const struct strata_sync_map *map = cursor->map;
	size_t place = cursor->place;

	if (place >= map->nr || reading < map->pieces[place].from)
		place = search(map, reading);
	else if (place + 1 < map->nr && reading >= map->pieces[place + 1].from)
		place = place + 2 == map->nr || reading < map->pieces[place + 2].from
				? place + 1
				: search(map, reading);
	cursor->place = place;
	return &map->pieces[place];
}

/* A reading beyond the map is converted as the map's end. */
static inline int64_t within(const struct strata_sync_map *map, int64_t reading, uint32_t *flags)
{
	if (reading < map->pieces[0].from) {
		*flags |= STRATA_CLOCK_CLAMPED;
		return map->pieces[0].from;
	}
	if (reading > map->last) {
		*flags |= STRATA_CLOCK_CLAMPED;
		return map->last;
	}
	return reading;
}

static inline int64_t value_in(const struct strata_map_piece *piece, uint64_t length,
			       uint32_t *flags)
{
	strata_wide value =
		(piece->value + (strata_wide)((unsigned __int128)length * piece->slope)) >>
		piece->shift;

	if (__builtin_expect(value != (int64_t)value, 0)) {
		*flags |= STRATA_CLOCK_CLAMPED;
		return value < 0 ? INT64_MIN : INT64_MAX;
	}
	return (int64_t)value;
}

struct strata_clock_time strata_clock_convert(struct strata_clock_cursor *cursor, int64_t reading)
{
	struct strata_clock_time time = { .bound = STRATA_CLOCK_UNBOUNDED };
	const struct strata_map_piece *piece;
	uint64_t length;

	if (!cursor->map->nr) {
		time.flags = STRATA_CLOCK_UNREACHABLE;
		return time;
	}
	if (!cursor->map->reachable)
		time.flags |= STRATA_CLOCK_APART;
	reading = within(cursor->map, reading, &time.flags);
	piece = seek(cursor, reading);
	length = (uint64_t)reading - (uint64_t)piece->from;
	time.value = value_in(piece, length, &time.flags);
	if (piece->bound >= 0 && !(time.flags & STRATA_CLOCK_CLAMPED))
		time.bound = (uint64_t)((piece->bound + (strata_wide)length * piece->bound_slope) >>
					piece->shift);
	time.flags |= piece->flags;
	return time;
}
