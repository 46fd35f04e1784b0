// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_filter.c - the meaning of a filter's words, its messages for words without meaning, and its
 * result for fields that events lack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/glob.h>

#include "filter/filter.h"
#include "filter_world.h"

static struct filter_world world;

static int set_up(void **state)
{
	(void)state;
	filter_world_make(&world, 4711);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	filter_world_end(&world);
	return 0;
}

static unsigned int asked(const char *expression)
{
	bool got[FILTER_WORLD_EVENTS];
	const char *wrong = filter_world_ask(&world, expression, got);
	unsigned int i, nr = 0;

	if (wrong)
		fail_msg("%s: %s", expression, wrong);
	for (i = 0; i < FILTER_WORLD_EVENTS; i++)
		nr += got[i];
	return nr;
}

static void assert_wrong(const char *expression, const char *message)
{
	struct strata_ctf_arena *arena = strata_ctf_arena_new(1u << 20);
	struct strata_error error = { "" };

	assert_null(strata_filter_parse(expression, arena, &error));
	assert_string_equal(error.text, message);
	strata_ctf_arena_free(arena);
}

static void what_is_wrong_is_said_with_its_column(void **state)
{
	(void)state;
	assert_wrong("", "column 1: expected a field, an attribute or a value, and it ends here");
	assert_wrong("a == ",
		     "column 6: expected a field, an attribute or a value, and it ends here");
	assert_wrong("a = 1", "column 3: expected \"==\"");
	assert_wrong("a & 1", "column 3: expected \"&&\"");
	assert_wrong("a || | b", "column 6: expected \"||\"");
	assert_wrong("(a == 1", "column 8: expected \"&&\", \"||\" or \")\", and it ends here");
	assert_wrong("a == 1)", "column 7: expected \"&&\" or \"||\", not )");
	assert_wrong("a b", "column 3: expected a comparison, \"&&\" or \"||\", not b");
	assert_wrong("a == 1 == 1", "column 8: expected \"&&\" or \"||\", not ==");
	assert_wrong("a == 'x'", "column 6: \"'\" is not expected here; write text in \"quotes\"");
	assert_wrong("a == \"x", "column 6: expected a \" that ends this text");
	assert_wrong("a == \"x\\", "column 6: expected a \" that ends this text");
	assert_wrong(
		"a == \"x\\n\"",
		"column 8: expected one of * ? [ ] \\ \" or other punctuation after a backslash");
	assert_wrong("a == 010", "column 6: expected a number that is decimal, or begins with 0x: "
				 "octal is not supported");
	assert_wrong("a == 12x", "column 6: expected a number");
	assert_wrong("a == 0x", "column 6: expected a number");
	assert_wrong("a == 1.2.3", "column 6: expected a number");
	assert_wrong("a == 1e999", "column 6: expected a number");
	assert_wrong("a == 18446744073709551616",
		     "column 6: expected a number that fits into 64 bits");
	assert_wrong("a == -9223372036854775809",
		     "column 7: expected a number that fits into 64 bits");
	assert_wrong("a. == 1", "column 4: expected the name of a field, not ==");
	assert_wrong("a[b] == 1", "column 3: expected the number of an element, from 0 on, not b");
	assert_wrong("a[-1] == 1",
		     "column 3: expected the number of an element, from 0 on, not -1");
	assert_wrong("a[1 == 1", "column 5: expected \"]\", not ==");
	assert_wrong(
		"$nobody == 1",
		"column 1: expected $event, $source, $layer, $domain, $about, $vcpu, $cpu, $pcpu, "
		"$process, $time or $ctx.FIELD, not $nobody");
	assert_wrong("$ctx == 1",
		     "column 6: expected \".\" and the name of a context's field, not ==");
	assert_wrong("1 == 1", "column 1: expected a field or an attribute on one side of the "
			       "comparison: both are values");
	assert_wrong("a < \"x\"", "column 3: expected \"==\" or \"!=\": text has no order");
	assert_wrong("$event >= a", "column 8: expected \"==\" or \"!=\": text has no order");
	assert_wrong("$cpu == \"x\"", "column 9: expected a number here: $cpu is a number");
	assert_wrong("$event == 1", "column 11: expected text in \"quotes\" here: $event is text");
	assert_wrong("!$event", "column 2: expected a comparison: $event is text");
	assert_wrong("a == 1 \xff", "column 8: \"\\xff\" is not expected here; write text in "
				    "\"quotes\"");
}

static void brackets_may_be_so_many_and_no_more(void **state)
{
	char text[4 * STRATA_FILTER_NESTING_MAX + 64] = "";
	unsigned int i;

	(void)state;
	for (i = 0; i < STRATA_FILTER_NESTING_MAX; i++)
		strcat(text, i % 2 ? "!" : "(");
	strcat(text, "big == big");
	for (i = 0; i < STRATA_FILTER_NESTING_MAX / 2; i++)
		strcat(text, ")");
	/* 32 times "!": itself. */
	assert_int_equal(asked(text), asked("$event == \"alpha\""));
	memmove(text + 1, text, strlen(text) + 1);
	text[0] = '!';
	assert_wrong(text, "column 65: more than 64 brackets and \"!\" within each other");
}

static void a_chain_may_be_of_any_length(void **state)
{
	char *text = malloc(2000000);
	unsigned int i;
	char *at = text;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < 50000; i++)
		at += sprintf(at, "only_beta == %u || ", i + 1000000);
	strcpy(at, "$event == \"beta:*\"");
	assert_int_equal(asked(text), asked("$event == \"beta:b\""));
	free(text);
}

static void what_an_event_does_not_have_is_neither_true_nor_false(void **state)
{
	const unsigned int betas = asked("$event == \"beta*\"");

	(void)state;
	assert_in_range(betas, 1, FILTER_WORLD_EVENTS - 1);
	assert_int_equal(asked("only_beta == only_beta"), betas);
	assert_int_equal(asked("!(only_beta != only_beta)"), betas);
	assert_int_equal(asked("only_beta != only_beta"), 0);
	assert_int_equal(asked("nothing == 1"), 0);
	assert_int_equal(asked("!(nothing == 1)"), 0);
	assert_int_equal(asked("nothing != 1"), 0);
	assert_int_equal(asked("nothing == 1 || $cpu >= 0"), FILTER_WORLD_EVENTS);
	assert_int_equal(asked("!(nothing == 1 && $cpu < 0)"), FILTER_WORLD_EVENTS);
	/* Text where a number is meant. */
	assert_int_equal(asked("comm > 0"), 0);
	assert_int_equal(asked("!(comm > 0)"), 0);
	assert_int_equal(asked("$domain == 0 || $vcpu == 0 || $pcpu == 0"), 0);
}

static void numbers_are_compared_as_numbers(void **state)
{
	const unsigned int alphas = asked("$event == \"alpha\"");

	(void)state;
	assert_int_equal(asked("big > -1"), alphas);
	assert_int_equal(asked("wide < 0") + asked("wide >= 0"), FILTER_WORLD_EVENTS);
	assert_int_equal(asked("$event == \"alpha\" && wide < 9223372036854775808"), alphas);
	assert_int_equal(asked("big >= 9223372036854775808"),
			 asked("!(big <= 9223372036854775807)"));
	/* 2^53 + 1 is no double. */
	assert_in_range(asked("big == 9007199254740993"), 1, alphas - 1);
	assert_int_equal(asked("big == 9007199254740993 && big == 9007199254740992.0"), 0);
	assert_int_equal(asked("big == 9007199254740993 && big > 9007199254740992.0"),
			 asked("big == 9007199254740993"));
	assert_int_equal(asked("big == 18446744073709551615 && big >= 18446744073709551616.0"), 0);
}

static void options_take_several_values_and_want_one_of_them(void **state)
{
	struct strata_filter *filter = strata_filter_new();
	const char *const name = "here";
	bool got[FILTER_WORLD_EVENTS];
	struct strata_error error = { "" };
	unsigned int i;

	(void)state;
	assert_true(strata_filter_is_empty(filter));
	assert_int_equal(strata_filter_option(filter, "--cpu", STRATA_ATTRIBUTE_CPU, "0,2", &error),
			 0);
	assert_int_equal(strata_filter_option(filter, "--event", STRATA_ATTRIBUTE_EVENT,
					      "[a,b]lph[!,],gamma", &error),
			 0);
	assert_int_equal(strata_filter_option(filter, "--cpu", STRATA_ATTRIBUTE_CPU, "3", &error),
			 0);
	assert_false(strata_filter_is_empty(filter));
	assert_int_equal(strata_filter_bind(filter, &world.set, &name, &error), 0);
	world.set.filter = strata_filter_of_set(filter);
	filter_world_merge(&world, got);
	world.set.filter = NULL;
	for (i = 0; i < FILTER_WORLD_EVENTS; i++) {
		const long double cpu = plain_value_of(&world.events[i], "$cpu")->number;
		const char *event = plain_value_of(&world.events[i], "$event")->text;

		assert_int_equal(got[i],
				 (cpu == 0 || cpu == 2 || cpu == 3) && strcmp(event, "alpha") == 0);
	}
	strata_filter_free(filter);
}

static void assert_wrong_option(const char *option, enum strata_attribute attribute,
				const char *values, const char *message)
{
	struct strata_filter *filter = strata_filter_new();
	struct strata_error error = { "" };

	assert_int_equal(strata_filter_option(filter, option, attribute, values, &error), -1);
	assert_string_equal(error.text, message);
	strata_filter_free(filter);
}

static void values_that_an_option_cannot_have_are_named(void **state)
{
	(void)state;
	assert_wrong_option("--layer", STRATA_ATTRIBUTE_LAYER, "xen,kernle",
			    "--layer needs xen, kernel or app, not \"kernle\"");
	assert_wrong_option("--vcpu", STRATA_ATTRIBUTE_VCPU, "0,",
			    "--vcpu needs a number, not \"\"");
	assert_wrong_option("--cpu", STRATA_ATTRIBUTE_CPU, "4294967296",
			    "--cpu needs a number, not \"4294967296\"");
	assert_wrong_option("--cpu", STRATA_ATTRIBUTE_CPU, "-1",
			    "--cpu needs a number, not \"-1\"");
	assert_wrong_option("--event", STRATA_ATTRIBUTE_EVENT, "a,,b",
			    "--event needs a name, not \"\"");
	assert_wrong_option("--domain", STRATA_ATTRIBUTE_DOMAIN, "99999999999",
			    "--domain needs a number or a name, not \"99999999999\"");
}

static void what_no_event_has_is_told(void **state)
{
	static const char expression[] = "nothing == 1 || $ctx.none == 2 || $domain == \"g1\" || "
					 "comm > 3 || small == 0 || $cpu == 0";
	struct strata_filter *filter = strata_filter_new();
	static struct complaints heard;
	const char *const name = "here";
	struct strata_error error = { "" };

	(void)state;
	assert_int_equal(strata_filter_expression(filter, expression, &error), 0);
	assert_int_equal(strata_filter_option(filter, "--vcpu", STRATA_ATTRIBUTE_VCPU, "0", &error),
			 0);
	assert_int_equal(strata_filter_bind(filter, &world.set, &name, &error), 0);
	strata_filter_tell_missing(filter, complaints_hear, &heard);
	assert_string_equal(
		heard.all,
		"--filter: column 1: no event in these traces has a field nothing; the nearest is big\n"
		"--filter: column 17: no event in these traces has a context $ctx.none; the nearest is "
		"prio\n"
		"--filter: column 35: no event in these traces has a known domain\n"
		"--filter: column 59: no event in these traces has a value of that kind in comm\n"
		"--vcpu: no event in these traces has a known vcpu\n");
	strata_filter_free(filter);
}

/* Of each line's names the first is wanted; of the others one is the nearest. */
static void the_nearest_name_is_found(void **state)
{
	static const struct {
		const char *wanted, *names[3], *nearest;
		uint64_t distance;
	} cases[] = {
		{ "gl", { "dom0", "g1", "g22" }, "g1", 1 },
		{ "sched_swich", { "sched_stat", "sched_switch", "switch" }, "sched_switch", 1 },
		{ "same", { "some", "same", "sane" }, "same", 0 },
		{ "two", { "tow", "to", "twos" }, "to", 1 },
		{ "shced_*", { "sys_enter", "sched_wakeup", "shm" }, "sched_wakeup", 2 },
		{ "?1", { "dom0", "g2", "abc" }, "g2", 1 },
		{ "a", { "", "bcd", "b" }, "b", 1 },
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strata_nearest nearest = { 0 };

		for (j = 0; j < 3; j++)
			strata_nearest_name(&nearest, cases[i].wanted, strlen(cases[i].wanted),
					    true, cases[i].names[j], strlen(cases[i].names[j]));
		assert_true(nearest.found);
		assert_string_equal(nearest.name, cases[i].nearest);
		assert_int_equal(nearest.distance, cases[i].distance);
	}
}

static void patterns_fit_what_recursion_says_they_fit(void **state)
{
	static const char letters[] = "ab*?[]!-\\^";
	uint64_t seed = 99;
	unsigned int i, j, fitting = 0;

	(void)state;
	for (i = 0; i < 200000; i++) {
		char pattern[10] = "", text[8] = "";
		const unsigned int nr = (unsigned int)(maker_random(&seed) >> 40) % sizeof(pattern);
		const unsigned int bytes = (unsigned int)(maker_random(&seed) >> 40) % sizeof(text);
		bool fits;

		for (j = 0; j < nr && j + 1 < sizeof(pattern); j++)
			pattern[j] = letters[(maker_random(&seed) >> 40) % (sizeof(letters) - 1)];
		for (j = 0; j < bytes && j + 1 < sizeof(text); j++)
			text[j] = letters[(maker_random(&seed) >> 40) % (i % 2 ? 2 : 10)];
		fits = strata_glob_fits(pattern, strlen(pattern), text, strlen(text));
		if (fits != plain_fits(pattern, text))
			fail_msg("\"%s\" %s \"%s\"", pattern, fits ? "fits" : "does not fit", text);
		fitting += fits;
	}
	assert_true(fitting > 1000);
}

/* Time is bounded by the product of both lengths, whatever is hoped for behind stars. */
static void many_stars_do_not_take_for_ever(void **state)
{
	char pattern[2001], text[100001];
	unsigned int i;

	(void)state;
	for (i = 0; i < 2000; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[2000] = 'b';
	memset(text, 'a', sizeof(text));
	assert_false(strata_glob_fits(pattern, sizeof(pattern), text, sizeof(text)));
	text[100000] = 'b';
	assert_true(strata_glob_fits(pattern, sizeof(pattern), text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_said_with_its_column),
		cmocka_unit_test(brackets_may_be_so_many_and_no_more),
		cmocka_unit_test(a_chain_may_be_of_any_length),
		cmocka_unit_test(what_an_event_does_not_have_is_neither_true_nor_false),
		cmocka_unit_test(numbers_are_compared_as_numbers),
		cmocka_unit_test(options_take_several_values_and_want_one_of_them),
		cmocka_unit_test(values_that_an_option_cannot_have_are_named),
		cmocka_unit_test(what_no_event_has_is_told),
		cmocka_unit_test(the_nearest_name_is_found),
		cmocka_unit_test(patterns_fit_what_recursion_says_they_fit),
		cmocka_unit_test(many_stars_do_not_take_for_ever),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
