// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clock_sync_line.c - the pieces of a line, and the steps between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "clock_simulator.h"
#include "clock_sync/hulls/line.h"

#define PIECES 400
#define LENGTH 1000

/* A piece of LENGTH grains whose deviation is @deviation, but for @half. */
static struct strata_piece piece_of(int64_t u0, int64_t deviation, int64_t half, unsigned int flags)
{
	const struct strata_interval at = { deviation - half, deviation + half };

	return (struct strata_piece){
		.u0 = u0, .u1 = u0 + LENGTH, .at0 = at, .at1 = at, .flags = flags
	};
}

/* A line whose clock is set, by up to @most, every @every pieces; 0: never. */
static struct strata_line line_of(struct sim_random *random, int every, int64_t most)
{
	struct strata_line line = { 0 };
	int64_t deviation = 0, set;
	int i;

	for (i = 0; i < PIECES; i++) {
		struct strata_piece piece = piece_of((int64_t)i * LENGTH, deviation, 5, 0);

		if (!every || i % every != every - 1) {
			assert_true(strata_line_add(&line, &piece));
			continue;
		}
		/* As edges are drawn: the piece after the step exists before the step does. */
		set = (int64_t)(sim_random(random) % (uint64_t)(2 * most)) - most;
		piece = piece_of((int64_t)(i + 1) * LENGTH, deviation + set, 5, 0);
		assert_true(strata_line_add(&line, &piece));
		piece = piece_of((int64_t)i * LENGTH, deviation, llabs(set) + 5, STRATA_PIECE_STEP);
		assert_true(strata_line_add_step(&line, line.nr - 1, &piece));
		deviation += set;
		i++;
	}
	return line;
}

/* What all pieces say, one after the other. */
static void look_at_all(const struct strata_line *line, int64_t sum, unsigned int *flags,
			strata_wide *half)
{
	const strata_wide around = (*half >> STRATA_FINE_GRAIN) + 1;
	size_t i;

	for (i = 0; i < line->nr; i++) {
		const struct strata_piece *piece = &line->pieces[i];
		const strata_wide width =
			(strata_wide)(piece->u1 - piece->u0) + (piece->at0.high - piece->at0.low);

		if (!(piece->flags & STRATA_PIECE_STEP) ||
		    sum + around < piece->u0 + piece->at0.low ||
		    sum - around > piece->u1 + piece->at0.high)
			continue;
		*flags |= STRATA_PIECE_STEP;
		*half = strata_wide_max(*half, 2 * strata_fine_of(width));
	}
}

static void steps_are_found_wherever_a_sum_may_be_of_one(void **state)
{
	static const int64_t mosts[] = { 10, LENGTH / 2, 20 * LENGTH, 300 * LENGTH };
	struct sim_random random = { 1 };
	size_t size;

	(void)state;
	for (size = 0; size < sizeof(mosts) / sizeof(mosts[0]); size++) {
		struct strata_line line = line_of(&random, 7, mosts[size]);
		int64_t sum;

		assert_in_range(line.nr_steps, PIECES / 7 - 1, PIECES / 7 + 1);
		for (sum = -400 * LENGTH; sum < 800 * LENGTH; sum += LENGTH / 7) {
			const strata_wide given = strata_fine_of(
				(strata_wide)(sim_random(&random) % (sum % 3 ? 10 : 9 * LENGTH)));
			strata_wide half = given, expected = given;
			unsigned int flags = 0, expected_flags = 0;

			strata_line_steps(&line, sum, &flags, &half);
			look_at_all(&line, sum, &expected_flags, &expected);
			assert_int_equal(flags, expected_flags);
			assert_true(half == expected);
		}
		strata_line_clear(&line);
	}
}

static void only_steps_near_a_sum_are_looked_at(void **state)
{
	struct sim_random random = { 1 };
	struct strata_line line = line_of(&random, 0, 1);
	size_t first, end;
	int64_t sum;

	(void)state;
	assert_int_equal(line.nr, PIECES);
	assert_int_equal(line.nr_steps, 0);
	strata_line_clear(&line);

	line = line_of(&random, 4, LENGTH / 4);
	assert_in_range(line.nr_steps, 70, 100);
	for (sum = 0; sum < PIECES * LENGTH; sum += LENGTH / 3) {
		first = strata_line_steps_near(&line, sum - 10, sum + 10, &end);
		assert_true(end <= line.nr_steps && first <= end);
		/* The sum drifts away from u by a walk of 80 steps, but neighbours keep apart. */
		assert_in_range(end - first, 0, 2);
	}
	strata_line_clear(&line);
}

static void a_step_goes_between_the_pieces_that_it_separates(void **state)
{
	struct sim_random random = { 3 };
	struct strata_line line = line_of(&random, 5, 9 * LENGTH);
	size_t i;

	(void)state;
	for (i = 1; i < line.nr; i++) {
		const struct strata_piece *piece = &line.pieces[i];
		const int64_t own = piece->u0 + (piece->at0.low + piece->at0.high) / 2;

		assert_true(piece->u0 == piece[-1].u1);
		assert_true(piece->reached >= piece[-1].reached && piece->reached >= own);
		assert_true(piece->reached == piece[-1].reached || piece->reached == own);
	}
	strata_line_clear(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_found_wherever_a_sum_may_be_of_one),
		cmocka_unit_test(only_steps_near_a_sum_are_looked_at),
		cmocka_unit_test(a_step_goes_between_the_pieces_that_it_separates),
	};

	return cmocka_run_group_tests_name("clock sync: line", tests, NULL, NULL);
}
