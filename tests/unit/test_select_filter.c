// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select_filter.c - `--kernel-filter`: its parts, and the words of a start command that it
 * becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stratad/select/select_filter.h"

#define NR_EVENTS 4u

static const struct strata_event_desc table[NR_EVENTS] = {
	{ .id = 0,
	  .name = "sched_switch",
	  .group = "sched",
	  .nr_fields = 2,
	  .fields = { { "prev_prio", STRATA_FIELD_SIGNED, 4, 1 },
		      { "prio", STRATA_FIELD_SIGNED, 4, 1 } } },
	{ .id = 1,
	  .name = "sched_wakeup",
	  .group = "sched",
	  .nr_fields = 1,
	  .fields = { { "prio", STRATA_FIELD_SIGNED, 4, 1 } } },
	{ .id = 2,
	  .name = "sched_waking",
	  .group = "sched",
	  .nr_fields = 1,
	  .fields = { { "prio", STRATA_FIELD_SIGNED, 4, 1 } } },
	{ .id = 3,
	  .name = "sys_enter",
	  .group = "raw_syscalls",
	  .nr_fields = 1,
	  .fields = { { "id", STRATA_FIELD_SIGNED, 8, 1 } } },
};

static struct strata_error failure;
static struct select_filters filters;
static struct event_set recorded;

static int parse(const char *argument, struct kernel_selection *selection)
{
	memset(&failure, 0, sizeof(failure));
	return select_parse_kernel(SELECT_FILTER, argument, selection, &failure);
}

static int add(const char *argument)
{
	struct kernel_selection selection;

	if (parse(argument, &selection))
		fail_msg("%s", failure.text);
	return select_filter_add(&filters, &selection, table, NR_EVENTS, &recorded, &failure);
}

static int record_all(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_EVENTS; i++)
		event_set_add(&recorded, i);
	return 0;
}

static int clear(void **state)
{
	(void)state;
	select_filters_clear(&filters);
	memset(&recorded, 0, sizeof(recorded));
	return 0;
}

static void a_filter_has_a_domain_events_and_an_expression(void **state)
{
	static const char *const wrong[] = {
		"g1", "g1:", "g1:sched_*", "g1::prio == 1", ":a:b==1", "g1:\"a:b\"", ""
	};
	struct kernel_selection selection;
	size_t i;

	(void)state;
	assert_int_equal(parse("g1:sched_*,irq/*: prio < 120", &selection), 0);
	assert_string_equal(selection.domain, "g1");
	assert_string_equal(selection.text, "sched_*,irq/*: prio < 120");
	assert_string_equal(select_filter_expression(selection.text), "prio < 120");
	/* Names of domains and quoted text may hold colons. */
	assert_int_equal(parse("a:b:open:name==\"c:d: e\"", &selection), 0);
	assert_string_equal(selection.domain, "a:b");
	assert_string_equal(selection.text, "open:name==\"c:d: e\"");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!parse(wrong[i], &selection))
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_non_null(strstr(failure.text, "--kernel-filter: "));
	}
	assert_int_equal(parse("g1:a: prio <", &selection), -1);
	assert_non_null(strstr(failure.text, "--kernel-filter: column 7: expected a field"));
}

static void events_with_the_same_program_share_a_word(void **state)
{
	(void)state;
	/* The field's place in sched_switch is another. */
	assert_int_equal(add("g1:sched_*: prio == 120"), 0);
	assert_string_equal(filters.words, " where=0:0100feff01000000080000007800000000000000"
					   " where=1,2:0100feff00000000080000007800000000000000");
	assert_int_equal(add("g1:sys_enter: id < 0"), 0);
	assert_non_null(strstr(filters.words, "000 where=3:0102feff00000000080000000000000000"));
}

static void what_always_passes_needs_no_program(void **state)
{
	(void)state;
	assert_int_equal(add("g1:sched_*: $event != \"sched_switch\" || prev_prio == 1"), 0);
	assert_string_equal(filters.words, " where=0:0100feff00000000080000000100000000000000");
	assert_int_equal(add("g1:sys_enter: 1"), 0);
	assert_string_equal(filters.words, " where=0:0100feff00000000080000000100000000000000");
}

static void a_filter_that_nothing_can_pass_is_refused(void **state)
{
	(void)state;
	assert_int_equal(add("g1:sched_*: prev_prio == 1"), -1);
	assert_non_null(strstr(failure.text, "no event sched_wakeup can pass it"));
}

static void each_event_has_one_filter(void **state)
{
	(void)state;
	assert_int_equal(add("g1:sched_switch: prio == 1"), 0);
	assert_int_equal(add("g1:sched_*: prio == 2"), -1);
	assert_non_null(strstr(failure.text, "another filter names the event sched_switch, too"));
}

static void the_expression_1_takes_a_filter_back(void **state)
{
	(void)state;
	/* Its events may be recorded no more, and others may have filters. */
	memset(&recorded, 0, sizeof(recorded));
	event_set_add(&recorded, 3);
	assert_int_equal(add("g1:sched_*: 1"), 0);
	assert_int_equal(add("g1:sched_*:  1 "), 0);
	assert_null(filters.words);
	event_set_add(&recorded, 0);
	assert_int_equal(add("g1:sched_switch: prio == 1"), 0);
	assert_int_equal(add("g1:sched_*: prio != 1"), -1);
}

static void only_events_that_are_recorded_are_filtered(void **state)
{
	(void)state;
	memset(&recorded, 0, sizeof(recorded));
	event_set_add(&recorded, 2);
	assert_int_equal(add("g1:sched_*: prio == 1"), 0);
	assert_int_equal(strncmp(filters.words, " where=2:", 9), 0);
	assert_int_equal(add("g1:sys_*: id == 1"), -1);
	assert_non_null(strstr(failure.text, "none of the events \"sys_*\" is recorded"));
	assert_int_equal(add("g1:no_*: id == 1"), -1);
	assert_non_null(strstr(failure.text, "\"no_*\" names no event of this kernel"));
}

static void what_a_kernel_cannot_test_is_named_with_its_event(void **state)
{
	(void)state;
	assert_int_equal(add("g1:sys_enter: id == 1 && $cpu == 2"), -1);
	assert_non_null(strstr(failure.text, "--kernel-filter: sys_enter: column 12: $cpu: "));
	clear(NULL);
	record_all(NULL);
	assert_int_equal(add("g1:sys_enter: idd == 1 || id == 5"), -1);
	assert_non_null(strstr(failure.text, "no event has a field idd; the nearest is id"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_has_a_domain_events_and_an_expression),
		cmocka_unit_test_setup_teardown(events_with_the_same_program_share_a_word,
						record_all, clear),
		cmocka_unit_test_setup_teardown(what_always_passes_needs_no_program, record_all,
						clear),
		cmocka_unit_test_setup_teardown(a_filter_that_nothing_can_pass_is_refused,
						record_all, clear),
		cmocka_unit_test_setup_teardown(each_event_has_one_filter, record_all, clear),
		cmocka_unit_test_setup_teardown(the_expression_1_takes_a_filter_back, record_all,
						clear),
		cmocka_unit_test_setup_teardown(only_events_that_are_recorded_are_filtered,
						record_all, clear),
		cmocka_unit_test_setup_teardown(what_a_kernel_cannot_test_is_named_with_its_event,
						record_all, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
