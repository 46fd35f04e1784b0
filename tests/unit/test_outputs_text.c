// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_outputs_text.c - events as text: the same bytes as babeltrace2's, and the
 * same whatever the number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "filter/filter.h"
#include "outputs/text/text_lines.h"
#include "outputs_fixture.h"

static const struct rich_trace little = {
	.streams = 3,
	.packets = 5,
	.events = 150,
	.seed = 41,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
};

static const struct rich_trace big = {
	.big_endian = true,
	.streams = 2,
	.packets = 4,
	.events = 100,
	.seed = 42,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
	.env = "hostname = \"h\\\"1\"; procname = \"proc\"; vpid = 12;",
};

static const struct rich_trace host_only = {
	.streams = 1,
	.packets = 1,
	.events = 50,
	.seed = 43,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 100,
	.env = "hostname = \"host\"; domain = \"kernel\";",
};

static const struct rich_trace process_only = {
	.streams = 1,
	.packets = 1,
	.events = 50,
	.seed = 44,
	.begin_ns = 1700000000000050000ull,
	.step_ns_max = 1000,
	.env = "procname = \"proc\"; vpid = -3;",
};

static struct strata_event_writer *new_writer(void)
{
	const struct strata_text_options options = { 0 };

	return strata_text_babeltrace_new(&options);
}

static void every_kind_of_field_is_shown_as_babeltrace2_does(void **data)
{
	static const struct rich_trace *const traces[] = { &little, &big, &host_only,
							   &process_only };
	size_t i;

	(void)data;
	for (i = 0; i < 4; i++) {
		struct outputs_world world;

		outputs_begin(&world);
		outputs_add(&world, "trace", traces[i]);
		assert_int_equal(outputs_write(&world, "text", new_writer(), 1),
				 traces[i]->streams * traces[i]->packets * traces[i]->events);
		outputs_run(&world, "babeltrace2 trace >reference");
		outputs_assert_same(&world, "text", "reference");
		outputs_end(&world);
	}
}

static void several_traces_are_one_timeline(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "one", &little);
	outputs_add(&world, "two", &big);
	outputs_add(&world, "three", &host_only);
	outputs_write(&world, "text", new_writer(), 2);
	outputs_run(&world, "babeltrace2 one two three >reference");
	outputs_assert_same(&world, "text", "reference");
	outputs_end(&world);
}

static void times_are_shown_as_babeltrace2_is_told_to(void **data)
{
	static const struct {
		struct strata_text_options options;
		const char *command;
	} cases[] = {
		{ { .gmt = true }, "babeltrace2 --clock-gmt trace >reference" },
		{ { .date = true }, "babeltrace2 --clock-date trace >reference" },
		{ { .gmt = true, .date = true },
		  "babeltrace2 --clock-date --clock-gmt trace >reference" },
		{ { .seconds = true }, "babeltrace2 --clock-seconds trace >reference" },
	};
	struct outputs_world world;
	size_t i;

	(void)data;
	setenv("TZ", "Asia/Kolkata", 1);
	outputs_begin(&world);
	outputs_add(&world, "trace", &big);
	for (i = 0; i < 4; i++) {
		outputs_write(&world, "text", strata_text_babeltrace_new(&cases[i].options), 1);
		outputs_run(&world, cases[i].command);
		outputs_assert_same(&world, "text", "reference");
	}
	outputs_end(&world);
	unsetenv("TZ");
}

static void several_threads_write_the_same_bytes(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "one", &little);
	outputs_add(&world, "two", &big);
	outputs_add(&world, "three", &process_only);
	outputs_write(&world, "text1", new_writer(), 1);
	outputs_write(&world, "text2", new_writer(), 2);
	outputs_write(&world, "text7", new_writer(), 7);
	outputs_assert_same(&world, "text1", "text2");
	outputs_assert_same(&world, "text1", "text7");
	outputs_end(&world);
}

static void what_is_not_wanted_leaves_no_trace(void **data)
{
	static const struct strata_text_options text_options = { 0 };
	char path[64];
	struct strata_written_options options = {
		.path = path,
		.slices = { .to_ns = UINT64_MAX, .threads = 3, .slice_bytes = 5000 },
	};
	struct strata_filter *filter = strata_filter_new();
	const char *const name = "trace";
	struct strata_event_writer *writer = strata_text_babeltrace_new(&text_options);
	struct outputs_world world;
	struct strata_error error;
	uint64_t events;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &little);
	outputs_write(&world, "all", new_writer(), 1);
	assert_int_equal(
		strata_filter_option(filter, "--event", STRATA_ATTRIBUTE_EVENT, "labels", &error),
		0);
	assert_int_equal(strata_filter_bind(filter, &world.set, &name, &error), 0);
	world.set.filter = strata_filter_of_set(filter);
	snprintf(path, sizeof(path), "%s/some", world.dir);
	assert_int_equal(
		strata_written(&world.set, &world.shown, writer, &options, &events, &error), 0);
	writer->free(writer);
	strata_filter_free(filter);
	/* All but the deltas, which are those between the events that are left. */
	outputs_run(&world, "grep -a ' labels: ' all | sed 's/(+[0-9.?]*)//' >expected");
	outputs_run(&world, "sed 's/(+[0-9.?]*)//' some >got");
	outputs_run(&world, "cmp expected got && test -s got");
	outputs_run(&world, "test $(grep -ac '(+?' some) = 1");
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_field_is_shown_as_babeltrace2_does),
		cmocka_unit_test(several_traces_are_one_timeline),
		cmocka_unit_test(times_are_shown_as_babeltrace2_is_told_to),
		cmocka_unit_test(several_threads_write_the_same_bytes),
		cmocka_unit_test(what_is_not_wanted_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
