// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exact.c - exact maps in ticks, both ways.
 *
 * Products: a difference of readings is below 2^64, a numerator at most 2^62.
 */
#include <stdlib.h>
#include <string.h>

#include "exact.h"

bool strata_exact_add(struct strata_exact *exact, const struct strata_clock_piece *piece)
{
	size_t i = exact->nr;

	if (exact->nr == exact->capacity) {
		size_t capacity = exact->capacity ? exact->capacity * 2 : 4;
		void *pieces = reallocarray(exact->pieces, capacity, sizeof(*exact->pieces));

		if (!pieces)
			return false;
		exact->pieces = pieces;
		exact->capacity = capacity;
	}
	while (i > 0 && exact->pieces[i - 1].from_reading > piece->from_reading)
		i--;
	if (i > 0 && exact->pieces[i - 1].from_reading == piece->from_reading) {
		exact->pieces[i - 1] = *piece;
		return true;
	}
	memmove(&exact->pieces[i + 1], &exact->pieces[i], (exact->nr - i) * sizeof(*exact->pieces));
	exact->pieces[i] = *piece;
	exact->nr++;
	return true;
}

void strata_exact_clear(struct strata_exact *exact)
{
	free(exact->pieces);
	free(exact->spans);
	memset(exact, 0, sizeof(*exact));
}

/* Fine time of a number of ticks, rounded up. */
static strata_wide ticks_time(const struct strata_clock_rate *rate, uint64_t ticks)
{
	return strata_ceil_div((strata_wide)ticks *
				       (STRATA_FINE_SECOND * (strata_wide)rate->denominator),
			       (strata_wide)rate->numerator);
}

/* base + ticks * numerator / denominator on a clock, fine.  False: out of range. */
static bool scaled(const struct strata_clock_rate *rate, int64_t base, strata_wide ticks,
		   uint64_t numerator, uint64_t denominator, strata_wide *time)
{
	strata_wide product = ticks * (strata_wide)numerator;
	strata_wide whole = strata_floor_div(product, (strata_wide)denominator);
	strata_wide rest = product - whole * (strata_wide)denominator;
	strata_wide reading = base + whole;

	if (strata_clamp_ticks(&reading))
		return false;
	/* The rest is a part of a tick, in 2^40ths of one. */
	rest = (rest << 40) / (strata_wide)denominator;
	*time = strata_fine_time(rate, (int64_t)reading) +
		(strata_floor_div(rest * STRATA_FINE_SECOND * (strata_wide)rate->denominator,
				  (strata_wide)rate->numerator) >>
		 40);
	return true;
}

static bool piece_forward(const struct strata_clock_piece *piece,
			  const struct strata_clock_rate *from, const struct strata_clock_rate *to,
			  strata_wide time, struct strata_exact_value *value)
{
	strata_wide reading = strata_fine_ticks(from, time, 0);

	if (strata_clamp_ticks(&reading) ||
	    !scaled(to, piece->y0, reading - piece->x0, piece->numerator, piece->denominator,
		    &value->time))
		return false;
	value->half = ticks_time(to, piece->bound) + 4;
	/* A time that is no reading was rounded to one. */
	if (strata_fine_time(from, (int64_t)reading) != time)
		value->half += ticks_time(from, 1);
	value->known = true;
	return true;
}

static bool piece_backward(const struct strata_clock_piece *piece,
			   const struct strata_clock_rate *from, const struct strata_clock_rate *to,
			   strata_wide time, struct strata_exact_value *value)
{
	strata_wide reading = strata_fine_ticks(to, time, 0);

	if (strata_clamp_ticks(&reading) ||
	    !scaled(from, piece->x0, reading - piece->y0, piece->denominator, piece->numerator,
		    &value->time))
		return false;
	/* In ticks of y, of which the ratio makes time of x; nominal rates may lie far from it. */
	value->half = strata_ceil_div((strata_wide)piece->bound * (strata_wide)piece->denominator,
				      (strata_wide)piece->numerator);
	if (strata_clamp_ticks(&value->half))
		return false;
	value->half = ticks_time(from, (uint64_t)value->half) + 4;
	if (strata_fine_time(to, (int64_t)reading) != time)
		value->half += ticks_time(to, 1);
	value->known = true;
	return true;
}

/* What y a piece has at a reading, rounded to the side of @sign. */
static strata_wide end_of(const struct strata_clock_piece *piece,
			  const struct strata_clock_rate *from, const struct strata_clock_rate *to,
			  int64_t reading, int sign)
{
	struct strata_exact_value value = { 0 };

	if (!piece_forward(piece, from, to, strata_fine_time(from, reading), &value))
		return sign * ((strata_wide)1 << 120);
	return value.time + sign * (value.half + ticks_time(to, 1) + ticks_time(from, 1));
}

bool strata_exact_prepare(struct strata_exact *exact, const struct strata_clock_rate *from,
			  const struct strata_clock_rate *to)
{
	struct strata_exact_span *spans = reallocarray(exact->spans, exact->nr + 1, sizeof(*spans));
	size_t i;

	if (!spans)
		return false;
	exact->spans = spans;
	for (i = 0; i < exact->nr; i++) {
		const struct strata_clock_piece *piece = &exact->pieces[i];

		spans[i].least = end_of(piece, from, to, piece->from_reading, -1);
		spans[i].greatest = end_of(
			piece, from, to, i + 1 < exact->nr ? piece[1].from_reading : INT64_MAX, 1);
		if (i > 0)
			spans[i].greatest =
				strata_wide_max(spans[i].greatest, spans[i - 1].greatest);
	}
	for (i = exact->nr; i-- > 1;)
		spans[i - 1].least = strata_wide_min(spans[i - 1].least, spans[i].least);
	return true;
}

struct strata_exact_value strata_exact_forward(const struct strata_exact *exact,
					       const struct strata_clock_rate *from,
					       const struct strata_clock_rate *to, strata_wide time)
{
	struct strata_exact_value value = { 0 };
	size_t low = 0, high = exact->nr;

	while (high - low > 1) {
		size_t half = low + (high - low) / 2;

		if (strata_fine_time(from, exact->pieces[half].from_reading) <= time)
			low = half;
		else
			high = half;
	}
	if (!piece_forward(&exact->pieces[low], from, to, time, &value))
		return value;
	value.known = time >= strata_fine_time(from, exact->pieces[low].from_reading);
	return value;
}

struct strata_exact_value strata_exact_backward(const struct strata_exact *exact,
						const struct strata_clock_rate *from,
						const struct strata_clock_rate *to,
						strata_wide time)
{
	struct strata_exact_value value = { 0 }, found = { 0 };
	size_t i = 0, end = exact->nr;

	/* The first piece until which y got as far as this. */
	while (i < end) {
		size_t half = i + (end - i) / 2;

		if (exact->spans[half].greatest < time)
			i = half + 1;
		else
			end = half;
	}
	/* Where y jumped back, the first of those that have this reading is taken. */
	for (; i < exact->nr && exact->spans[i].least <= time; i++) {
		const struct strata_clock_piece *piece = &exact->pieces[i];
		bool last = i + 1 == exact->nr;

		memset(&value, 0, sizeof(value));
		if (!piece_backward(piece, from, to, time, &value))
			continue;
		if (value.time + value.half < strata_fine_time(from, piece->from_reading) ||
		    (!last &&
		     value.time - value.half >= strata_fine_time(from, piece[1].from_reading)))
			continue;
		if (!found.known) {
			found = value;
			continue;
		}
		/* Two answers: the half holds both. */
		found.unsure |= value.time - value.half > found.time + found.half;
		found.half = strata_wide_max(found.half, value.time - found.time + value.half);
	}
	if (!found.known && exact->nr)
		piece_backward(&exact->pieces[0], from, to, time, &found);
	else
		return found;
	found.known = false;
	return found;
}
