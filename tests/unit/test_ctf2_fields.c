// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf2_fields.c - each field class of CTF 2 as outputs show it, the same for every way to read
 * its events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf/reader/ctf_reader.h"
#include "ctf2_cases.h"
#include "filter/filter.h"
#include "outputs/json/json.h"
#include "outputs/text/text_lines.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs_fixture.h"

/* A world with the trace of a case. */
static void begin(struct outputs_world *world, const struct ctf2_case *is)
{
	struct strata_error error = { "" };
	struct strata_ctf_trace *trace;
	struct trace_dir dir;

	outputs_begin(world);
	snprintf(dir.path, sizeof(dir.path), "%s/trace", world->dir);
	outputs_run(world, "mkdir trace");
	ctf2_put_case(&dir, is);
	trace = strata_ctf_trace_open(dir.path, NULL, NULL, &error);
	if (!trace)
		fail_msg("%s: %s", is->name, error.text);
	assert_int_equal(strata_trace_set_add(&world->set, trace, &error), 0);
}

static char *write_and_read(struct outputs_world *world, struct strata_event_writer *writer)
{
	size_t length;

	assert_int_equal(outputs_write(world, "out", writer, 1), 1);
	return outputs_read(world, "out", &length);
}

/* The text occurs in the output; else all of the output is shown. */
static void expect(const struct ctf2_case *is, const char *written, const char *text)
{
	if (!strstr(written, text))
		fail_msg("%s: expected %s, but got %s", is->name, text, written);
}

static void each_is_shown_as_babeltrace2_does(void **data)
{
	const struct strata_text_options options = { .seconds = true };
	unsigned int i;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		struct outputs_world world;
		char expected[2048], *text;

		begin(&world, &ctf2_cases[i]);
		text = write_and_read(&world, strata_text_babeltrace_new(&options));
		snprintf(expected, sizeof(expected), " two e: %s\n", ctf2_cases[i].text);
		expect(&ctf2_cases[i], text, expected);
		expect(&ctf2_cases[i], text, "[1.000000001] ");
		free(text);
		outputs_end(&world);
	}
}

static void each_is_json(void **data)
{
	unsigned int i;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		struct outputs_world world;
		char expected[2048], *text;

		begin(&world, &ctf2_cases[i]);
		text = write_and_read(&world, strata_json_lines_new());
		snprintf(expected, sizeof(expected), "\"fields\":%s}", ctf2_cases[i].json);
		expect(&ctf2_cases[i], text, expected);
		outputs_run(&world, "jq . out");
		free(text);
		outputs_end(&world);
	}
}

static void each_is_shown_in_columns_and_to_perfetto(void **data)
{
	const struct strata_text_options options = { .gmt = true };
	unsigned int i;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		struct outputs_world world;

		begin(&world, &ctf2_cases[i]);
		free(write_and_read(&world, strata_text_columns_new(&options)));
		free(write_and_read(&world, strata_perfetto_new()));
		outputs_end(&world);
	}
}

/* The ways to move over an event: by its program, by its types, by a program that folds. */
static bool move(const struct strata_ctf_class *class, unsigned int way,
		 struct strata_ctf_cursor *cursor, uint64_t *hash)
{
	switch (way) {
	case 0:
		return strata_ctf_program_skip(&class->program, cursor);
	case 1:
		return strata_ctf_skip(cursor, class->event->payload);
	default:
		return strata_ctf_program_fold(&class->program, cursor, hash);
	}
}

static void each_is_read_alike_in_every_way_and_no_further_than_its_end(void **data)
{
	unsigned int i, way;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		const struct strata_ctf_class *class;
		struct strata_ctf_reader reader;
		struct outputs_world world;
		struct strata_error error;
		uint64_t end;

		begin(&world, &ctf2_cases[i]);
		class = &world.set.traces[0]->kinds[0].classes[0];
		assert_int_equal(strata_ctf_reader_open(&reader, &world.set.traces[0]->streams[0],
							4096, &error),
				 0);
		assert_int_equal(strata_ctf_reader_next(&reader), 1);
		for (end = reader.events[0].body; end <= reader.events[0].end; end++) {
			struct strata_ctf_cursor cursors[3];
			uint64_t hash = 0;
			bool fits[3];

			for (way = 0; way < 3; way++) {
				strata_ctf_event_open(&reader, &reader.events[0], &cursors[way]);
				cursors[way].end = end;
				fits[way] = move(class, way, &cursors[way], &hash);
				assert_true(cursors[way].at <= end);
				assert_int_equal(fits[way], fits[0]);
				if (fits[0])
					assert_int_equal(cursors[way].at, cursors[0].at);
			}
			assert_true(fits[0] || end < reader.events[0].end);
		}
		strata_ctf_reader_close(&reader);
		outputs_end(&world);
	}
}

/* Whether the event of a case is selected by an expression. */
static bool is_selected(const char *name, const char *expression)
{
	const struct strata_text_options options = { 0 };
	static const char *const names[] = { "two" };
	struct strata_filter *filter = strata_filter_new();
	struct strata_error error = { "" };
	struct outputs_world world;
	unsigned int i = 0;
	uint64_t events;

	while (strcmp(ctf2_cases[i].name, name) != 0)
		assert_true(++i < ctf2_nr_cases);
	begin(&world, &ctf2_cases[i]);
	assert_non_null(filter);
	if (strata_filter_expression(filter, expression, &error) ||
	    strata_filter_bind(filter, &world.set, names, &error))
		fail_msg("%s: %s", expression, error.text);
	world.set.filter = strata_filter_of_set(filter);
	events = outputs_write(&world, "out", strata_text_babeltrace_new(&options), 1);
	strata_filter_free(filter);
	outputs_end(&world);
	return events == 1;
}

static void events_are_selected_by_each(void **data)
{
	static const struct {
		const char *name, *yes, *no;
	} asked[] = {
		{ "varint", "y == -220236", "y == 220236" },
		{ "varint_aligned", "x == \"lime\"", "x == \"lemon\"" },
		{ "utf16", "y == \"h\xf0\x9f\x98\x80\"", "y == \"h\"" },
		{ "utf16", "w == \"HI\"", "w != \"HI\"" },
		{ "utf32", "y == \"AB\"", "x == \"AB\"" },
		{ "bit_order", "y == 32769", "z == 8" },
		{ "boolean", "y", "x" },
		{ "optionals", "x == 7", "z == 7" },
		{ "variants", "v == \"hi\" && w == 8", "w == 9" },
		{ "lengths_in_elements", "nature[1].in.x == \"cd\"", "nature[0].in.x == \"cd\"" },
		{ "strings", "z == \"xz\"", "y == \"xz\"" },
	};
	size_t i;

	(void)data;
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (!is_selected(asked[i].name, asked[i].yes))
			fail_msg("%s: not selected by %s", asked[i].name, asked[i].yes);
		if (is_selected(asked[i].name, asked[i].no))
			fail_msg("%s: selected by %s", asked[i].name, asked[i].no);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_shown_as_babeltrace2_does),
		cmocka_unit_test(each_is_json),
		cmocka_unit_test(each_is_shown_in_columns_and_to_perfetto),
		cmocka_unit_test(each_is_read_alike_in_every_way_and_no_further_than_its_end),
		cmocka_unit_test(events_are_selected_by_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
