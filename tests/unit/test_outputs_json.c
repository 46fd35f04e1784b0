// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_outputs_json.c - events as JSON: jq reads it for any content, and finds the same as
 * babeltrace2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "outputs/json/json.h"
#include "outputs/json/json_text.h"
#include "outputs/perfetto/protobuf.h"
#include "outputs/text/text_fields.h"
#include "outputs_fixture.h"

static const struct rich_trace little = {
	.streams = 3,
	.packets = 5,
	.events = 200,
	.seed = 51,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 3000000,
	.empty_texts = true,
	.env = "hostname = \"h\\\"1\"; domain = \"kernel\";",
};

static const struct rich_trace big = {
	.big_endian = true,
	.streams = 2,
	.packets = 4,
	.events = 100,
	.seed = 52,
	.begin_ns = 1700000000000000000ull,
	.step_ns_max = 500000000,
};

static void each_event_is_an_object_that_jq_reads(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "one", &little);
	outputs_add(&world, "two", &big);
	assert_int_equal(outputs_write(&world, "lines", strata_json_lines_new(), 1), 3800);
	outputs_run(&world, "test $(wc -l <lines) = 3800");
	outputs_run(&world, "jq -c . lines >compact && test $(wc -l <compact) = 3800");
	outputs_run(&world, "iconv -f UTF-8 -t UTF-8 lines >/dev/null");
	outputs_run(&world, "jq -se 'map(.source) | unique == [\"h\\\\\\\"1\", \"two\"]' lines");
	outputs_run(&world, "jq -se 'map(select(.source == \"two\")) | length == 800' lines");
	outputs_run(&world, "jq -se 'map(select(.layer == \"kernel\")) | length == 3000' lines");
	outputs_run(&world, "jq -se 'map(.cpu) | unique == [0, 1, 2]' lines");
	outputs_run(&world, "jq -se 'map(.ns) | . == sort' lines");
	outputs_run(&world,
		    "jq -se 'all(.unordered == false and has(\"bound_ns\") == false)' lines");
	outputs_end(&world);
}

static void values_are_those_that_babeltrace2_finds(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "trace", &big);
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	outputs_run(&world, "babeltrace2 --clock-seconds trace >reference");
	outputs_run(&world, "jq -r '.ns | .[:-9] + \".\" + .[-9:]' lines >got");
	outputs_run(&world, "sed 's/^.\\([0-9.]*\\).*/\\1/' reference | cmp - got");
	/* Whole numbers of all sizes. */
	outputs_run(&world, "jq -r 'select(.event == \"numbers:all\") | .fields |"
			    "[.small, .whole, .negative, .crooked] | join(\" \")' lines >got");
	outputs_run(&world, "sed -n 's/.* small = \\([-0-9]*\\),.* crooked = \\([0-9]*\\), "
			    "whole = \\([0-9]*\\), negative = \\([-0-9]*\\),.*/\\1 \\3 \\4 \\2/p' "
			    "reference | cmp - got");
	/* Enumerations: the first label. */
	outputs_run(&world, "jq -r 'select(.event == \"labels\") | .fields.sign |"
			    "(.label // \"-\") + \" \" + (.value | tostring)' lines >got");
	outputs_run(&world,
		    "sed -n 's/.* sign = ( [\"<]\\([A-Za-z]*\\)[\">] : container = "
		    "\\([-0-9]*\\) ).*/\\1 \\2/p' reference | sed 's/unknown/-/' | cmp - got");
	/* Nested ones. */
	outputs_run(&world,
		    "jq -r 'select(.event == \"nested\") | .fields |"
		    "\"\\(.grid[1][2]) \\(.outer.inner.y) \\(.nr) \\(.nothing)\"' lines >got");
	outputs_run(
		&world,
		"sed -n 's/.* y = \\([0-9]*\\),.*\\[2\\] = \\([0-9]*\\) \\] \\], nr = \\([0-9]*\\),"
		".*/\\2 \\1 \\3 {}/p' reference | cmp - got && test -s got");
	outputs_end(&world);
}

static void several_threads_write_the_same_bytes(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "one", &little);
	outputs_add(&world, "two", &big);
	outputs_write(&world, "lines1", strata_json_lines_new(), 1);
	outputs_write(&world, "lines5", strata_json_lines_new(), 5);
	outputs_assert_same(&world, "lines1", "lines5");
	outputs_end(&world);
}

static void a_field_has_one_type_whatever_its_value(void **data)
{
	struct outputs_world world;

	(void)data;
	outputs_begin(&world);
	outputs_add(&world, "one", &little);
	outputs_write(&world, "lines", strata_json_lines_new(), 1);
	/* For each event and path all values have one type; null has none. */
	outputs_run(&world, "jq -c 'select(.event) | .event as $event | .fields | del(.choice) |"
			    " paths(scalars) as $path | [$event, ($path | map(if type == "
			    "\"number\" then 0 else . end)), (getpath($path) | type)]' lines |"
			    " sort -u >types");
	outputs_run(&world, "test -s types && jq -se 'group_by(.[0:2]) | all(length == 1)' types");
	outputs_run(&world, "grep -qF '[\"numbers:all\",[\"whole\"],\"string\"]' types");
	outputs_run(&world, "grep -qF '[\"numbers:all\",[\"little\"],\"number\"]' types");
	/* Floating point never looks like an integer. */
	outputs_run(&world, "! grep -E '\"(wide|narrow)\":-?[0-9]+[,}]' lines");
	outputs_end(&world);
}

static void characters_that_viewers_obey_are_escaped(void **data)
{
	static const char text[] = "a\xc2\x9b\x31m\xe2\x80\xae\xe2\x82\xac\xe2\x81\xa6";
	struct strata_buffer buffer = { 0 };
	char out[STRATA_JSON_BYTES(sizeof(text))];

	(void)data;
	*strata_json_put_text(out, text, strlen(text)) = '\0';
	assert_string_equal(out, "a\\u009b1m\\u202e\xe2\x82\xac\\u2066");
	*strata_text_escape(out, text, strlen(text), true) = '\0';
	assert_string_equal(out, "a\\xc2\\x9b1m\\xe2\\x80\\xae\xe2\x82\xac\\xe2\\x81\\xa6");
	strata_protobuf_text(&buffer, 1, text, strlen(text));
	strata_buffer_put(&buffer, "", 1);
	assert_int_equal(buffer.bytes[1], strlen(buffer.bytes + 2));
	assert_string_equal(buffer.bytes + 2, "a\\u009b1m\\u202e\xe2\x82\xac\\u2066");
	strata_buffer_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_an_object_that_jq_reads),
		cmocka_unit_test(values_are_those_that_babeltrace2_finds),
		cmocka_unit_test(several_threads_write_the_same_bytes),
		cmocka_unit_test(a_field_has_one_type_whatever_its_value),
		cmocka_unit_test(characters_that_viewers_obey_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
