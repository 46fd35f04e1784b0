// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_apps.c - events of applications prove the order as kernels' do, apart
 * from them, with the bound that their clock has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merge_fixture.h"
#include "host/order_check.h"

#define RUNNING  0u
#define RUNNABLE 1u
#define BLOCKED  2u

/* dom0 runs from 100000 to 200000 and from 300000 on; an application of it at 150000, and at
 * @ticks. */
static void merge_app_event(struct merged *merged, uint64_t ticks, bool migrates)
{
	struct synthetic rec;

	synthetic_init(&rec);
	synthetic_add_source(&rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(&rec, "app-server", "app", 0);
	rec.sources[1].migrates = migrates;
	synthetic_vcpu_clock(&rec, 0, 90000, 0, 0, &(struct synthetic_clock){ .is_hvm = false });
	synthetic_runstate(&rec, 0, 100000, 0, 0, RUNNABLE, RUNNING);
	synthetic_app_mark(&rec, "app-server", 0, 150000, 1);
	synthetic_runstate(&rec, 0, 200000, 0, 0, RUNNING, RUNNABLE);
	synthetic_app_mark(&rec, "app-server", 0, ticks, 2);
	synthetic_runstate(&rec, 0, 300000, 0, 0, RUNNABLE, RUNNING);
	synthetic_runstate(&rec, 0, 900000, 0, 0, RUNNING, BLOCKED);
	merge_written(&rec, merged);
	assert_int_equal(merged->status, 0);
}

static void an_application_runs_when_its_vcpu_does(void **state)
{
	struct merged merged;

	(void)state;
	merge_app_event(&merged, 350000, false);
	assert_int_equal(merged.result.order.app.checks, 2);
	assert_int_equal(merged.result.order.app.violations, 0);
	assert_int_equal(merged.result.order.app.slack_before_ticks, 50000 + 12000);
	/* Its counter may have been read 5 us early, which is 12,000 ticks. */
	assert_int_equal(merged.result.bound_ns, 1);
	assert_int_equal(merged.result.app_bound_ns, 5001);
	merged_free(&merged);
	merge_app_event(&merged, 211000, false);
	assert_int_equal(merged.result.order.app.violations, 0);
	merged_free(&merged);
	merge_app_event(&merged, 250000, false);
	assert_int_equal(merged.result.order.app.violations, 1);
	/* Its records do not concern kernels. */
	assert_int_equal(merged.result.order.run.checks, 0);
	assert_int_equal(merged.result.order.run.violations, 0);
	merged_free(&merged);
}

static void threads_that_migrate_in_an_event_prove_nothing(void **state)
{
	struct merged merged;

	(void)state;
	merge_app_event(&merged, 250000, true);
	assert_int_equal(merged.result.order.app.violations, 0);
	assert_int_equal(merged.result.order.app.unchecked, 2);
	merged_free(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_application_runs_when_its_vcpu_does),
		cmocka_unit_test(threads_that_migrate_in_an_event_prove_nothing),
	};

	return cmocka_run_group_tests_name("merge_apps", tests, NULL, NULL);
}
