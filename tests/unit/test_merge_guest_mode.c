// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_guest_mode.c - the tighter proof that an HVM or PVH guest allows: its
 * events lie between VM entry and exit, where the hypervisor has recorded both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "merge_fixture.h"

static void events_lie_between_vm_entry_and_exit(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	merge_build_turns(&rec, NULL);
	synthetic_mark(&rec, "g1", 0, 1040, 1);
	synthetic_mark(&rec, "g1", 0, 1970, 1);
	synthetic_mark(&rec, "g1", 0, 3500, 1);
	synthetic_write(&rec);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.result.order.guest_mode.checks, 3);
	assert_int_equal(merged.result.order.guest_mode.violations, 0);
	assert_int_equal(merged.result.order.guest_mode.slack_before_ticks, 40);
	assert_int_equal(merged.result.order.guest_mode.slack_after_ticks, 30);
	assert_int_equal(merged.result.order.run.checks, 3);
	merged_free(&merged);

	/* A shift that leaves the vCPU running is seen by its entries alone. */
	merge_directory(&merged, rec.dir, "g1", 31);
	assert_int_equal(merged.result.order.guest_mode.violations, 1);
	assert_string_equal(merged.result.order.guest_mode.named[0].state, "in the hypervisor");
	assert_int_equal(merged.result.order.guest_mode.named[0].late_ticks, 1);
	assert_int_equal(merged.result.order.guest_mode.named[0].early_ticks, 999);
	assert_int_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
	synthetic_free(&rec);
}

/* An event at 2500, where the guest ran and neither its entry nor its exit was recorded. */
static void merge_with_a_gap(struct merged *merged, const struct merge_notice *notices)
{
	struct synthetic rec;

	merge_build_turns(&rec, notices);
	synthetic_mark(&rec, "g1", 0, 1500, 1);
	synthetic_mark(&rec, "g1", 0, 2500, 1);
	synthetic_mark(&rec, "g1", 0, 3500, 1);
	synthetic_write(&rec);
	merge_directory(merged, rec.dir, NULL, 0);
	synthetic_free(&rec);
}

static void entries_that_were_refused_are_no_violation(void **state)
{
	const struct strata_hv_budget refusal = { .domain = 1, .refused = 1, .refused_total = 1 };
	const struct merge_notice notices[] = {
		{ (uint32_t)STRATA_HV_BUDGET, &refusal, sizeof(refusal) },
		{ (uint32_t)STRATA_HV_BUDGET, &refusal, sizeof(refusal) },
	};
	struct merged merged;

	(void)state;
	merge_with_a_gap(&merged, NULL);
	assert_int_equal(merged.result.order.guest_mode.violations, 1);
	merged_free(&merged);
	merge_with_a_gap(&merged, notices);
	assert_int_equal(merged.result.order.guest_mode.violations, 0);
	assert_int_equal(merged.result.order.guest_mode.checks, 1);
	assert_int_equal(merged.result.order.guest_mode.unchecked, 2);
	/* Runstates are never refused. */
	assert_int_equal(merged.result.order.run.checks, 3);
	merged_free(&merged);
}

static void entries_that_were_not_selected_are_no_violation(void **state)
{
	const struct strata_hv_selection begin = { .changed = 0 }, end = { .changed = 1 };
	const struct merge_notice notices[] = {
		{ (uint32_t)STRATA_HV_SELECTION, &begin, sizeof(begin) },
		{ (uint32_t)STRATA_HV_SELECTION, &end, sizeof(end) },
	};
	struct merged merged;

	(void)state;
	merge_with_a_gap(&merged, notices);
	assert_int_equal(merged.result.order.guest_mode.violations, 0);
	/* Before the change and behind it all is checked again. */
	assert_int_equal(merged.result.order.guest_mode.checks, 2);
	assert_int_equal(merged.result.order.guest_mode.unchecked, 1);
	merged_free(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_lie_between_vm_entry_and_exit),
		cmocka_unit_test(entries_that_were_refused_are_no_violation),
		cmocka_unit_test(entries_that_were_not_selected_are_no_violation),
	};

	return cmocka_run_group_tests_name("merge_guest_mode", tests, NULL, NULL);
}
