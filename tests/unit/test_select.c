// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select.c - which events of kernels a command line asks for: --kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../dom0-tools/strata/select.h"

#define NR_EVENTS(events) (sizeof(events) / sizeof((events)[0]))

static const struct strata_event_desc kernel_events[] = {
	{ .id = 1, .name = "sched_switch" }, { .id = 2, .name = "sched_wakeup" },
	{ .id = 3, .name = "irq_entry" },    { .id = 4, .name = "irq_exit" },
	{ .id = 5, .name = "syscall" },
};

static struct strata_error failure;

static uint64_t kernel_mask(const char *patterns)
{
	uint64_t mask = 0;

	assert_int_equal(select_kernel_events(patterns, kernel_events, NR_EVENTS(kernel_events),
					      &mask, &failure),
			 0);
	return mask;
}

static void a_kernel_is_named_with_or_without_events(void **state)
{
	struct kernel_selection selection;

	(void)state;
	assert_int_equal(select_parse_kernel("g1:sched_*,irq_*", &selection, &failure), 0);
	assert_string_equal(selection.domain, "g1");
	assert_string_equal(selection.events, "sched_*,irq_*");
	assert_false(selection.found);
	assert_int_equal(select_parse_kernel("g1", &selection, &failure), 0);
	assert_string_equal(selection.domain, "g1");
	assert_string_equal(selection.events, "all");
	/* The last colon divides: names of domains may hold one. */
	assert_int_equal(select_parse_kernel("a:b:all", &selection, &failure), 0);
	assert_string_equal(selection.domain, "a:b");
}

static void a_kernel_without_a_domain_or_events_is_refused(void **state)
{
	struct kernel_selection selection;
	char longest[sizeof(selection.domain) + 1];

	(void)state;
	assert_int_equal(select_parse_kernel("", &selection, &failure), -1);
	assert_int_equal(select_parse_kernel(":all", &selection, &failure), -1);
	assert_int_equal(select_parse_kernel("g1:", &selection, &failure), -1);
	assert_non_null(strstr(failure.text, "DOMAIN:EVENTS"));

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(selection.domain)] = '\0';
	assert_int_equal(select_parse_kernel(longest, &selection, &failure), -1);
	longest[sizeof(selection.domain) - 1] = '\0';
	assert_int_equal(select_parse_kernel(longest, &selection, &failure), 0);
	assert_string_equal(selection.domain, longest);
}

static bool names(const char *argument, uint32_t domain, const char *name)
{
	struct kernel_selection selection;

	assert_int_equal(select_parse_kernel(argument, &selection, &failure), 0);
	return select_matches_domain(&selection, domain, name);
}

static void a_domain_matches_by_name_number_or_pattern(void **state)
{
	(void)state;
	assert_true(names("g1", 5, "g1"));
	assert_true(names("5", 5, "g1"));
	assert_true(names("*", 5, "g1"));
	assert_true(names("g?", 5, "g1"));
	assert_true(names("dom0", 0, "Domain-0"));
	assert_true(names("0", 0, "Domain-0"));
	assert_false(names("g1", 5, "g11"));
	assert_false(names("5", 15, "g1"));
	assert_false(names("dom0", 5, "g1"));
	assert_true(names("4294967295", UINT32_MAX, "g1"));
}

static void patterns_of_a_kernel_choose_events_by_their_place(void **state)
{
	(void)state;
	assert_int_equal(kernel_mask("sched_*"), 3);
	assert_int_equal(kernel_mask("sched_*,irq_*"), 15);
	assert_int_equal(kernel_mask("syscall"), 16);
	assert_int_equal(kernel_mask("all"), 31);
	assert_int_equal(kernel_mask("*"), 31);
	assert_int_equal(kernel_mask("irq_exit,irq_exit"), 8);
}

static void a_pattern_that_names_no_event_is_refused(void **state)
{
	uint64_t mask;
	char longest[256];

	(void)state;
	assert_int_equal(select_kernel_events("sched_*,none_*", kernel_events, 5, &mask, &failure),
			 -1);
	assert_non_null(strstr(failure.text, "\"none_*\""));
	assert_int_equal(select_kernel_events("", kernel_events, 5, &mask, &failure), -1);
	assert_int_equal(select_kernel_events("irq_*,", kernel_events, 5, &mask, &failure), -1);
	assert_int_equal(select_kernel_events("all", kernel_events, 0, &mask, &failure), -1);
	memset(longest, '*', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(select_kernel_events(longest, kernel_events, 5, &mask, &failure), -1);
	assert_non_null(strstr(failure.text, "too long"));
}

static void a_table_of_more_than_64_events_sets_64_bits(void **state)
{
	static struct strata_event_desc many[80];
	uint64_t mask = 0;
	size_t i;

	(void)state;
	for (i = 0; i < NR_EVENTS(many); i++)
		strcpy(many[i].name, i == 70 ? "late" : "early");
	assert_int_equal(select_kernel_events("all", many, NR_EVENTS(many), &mask, &failure), 0);
	assert_true(mask == UINT64_MAX);
	assert_int_equal(select_kernel_events("late", many, NR_EVENTS(many), &mask, &failure), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_named_with_or_without_events),
		cmocka_unit_test(a_kernel_without_a_domain_or_events_is_refused),
		cmocka_unit_test(a_domain_matches_by_name_number_or_pattern),
		cmocka_unit_test(patterns_of_a_kernel_choose_events_by_their_place),
		cmocka_unit_test(a_pattern_that_names_no_event_is_refused),
		cmocka_unit_test(a_table_of_more_than_64_events_sets_64_bits),
	};

	return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
