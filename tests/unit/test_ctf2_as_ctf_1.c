// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf2_as_ctf_1.c - events of CTF 2 written as CTF 1.8: what babeltrace2 2.0.4, which
 * cannot read CTF 2, shows of each field class.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ctf2_cases.h"
#include "outputs/ctf/ctf_traces.h"
#include "outputs/text/text_lines.h"
#include "outputs_fixture.h"

/* Fields that are not shown as in CTF 2. */
static const struct {
	const char *name, *text;
} changed[] = {
	{ "bit_map", "{ x = 0x4290 }" },
	{ "boolean", "{ x = 0, y = 1, z = 1 }" },
	{ "blobs", "{ x = [ [0] = 0x0, [1] = 0xFF, [2] = 0x7F ], n = 2, "
		   "y = [ [0] = 0xAB, [1] = 0xCD ], z = [ ] }" },
	{ "arrays", "{ x = [ [0] = 1, [1] = 2, [2] = 3 ], n = 4, y = [ [0] = 1, "
		    "[1] = 0, [2] = 1, [3] = 0 ], m = 2, z = [ [0] = \"a\", "
		    "[1] = \"b\" ] }" },
	{ "optionals",
	  "{ b = 1, i = -5, x_tag = ( \"some\" : container = 1 ), x = { 7 }, y_tag = ( \"some\" : "
	  "container = 1 ), y = { \"ok\" }, z_tag = ( \"none\" : container = 0 ), z = { { } } }" },
	{ "variants", "{ t = 5, s = -2, v_tag = ( \"option1_\" : container = 1 ), v = { \"hi\" }, "
		      "w_tag = ( \"neg_\" : container = 0 ), w = { 8 } }" },
	{ "any_of_a_variants_lengths",
	  "{ t = 1, len_tag = ( \"option1_\" : container = 1 ), len = { 2 }, x_length = 2, "
	  "x = [ [0] = 0xAA, [1] = 0xBB ], y_length = 2, y = [ [0] = 1, [1] = 2 ] }" },
	{ "lengths_in_elements",
	  "{ nature_length = 2, nature = [ [0] = { laser = 1, in = { x = \"a\", y = \"b\" } }, "
	  "[1] = { laser = 2, in = { x = \"cd\", y = \"ef\" } } ] }" },
	{ "lengths_in_an_option",
	  "{ t = 1, v_tag = ( \"b_\" : container = 1 ), v = { { n = 2, x = \"ab\" } }, "
	  "y = \"cd\" }" },
	{ "names", "{ my_field_0 = 1, x_1 = 2, x = 3, event = 4 }" },
	{ "names_of_options", "{ t = 0, v_tag = ( \"x_0_\" : container = 0 ), v = { 7 }, "
			      "w_tag = ( \"n0_a_0_\" : container = 0 ), w = { 8 } }" },
	{ "nested", "{ n = 2, x_length = 2, x = [ [0] = { value_length = 2, value = [ [0] = 1, "
		    "[1] = 2 ] }, [1] = { value_length = 2, value = [ [0] = 3, [1] = 4 ] } ] }" },
};

static const char *expected_of(const struct ctf2_case *is)
{
	size_t i;

	for (i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		if (strcmp(changed[i].name, is->name) == 0)
			return changed[i].text;
	}
	return is->text;
}

static void begin(struct outputs_world *world, const struct ctf2_case *is)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX, .threads = 1 };
	static const char *const names[] = { "flat" };
	struct strata_error error = { "" };
	struct strata_ctf_trace *trace;
	struct trace_dir dir;
	uint64_t events = 0;
	char path[64];

	outputs_begin(world);
	outputs_run(world, "mkdir trace");
	snprintf(dir.path, sizeof(dir.path), "%s/trace", world->dir);
	ctf2_put_case(&dir, is);
	trace = strata_ctf_trace_open(dir.path, NULL, NULL, &error);
	if (!trace || strata_trace_set_add(&world->set, trace, &error))
		fail_msg("%s: %s", is->name, error.text);
	snprintf(path, sizeof(path), "%s/ctf", world->dir);
	if (strata_ctf_traces_write(&world->set, names, path, false, &options, &events, &error))
		fail_msg("%s: %s", is->name, error.text);
	assert_int_equal(events, 1);
}

static void each_is_shown_by_readers_of_ctf_1(void **data)
{
	unsigned int i;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		struct outputs_world world;
		char expected[2048], *text;
		size_t length;

		begin(&world, &ctf2_cases[i]);
		outputs_run(&world,
			    "babeltrace2 --clock-seconds ctf/flat >shown 2>said && test ! -s said");
		text = outputs_read(&world, "shown", &length);
		snprintf(expected, sizeof(expected), " two e: %s\n", expected_of(&ctf2_cases[i]));
		if (!strstr(text, expected) || !strstr(text, "[1.000000001]"))
			fail_msg("%s: expected %s, but got %s", ctf2_cases[i].name, expected, text);
		free(text);
		outputs_end(&world);
	}
}

static void what_is_written_is_read_again(void **data)
{
	const struct strata_text_options options = { 0 };
	unsigned int i;

	(void)data;
	for (i = 0; i < ctf2_nr_cases; i++) {
		struct outputs_world world;
		struct strata_ctf_trace *trace;
		struct strata_error error = { "" };
		char path[64];

		begin(&world, &ctf2_cases[i]);
		outputs_run(&world, "babeltrace2 ctf/flat >shown 2>said && test ! -s said");
		strata_trace_set_clear(&world.set);
		memset(&world.set, 0, sizeof(world.set));
		snprintf(path, sizeof(path), "%s/ctf/flat", world.dir);
		trace = strata_ctf_trace_open(path, NULL, NULL, &error);
		if (!trace || strata_trace_set_add(&world.set, trace, &error))
			fail_msg("%s: %s", ctf2_cases[i].name, error.text);
		assert_int_equal(
			outputs_write(&world, "own", strata_text_babeltrace_new(&options), 1), 1);
		outputs_assert_same(&world, "own", "shown");
		outputs_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_shown_by_readers_of_ctf_1),
		cmocka_unit_test(what_is_written_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
