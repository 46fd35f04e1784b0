// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select_aggregate.c - what to count, from the words of a command line to tables and rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stratad/select/select_aggregate.h"

static struct aggregate_choice choice;
static struct strata_error failure;

static void counts_are_by_event_or_also_by_domain(void **state)
{
	(void)state;
	assert_int_equal(select_aggregate("count", &choice, &failure), 0);
	assert_int_equal(choice.kind, STRATA_AGGREGATE_COUNT);
	assert_false(choice.by_domain);
	assert_int_equal(select_aggregate("count:domain", &choice, &failure), 0);
	assert_int_equal(choice.kind, STRATA_AGGREGATE_COUNT);
	assert_true(choice.by_domain);
}

static void times_are_between_two_names(void **state)
{
	(void)state;
	assert_int_equal(select_aggregate("time:a..b_c", &choice, &failure), 0);
	assert_int_equal(choice.kind, STRATA_AGGREGATE_TIME);
	assert_string_equal(choice.begin, "a");
	assert_string_equal(choice.end, "b_c");
	assert_false(choice.by_domain);
	assert_int_equal(select_aggregate("time:a..a:domain", &choice, &failure), 0);
	assert_string_equal(choice.end, "a");
	assert_true(choice.by_domain);
}

static void anything_else_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"counts",
		"count:",
		"domain",
		":domain",
		"time",
		"time:",
		"time:a",
		"time:a..",
		"time:..b",
		"time:..",
		"count:vcpu",
		"time:a.b",
		/* A name of 64 characters. */
		"time:0123456789012345678901234567890123456789012345678901234567890123..b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!select_aggregate(wrong[i], &choice, &failure))
			fail_msg("\"%s\" was taken", wrong[i]);
		assert_non_null(strstr(failure.text, "is not something to count"));
	}
}

static void an_event_of_two_ids_is_one(void **state)
{
	struct xen_selection selection = { 0 };
	struct strata_aggregate_spec spec;

	(void)state;
	assert_int_equal(select_aggregate("time:vm_exit..vm_entry:domain", &choice, &failure), 0);
	assert_int_equal(select_aggregate_xen(&choice, &selection, &spec, &failure), 0);
	assert_true(strata_aggregate_valid(&spec));
	assert_int_equal(spec.by_owner, 1);
	/* Of 32 and of 64 bits. */
	assert_int_equal(spec.begin.value, 0x00081002);
	assert_int_equal(spec.begin.mask, STRATA_HV_ID_TRACE & ~0x100u);
	assert_int_equal(spec.end.value, 0x00081001);
	assert_int_equal(spec.end.mask, STRATA_HV_ID_TRACE);
	assert_int_equal(selection.nr, 2);
	assert_int_equal(selection.rules[0].kind, STRATA_HV_RULE_EVENTS);
	assert_int_equal(selection.rules[0].a, spec.begin.value);
	assert_int_equal(selection.rules[0].b, spec.begin.mask);
	assert_int_equal(selection.rules[0].recorded, 1);
	select_xen_clear(&selection);
}

static void an_event_that_xen_lacks_is_named(void **state)
{
	struct xen_selection selection = { 0 };
	struct strata_aggregate_spec spec;

	(void)state;
	assert_int_equal(select_aggregate("time:vm_exit..vm_entr", &choice, &failure), 0);
	assert_int_equal(select_aggregate_xen(&choice, &selection, &spec, &failure), -1);
	assert_non_null(strstr(failure.text, "\"vm_entr\" is no event of Xen"));
	select_xen_clear(&selection);
}

static void tables_have_room_for_all_events_of_some_domains(void **state)
{
	struct xen_selection selection = { 0 };
	struct strata_aggregate_spec spec;

	(void)state;
	assert_int_equal(select_aggregate("count:domain", &choice, &failure), 0);
	assert_int_equal(select_aggregate_xen(&choice, &selection, &spec, &failure), 0);
	assert_true(strata_aggregate_valid(&spec));
	assert_true(strata_aggregate_rows(&spec) >= 16 * 250);
	assert_int_equal(selection.nr, 0);
	select_aggregate_kernel(&choice, &spec);
	assert_true(strata_aggregate_valid(&spec));
	assert_int_equal(spec.by_owner, 0);
	choice.kind = STRATA_AGGREGATE_TIME;
	select_aggregate_kernel(&choice, &spec);
	assert_true(strata_aggregate_valid(&spec));
	assert_int_equal(spec.begin.mask, ~0u);
}

static void events_have_their_names(void **state)
{
	char name[STRATA_EVENT_NAME_BYTES];

	(void)state;
	select_xen_event_name(0x00081102, name);
	assert_string_equal(name, "vm_exit");
	select_xen_event_name(0x00021021, name);
	assert_string_equal(name, "runstate_running_to_blocked");
	select_xen_event_name(0x0800f123, name);
	assert_string_equal(name, "0x0800f123");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_by_event_or_also_by_domain),
		cmocka_unit_test(times_are_between_two_names),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(an_event_of_two_ids_is_one),
		cmocka_unit_test(an_event_that_xen_lacks_is_named),
		cmocka_unit_test(tables_have_room_for_all_events_of_some_domains),
		cmocka_unit_test(events_have_their_names),
	};

	return cmocka_run_group_tests_name("select_aggregate", tests, NULL, NULL);
}
