// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_outputs_columns.c - events in columns, for people; and the order of two events of different
 * clocks, as far as it is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "outputs/json/json.h"
#include "outputs/text/text_lines.h"
#include "outputs_fixture.h"

static const struct rich_trace trace = {
	.streams = 3,
	.packets = 5,
	.events = 150,
	.seed = 71,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 30000,
	.empty_texts = true,
	.env = "hostname = \"h\\x1b1\"; domain = \"ust\";",
};

static const struct strata_text_options plain = { .gmt = true };
static const struct strata_text_options coloured = { .gmt = true, .colours = true };

static const struct strata_shown_event event = {
	.ns = 1700000000000000113ull,
	.has_time = true,
	.previous_ns = 1699999999000000113ull,
	.bound_ns = UINT64_MAX,
	.source = "g1",
	.layer = "kernel",
	.name = "sched\x1b",
	.cpu = 3,
};

#define HEADING                                                                                   \
	"# time                    +delta  bound    source layer   cpu event                    " \
	"    fields\n"
#define PLACES_HEADING                                                                            \
	"# time                    +delta  bound    source layer   cpu pcpu vcpu       event    " \
	"                    fields\n"

static void assert_written(const struct strata_text_options *options,
			   const struct strata_shown_source sources[2],
			   const struct strata_shown_event *shown, const char *expected)
{
	struct strata_event_writer *writer = strata_text_columns_new(options);
	struct strata_buffer buffer = { 0 };

	writer->begin(writer, &buffer, sources, 2);
	writer->event(writer, &buffer, shown);
	strata_buffer_put(&buffer, "", 1);
	assert_false(buffer.no_memory);
	assert_string_equal(buffer.bytes, expected);
	strata_buffer_free(&buffer);
	writer->free(writer);
}

static void assert_line(const struct strata_text_options *options,
			const struct strata_shown_event *shown, const char *heading,
			const char *line)
{
	const struct strata_shown_source sources[2] = { { .name = "g1" }, { .name = "host" } };
	char expected[512];

	snprintf(expected, sizeof(expected), "%s%s", heading, line);
	assert_written(options, sources, shown, expected);
}

static void what_is_known_is_shown(void **data)
{
	struct strata_shown_event shown = event;
	struct strata_text_options options = plain;

	(void)data;
	assert_line(&options, &shown, HEADING,
		    "22:13:20.000000113  +1.000000000  -        g1     kernel    3 "
		    "sched\\x1b                   \n");
	shown.unordered = true;
	shown.bound_ns = 10001;
	shown.cpu = STRATA_SHOWN_UNKNOWN;
	shown.layer = "";
	options.date = true;
	assert_line(
		&options, &shown,
		"# date     time                      +delta  bound    source layer   cpu event "
		"                       fields\n",
		"2023-11-14 22:13:20.000000113  +1.000000000 ~\xc2\xb1"
		"11us    g1     -         - sched\\x1b                   \n");
	options.seconds = true;
	shown.bound_ns = 9999;
	assert_line(
		&options, &shown,
		"# time                      +delta  bound    source layer   cpu event          "
		"              fields\n",
		"1700000000.000000113  +1.000000000 ~\xc2\xb1"
		"9999ns  g1     -         - sched\\x1b                   \n");
	shown.has_time = false;
	assert_line(&plain, &shown, HEADING,
		    "??:??:??.?????????  +1.000000000 ~\xc2\xb1"
		    "9999ns  g1     -         - sched\\x1b                   \n");
}

/* Columns for where it was come with the first source that can tell it. */
static void who_ran_where_is_shown(void **data)
{
	static const char *names[STRATA_SHOWN_DOMAINS] = { [1] = "g1" };
	const struct strata_shown_source sources[2] = {
		{ .name = "xen", .knows_places = true, .domain_names = names },
		{ .name = "host" },
	};
	struct strata_shown_event shown = event;

	(void)data;
	shown.source = "xen";
	shown.layer = "xen";
	shown.name = "vm_exit";
	shown.pcpu = 12;
	shown.domain = 1;
	shown.vcpu = 0;
	assert_written(
		&plain, sources, &shown,
		PLACES_HEADING
		"22:13:20.000000113  +1.000000000  -        xen    xen       3   12 g1/0       "
		"vm_exit                     \n");
	shown.domain = 7;
	shown.pcpu = STRATA_SHOWN_UNKNOWN;
	assert_written(
		&plain, sources, &shown,
		PLACES_HEADING
		"22:13:20.000000113  +1.000000000  -        xen    xen       3    - d7/0       "
		"vm_exit                     \n");
	shown.source = "host";
	shown.source_index = 1;
	shown.domain = shown.vcpu = STRATA_SHOWN_UNKNOWN;
	assert_written(
		&plain, sources, &shown,
		PLACES_HEADING
		"22:13:20.000000113  +1.000000000  -        host   xen       3    - -          "
		"vm_exit                     \n");
}

static void no_byte_of_an_event_reaches_the_terminal_as_a_command(void **data)
{
	struct outputs_world world;
	size_t length, i;
	char *text;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &trace);
	assert_int_equal(outputs_write(&world, "text", strata_text_columns_new(&plain), 1), 2250);
	text = outputs_read(&world, "text", &length);
	for (i = 0; i < length; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f));
	free(text);
	outputs_run(&world, "test $(wc -l <text) = 2251 && grep -q 'outer={x=' text");
	outputs_end(&world);
}

/* As with names from tables: op=23(iret). */
static void a_label_stands_behind_its_number(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &trace);
	outputs_write(&world, "text", strata_text_columns_new(&plain), 1);
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	outputs_run(&world, "jq -r 'select(.event == \"labels\").fields | [.state, .sign] |"
			    " map(if .label then \"\\(.value)(\\(.label))\" else .value end) |"
			    " \"state=\\(.[0]) sign=\\(.[1])\"' lines >expected");
	outputs_run(&world,
		    "sed -n 's/.* labels .*\\(state=.*\\) hex=.*/\\1/p' text | cmp - expected");
	outputs_run(&world, "grep -q 'state=2(one or two)' expected &&"
			    " grep -qE 'sign=-[0-9]+[(]LOW[)]' expected");
	outputs_end(&world);
}

static void colours_change_nothing_else(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &trace);
	outputs_write(&world, "text", strata_text_columns_new(&plain), 1);
	outputs_write(&world, "coloured", strata_text_columns_new(&coloured), 4);
	outputs_run(&world, "sed 's/\\x1b\\[[0-9;]*m//g' coloured | cmp - text && "
			    "! cmp -s coloured text");
	outputs_end(&world);
}

/* Passes each event on twice: its payload as such, and walked through as a context. */
struct twice {
	struct strata_event_writer writer;
	struct strata_event_writer *columns;
	uint64_t fields; /* events with any */
};

static void twice_begin(struct strata_event_writer *writer, struct strata_buffer *buffer,
			const struct strata_shown_source *sources, size_t nr_sources)
{
	struct twice *twice = (struct twice *)writer;

	twice->columns->begin(twice->columns, buffer, sources, nr_sources);
}

/* Returns an event's line as a string. */
static char *line_of(const struct twice *twice, const struct strata_shown_event *shown)
{
	struct strata_buffer buffer = { 0 };

	twice->columns->event(twice->columns, &buffer, shown);
	strata_buffer_put(&buffer, "", 1);
	assert_false(buffer.no_memory);
	return buffer.bytes;
}

/* The walk's fields are in brackets. */
static void assert_same_fields(struct twice *twice, const char *payload, const char *context)
{
	size_t same = 0, length = strlen(payload) - 1;

	while (payload[same] == context[same])
		same++;
	if (same > length)
		return;
	twice->fields++;
	/* Both begin with a space. */
	assert_memory_equal(context + same, "[ ", 2);
	assert_memory_equal(context + same + 2, payload + same, length - same);
	assert_string_equal(context + length + 2, " ]\n");
}

static void twice_event(struct strata_event_writer *writer, struct strata_buffer *buffer,
			const struct strata_shown_event *shown)
{
	struct twice *twice = (struct twice *)writer;
	struct strata_shown_event alone = *shown;
	char *payload, *context;
	size_t i;

	(void)buffer;
	for (i = 0; i < 2; i++) {
		if (alone.types[i])
			assert_true(strata_ctf_skip(&alone.cursor, alone.types[i]));
		alone.types[i] = NULL;
	}
	payload = line_of(twice, &alone);
	alone.types[1] = alone.types[2];
	alone.types[2] = NULL;
	context = line_of(twice, &alone);
	assert_same_fields(twice, payload, context);
	free(payload);
	free(context);
}

static void twice_free(struct strata_event_writer *writer)
{
	struct twice *twice = (struct twice *)writer;

	twice->columns->free(twice->columns);
}

static void prepared_fields_are_shown_as_others_are(void **data)
{
	static const struct strata_text_options *const options[] = { &plain, &coloured };
	struct rich_trace big = trace;
	struct outputs_world world;
	size_t i;

	(void)data;
	big.big_endian = true;
	outputs_begin(&world);
	outputs_add(&world, "little", &trace);
	outputs_add(&world, "big", &big);
	for (i = 0; i < 2; i++) {
		struct twice twice = {
			.writer = { .begin = twice_begin,
				    .event = twice_event,
				    .free = twice_free },
			.columns = strata_text_columns_new(options[i]),
		};

		assert_int_equal(outputs_write(&world, "nothing", &twice.writer, 1), 4500);
		assert_true(twice.fields > 2000);
	}
	outputs_end(&world);
}

static void events_closer_than_their_bounds_are_unordered(void **data)
{
	struct rich_trace other = trace;
	struct outputs_world world;

	(void)data;
	other.seed = 72;
	outputs_begin(&world);
	outputs_add(&world, "one", &trace);
	outputs_add(&world, "two", &other);
	outputs_write(&world, "unknown", strata_json_lines_new(), 1);
	outputs_run(&world, "jq -se 'map(.unordered) | any | not' unknown");
	world.shown.sources[0].bound_ns = 1000;
	world.shown.sources[1].bound_ns = 500;
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	outputs_run(&world, "jq -se 'map(.bound_ns) | unique == [500, 1000]' lines");
	/* Two events that follow each other, with the times in the file. */
	outputs_run(&world, "jq -s '[., .[1:]] | transpose | map(select(.[1])) |"
			    "map((.[0].source != .[1].source) and"
			    " ((.[1].ns[9:] | tonumber) - (.[0].ns[9:] | tonumber) < 1500))' lines"
			    " | jq -c '[false] + .' >expected");
	outputs_run(&world, "jq -sc 'map(.unordered)' lines | cmp - expected");
	outputs_run(&world, "jq -e 'any and (all | not)' expected");
	outputs_write(&world, "lines6", strata_json_lines_new(), 6);
	outputs_assert_same(&world, "lines", "lines6");
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_is_shown),
		cmocka_unit_test(who_ran_where_is_shown),
		cmocka_unit_test(no_byte_of_an_event_reaches_the_terminal_as_a_command),
		cmocka_unit_test(a_label_stands_behind_its_number),
		cmocka_unit_test(colours_change_nothing_else),
		cmocka_unit_test(prepared_fields_are_shown_as_others_are),
		cmocka_unit_test(events_closer_than_their_bounds_are_unordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
