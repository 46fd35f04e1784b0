// SPDX-License-Identifier: GPL-2.0-or-later
/* test_trigger_owners.c - whose condition a trigger has acted for, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <strata/event.h>

#include "stratad/trigger/trigger_owners.h"

static const struct strata_aggregate_spec spec;
static const struct strata_event_desc event;

/* A row of the kernel of a domain. */
static struct aggregate_source of_kernel(const char *name, uint32_t number)
{
	return (struct aggregate_source){
		.name = name, .spec = &spec, .domain = number, .events = &event, .nr_events = 1
	};
}

static void a_domain_that_reboots_stays_the_same(void **state)
{
	const struct aggregate_look look = { .nr_sources = 3 };
	const struct aggregate_source g1 = of_kernel("g1", 5), again = of_kernel("g1", 6);
	const struct aggregate_source g2 = of_kernel("g2", 5);
	const struct aggregate_row row = { .source = &g1 }, rebooted = { .source = &again };
	const struct aggregate_row other = { .source = &g2 };
	struct trigger_owners owners = { .max = 2 };
	size_t index;

	(void)state;
	assert_false(trigger_owners_pauses(&owners, &look, &row, 100));
	assert_int_equal(trigger_owners_begin(&owners, &look, &row, &index), 0);
	/* Until its action has ended. */
	assert_true(trigger_owners_pauses(&owners, &look, &row, UINT64_MAX - 1));
	trigger_owners_end(&owners, index, 200);
	assert_true(trigger_owners_pauses(&owners, &look, &row, 199));
	assert_true(trigger_owners_pauses(&owners, &look, &rebooted, 199));
	assert_false(trigger_owners_pauses(&owners, &look, &rebooted, 200));
	assert_false(trigger_owners_pauses(&owners, &look, &other, 199));
	/* Its last action. */
	assert_int_equal(trigger_owners_begin(&owners, &look, &rebooted, &index), 0);
	trigger_owners_end(&owners, index, 300);
	assert_true(trigger_owners_pauses(&owners, &look, &row, 1000));
	assert_false(trigger_owners_pauses(&owners, &look, &other, 1000));
	assert_int_equal(owners.nr, 1);
	trigger_owners_free(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_that_reboots_stays_the_same),
	};

	return cmocka_run_group_tests_name("trigger owners", tests, NULL, NULL);
}
