// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_live.c - what the recorder tells those who follow it, in every order of its stores:
 * whoever finds a time has the bytes before it, and the tables that describe these
 * (live_table.h).  The recorder's side is its own file; the other one's loads come in the order of
 * strata_live_look().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/live_publisher.c"

#include "explore.h"
#include "weaken.h"

#define EARLIER 1000u /* ticks up to which the stream was complete, with this many bytes */
#define LATER   2000u

static struct strata_live_table table;
static struct live_publisher publisher;
static bool is_reused; /* slot 0 is free, and another stream's next */

static void begin(void)
{
	memset(&table, 0, sizeof(table));
	publisher = (struct live_publisher){ .table = &table };
	table.magic = STRATA_LIVE_MAGIC;
	table.generation = 1;
	table.nr_slots = 1;
	table.slots[0] = (struct strata_live_slot){ 1, 2, EARLIER, EARLIER };
	if (is_reused)
		table.slots[0].complete_ticks = UINT64_MAX;
}

static void end(void)
{
}

static void name_of(uintptr_t at, char *name, size_t bytes)
{
	snprintf(name, bytes, "the table at %zu", at - (uintptr_t)&table);
}

/* As recorder.c does when a packet came, of an event that no table had described. */
static void publishes(void)
{
	live_publisher_tables(&publisher);
	live_publisher_set(&publisher, 0, LATER, LATER);
}

static void adds(void)
{
	live_publisher_add(&publisher, 3, 4, LATER);
}

static void ends(void)
{
	live_publisher_tables(&publisher);
	live_publisher_end(&publisher, 0, LATER);
}

static void follows(void)
{
	const uint32_t nr = strata_load_acquire(&table.nr_slots);
	uint64_t complete, bytes, generation;
	uint32_t i, source, cpu;

	for (i = 0; i < nr; i++) {
		/* As of slot 1 below, which no stream had before. */
		const bool is_first_one = i == 0 && !is_reused;

		complete = strata_load_acquire(&table.slots[i].complete_ticks);
		bytes = strata_load_acquire(&table.slots[i].bytes);
		source = strata_read_once(&table.slots[i].source);
		cpu = strata_read_once(&table.slots[i].cpu);
		generation = strata_load_acquire(&table.generation);
		if (is_first_one && complete > EARLIER && bytes < LATER)
			explore_complain("complete up to a time without the bytes before it");
		if (is_first_one && complete < UINT64_MAX && bytes > EARLIER && generation < 2)
			explore_complain("bytes that no table describes");
		if (is_first_one && (source != 1 || cpu != 2))
			explore_complain("slot 0 is another stream's");
		if (!is_first_one && complete != UINT64_MAX &&
		    (source != 3 || cpu != 4 || complete != LATER || bytes))
			explore_complain("a slot that is not whole");
	}
}

static void search(const struct explore_plan *of, struct explore_result *result)
{
	struct explore_plan plan = *of;

	plan.begin = begin;
	plan.end = end;
	plan.name_of = name_of;
	explore_aloud(&plan, result);
}

#define TWO(run)                                  \
	.memory = EXPLORE_WEAK, .nr_contexts = 2, \
	.contexts = { { "recorder", 0, 0, run }, { "follower", 1, 0, follows } }

static const struct explore_plan is_published = { .name = "a packet is published while its stream "
							  "is looked at",
						  TWO(publishes) };
static const struct explore_plan is_added = { .name = "a slot is added while all are looked at",
					      TWO(adds) };
static const struct explore_plan is_ended = { .name = "a stream ends while it is looked at",
					      TWO(ends) };

static void whoever_follows_finds_what_he_is_told(void **state)
{
	const struct explore_plan *plans[] = { &is_published, &is_added, &is_ended };
	struct explore_result result;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		search(plans[i], &result);
		assert_string_equal(result.violation, "");
		assert_true(result.exhaustive && result.complete > 2);
	}
	is_reused = true;
	search(&is_added, &result);
	is_reused = false;
	assert_string_equal(result.violation, "");
	assert_true(result.exhaustive && result.complete > 2);
}

static bool is_time(const volatile void *at)
{
	return at == &table.slots[0].complete_ticks;
}

static bool is_bytes(const volatile void *at)
{
	return at == &table.slots[0].bytes;
}

static void a_release_that_is_none_is_refuted(void **state)
{
	static const struct weakness weaknesses[] = {
		{ .name = "the time is stored without a release",
		  .how = WEAKEN_UNORDERED,
		  .kind = STRATA_CHECK_STORE_RELEASE,
		  .at = is_time },
		{ .name = "the bytes are stored without a release",
		  .how = WEAKEN_UNORDERED,
		  .kind = STRATA_CHECK_STORE_RELEASE,
		  .at = is_bytes },
	};
	static const char *const said[] = { "without the bytes", "no table describes" };
	struct explore_result result;
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		weakened = &weaknesses[i];
		search(&is_published, &result);
		weakened = NULL;
		assert_non_null(strstr(result.violation, said[i]));
	}
}

static int share(void **state)
{
	(void)state;
	explore_share(&table, offsetof(struct strata_live_table, slots[4]));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_follows_finds_what_he_is_told),
		cmocka_unit_test(a_release_that_is_none_is_refuted),
	};

	return cmocka_run_group_tests_name("check_live", tests, share, NULL);
}
