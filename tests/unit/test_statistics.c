// SPDX-License-Identifier: GPL-2.0-or-later
/* test_statistics.c - statistics of traces are the same whether read at once or in slices: numbers
 * of events, first and last times, and the longest silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/statistics.h"
#include "outputs_fixture.h"

static const struct rich_trace sparse = {
	.streams = 2,
	.packets = 20,
	.events = 3,
	.seed = 71,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
};

static const struct rich_trace dense = {
	.streams = 2,
	.packets = 10,
	.events = 100,
	.seed = 72,
	.begin_ns = 1700000001000000000ull,
	.step_ns_max = 3000000,
};

static struct strata_statistics count(struct strata_trace_set *set, unsigned int threads,
				      uint64_t slice_bytes)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = threads,
						      .slice_bytes = slice_bytes };
	struct strata_statistics statistics;
	struct strata_error error = { "" };

	if (strata_statistics_make(&statistics, set, &options, &error))
		fail_msg("%s", error.text);
	return statistics;
}

static void slices_count_what_the_whole_does(void **state)
{
	struct strata_statistics whole, sliced;
	struct outputs_world world;
	unsigned int bytes;
	size_t i, j;

	(void)state;
	outputs_begin(&world);
	outputs_add(&world, "sparse", &sparse);
	outputs_add(&world, "dense", &dense);
	whole = count(&world.set, 1, 0);
	assert_int_equal(whole.nr, 2);
	assert_true(whole.events > 1000);
	for (bytes = 500; bytes < 50000; bytes *= 3) {
		sliced = count(&world.set, 3, bytes);
		assert_int_equal(sliced.events, whole.events);
		assert_int_equal(sliced.first_ns, whole.first_ns);
		assert_int_equal(sliced.last_ns, whole.last_ns);
		for (i = 0; i < whole.nr; i++) {
			const struct strata_trace_statistics *a = &whole.traces[i];
			const struct strata_trace_statistics *b = &sliced.traces[i];

			assert_int_equal(b->events, a->events);
			assert_int_equal(b->first_ns, a->first_ns);
			assert_int_equal(b->last_ns, a->last_ns);
			assert_true(a->silence_ns > 0);
			assert_int_equal(b->silence_ns, a->silence_ns);
			assert_int_equal(b->silence_from_ns, a->silence_from_ns);
			for (j = 0; j < world.set.traces[i]->metadata.nr_events; j++)
				assert_int_equal(b->of_class[j], a->of_class[j]);
		}
		strata_statistics_clear(&sliced);
	}
	strata_statistics_clear(&whole);
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_count_what_the_whole_does),
	};

	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
