// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_clock.c - trace_clock.h in every order of its steps: a counter of 8 bits,
 * words of 32, and a time that carries from one word to the other.  Readers nest in an
 * update and the other way round, or are on another CPU that reads the same counter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STRATA_TRACE_CLOCK_WORD uint32_t
#include "../unit/trace_clock.h"

#include "explore.h"
#include "weaken.h"

/* The third look at the counter carries. */
#define START ((1ull << 32) - 2)

static struct strata_trace_clock shared;
static uint64_t count_seen[EXPLORE_CONTEXTS_MAX]; /* without a limit, by each context */

/* The part of the count that the counter shows; each reading finds it one further. */
static uint64_t counter(void)
{
	uint64_t count = strata_clock();

	if (explore_context() >= 0)
		count_seen[explore_context()] = count;
	return count & 0xff;
}

static void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	explore_set_clock(START);
	if (!strata_trace_clock_init(&shared, 8, 0, counter, START))
		explore_complain("the clock was not made");
}

static void end(void)
{
}

static void name_of(uintptr_t at, char *name, size_t bytes)
{
	size_t offset = at - (uintptr_t)&shared;

	if (offset >= sizeof(shared))
		snprintf(name, bytes, "the counter");
	else if (offset >= offsetof(struct strata_trace_clock, newest))
		snprintf(name, bytes, "newest");
	else
		snprintf(name, bytes, "slot[%zu].word[%zu]", offset / 8, offset / 4 % 2);
}

static void reads(void)
{
	uint64_t time = strata_trace_clock_read(&shared, counter);

	if (time != count_seen[explore_context()])
		explore_complain("it is %#llx, and the clock says %#llx",
				 (unsigned long long)count_seen[explore_context()],
				 (unsigned long long)time);
}

static void updates(void)
{
	strata_trace_clock_update(&shared, counter);
}

static void updates_twice(void)
{
	updates();
	updates();
}

static void search(const struct explore_plan *of, struct explore_result *result)
{
	struct explore_plan plan = *of;

	plan.begin = begin;
	plan.end = end;
	plan.name_of = name_of;
	explore_aloud(&plan, result);
}

static const struct explore_plan nested = {
	.name = "an update and a reader nested in readers",
	.nr_contexts = 3,
	.contexts = { { "task", 0, 0, reads }, { "timer", 0, 1, updates }, { "NMI", 0, 2, reads } },
};

static const struct explore_plan other_cpu = {
	.name = "an update while another CPU reads, a store held back",
	.memory = EXPLORE_WEAK,
	.nr_contexts = 2,
	.contexts = { { "timer", 0, 0, updates }, { "reader", 1, 0, reads } },
};

static const struct explore_plan too_many = {
	.name = "two updates nested in a reader",
	.nr_contexts = 2,
	.contexts = { { "task", 0, 0, reads }, { "timer", 0, 1, updates_twice } },
};

static void time_is_exact_in_every_order(void **state)
{
	struct explore_result result;

	(void)state;
	search(&nested, &result);
	assert_string_equal(result.violation, "");
	assert_true(result.exhaustive && result.complete > 10);
	search(&other_cpu, &result);
	assert_string_equal(result.violation, "");
	assert_true(result.exhaustive && result.complete > 10);
}

/* The bound that trace_clock.h states for words of 32 bits. */
static void a_second_update_in_a_reader_is_refuted(void **state)
{
	struct explore_result result;

	(void)state;
	search(&too_many, &result);
	assert_non_null(strstr(result.violation, "the clock says"));
}

static bool is_newest(const volatile void *at)
{
	return at == &shared.newest;
}

static void a_slot_that_is_named_without_a_release_is_refuted(void **state)
{
	static const struct weakness weakness = { .name = "newest is stored without a release",
						  .how = WEAKEN_UNORDERED,
						  .kind = STRATA_CHECK_STORE_RELEASE,
						  .at = is_newest };
	struct explore_result result;

	(void)state;
	weakened = &weakness;
	search(&other_cpu, &result);
	weakened = NULL;
	assert_non_null(strstr(result.violation, "the clock says"));
}

static int share(void **state)
{
	(void)state;
	explore_share(&shared, sizeof(shared));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_exact_in_every_order),
		cmocka_unit_test(a_second_update_in_a_reader_is_refuted),
		cmocka_unit_test(a_slot_that_is_named_without_a_release_is_refuted),
	};

	return cmocka_run_group_tests_name("check_clock", tests, share, NULL);
}
