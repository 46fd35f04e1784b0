// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_threads.c - a ring that threads share, as an application's that does not
 * write by single stores, in every order of its steps.  An operation is one to all
 * CPUs there; so where a thread runs does not matter, and one that goes to another
 * CPU between its reserve and its commit is one of two that write at the same time.
 */
#include "ring_case.h"

#define ONE(run)                 \
	{                        \
		"one", 0, 0, run \
	}
#define SIGNAL(run)                 \
	{                           \
		"signal", 0, 1, run \
	}
#define OTHER(run)                 \
	{                          \
		"other", 1, 0, run \
	}
#define THIRD(run)                 \
	{                          \
		"third", 2, 0, run \
	}
#define READER(run)                 \
	{                           \
		"reader", 3, 0, run \
	}

static const struct ring_case two_write = {
	.plan = { .name = "two threads write where a sub-buffer ends",
		  CONTEXTS(ONE(writes), OTHER(writes)) },
	.prepare = room_for_one,
};
static const struct ring_case two_write_inside = {
	.plan = { .name = "two threads write in a sub-buffer",
		  CONTEXTS(ONE(writes), OTHER(writes)) },
	.prepare = room_for_three,
};
static const struct ring_case two_write_tso = {
	.plan = { .name = "two threads write in a sub-buffer",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(ONE(writes), OTHER(writes)) },
	.prepare = room_for_three,
};
/* Events of several channels, whose clock is read before the ring is looked at. */
static const struct ring_case two_write_at_a_time = {
	.plan = { .name = "two threads write records of a given time where a sub-buffer ends",
		  CONTEXTS(ONE(writes_at_a_time), OTHER(writes_at_a_time)) },
	.prepare = room_for_one,
};
static const struct ring_case one_writes_at_a_time = {
	.plan = { .name = "of two threads one writes a record of a given time",
		  CONTEXTS(ONE(writes_at_a_time), OTHER(writes)) },
	.prepare = room_for_one,
};
static const struct ring_case two_write_at_a_time_tso = {
	.plan = { .name = "two threads write records of a given time in a sub-buffer",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(ONE(writes_at_a_time), OTHER(writes_at_a_time)) },
	.prepare = room_for_three,
};
static const struct ring_case two_write_tso_deep = {
	.plan = { .name = "two threads write where a sub-buffer ends",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(ONE(writes), OTHER(writes)) },
	.prepare = room_for_one,
	.deep = true,
};
static const struct ring_case two_and_reader = {
	.plan = { .name = "two threads write where a sub-buffer ends, and it is read",
		  CONTEXTS(ONE(writes), OTHER(writes), READER(reads_once)) },
	.prepare = room_for_one,
};
static const struct ring_case three_write = {
	.plan = { .name = "three threads write where a sub-buffer ends",
		  .switches = 2,
		  CONTEXTS(ONE(writes), OTHER(writes), THIRD(writes)) },
	.prepare = room_for_one,
};
static const struct ring_case three_write_deep = {
	.plan = { .name = "three threads write where a sub-buffer ends",
		  CONTEXTS(ONE(writes), OTHER(writes), THIRD(writes)) },
	.prepare = room_for_one,
	.deep = true,
};
static const struct ring_case signal_and_thread = {
	.plan = { .name = "a signal comes while two threads write where a sub-buffer ends",
		  .switches = 1,
		  CONTEXTS(ONE(writes), SIGNAL(writes), OTHER(writes)) },
	.prepare = room_for_one,
};
static const struct ring_case full_ring = {
	.plan = { .name = "two threads write to a full ring, and a reader makes room",
		  CONTEXTS(ONE(writes), OTHER(writes), READER(reads_once)) },
	.prepare = full_but_for_one,
};
static const struct ring_case two_lose = {
	.plan = { .name = "two threads lose a record each",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(ONE(loses), OTHER(loses)) },
	.prepare = room_for_one,
};
static const struct ring_case two_overwrite = {
	.plan = { .name = "two threads overwrite what a reader takes",
		  CONTEXTS(ONE(writes), OTHER(writes), READER(reads_once)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};
static const struct ring_case exchanged = {
	.plan = { .name = "two threads enter a sub-buffer whose page a reader exchanged",
		  .memory = EXPLORE_WEAK,
		  .slow = is_base,
		  CONTEXTS(ONE(writes), OTHER(writes)) },
	.prepare = full_and_a_page_taken,
	.overwrite = true,
};
static const struct ring_case two_and_prefix = {
	.plan = { .name = "a reader looks at what two threads write",
		  CONTEXTS(ONE(writes), OTHER(writes), READER(copies_the_prefix)) },
	.prepare = room_for_three,
};

static const struct ring_case three_and_prefix = {
	.plan = { .name = "a reader looks at what two threads and a signal write",
		  .switches = 2,
		  CONTEXTS(ONE(writes), SIGNAL(writes), OTHER(writes), READER(copies_the_prefix)) },
	.prepare = room_for_three,
};

static void threads_that_share_a_ring(void **state)
{
	(void)state;
	assert_holds(&two_write);
	assert_holds(&two_write_inside);
	assert_holds(&two_write_tso);
	assert_holds(&two_write_at_a_time);
	assert_holds(&one_writes_at_a_time);
	assert_holds(&two_write_at_a_time_tso);
	assert_holds(&two_write_tso_deep);
	assert_holds(&three_write);
	assert_holds(&three_write_deep);
	assert_holds(&signal_and_thread);
	assert_holds(&two_lose);
}

static void threads_and_a_reader(void **state)
{
	(void)state;
	assert_holds(&two_and_reader);
	assert_holds(&full_ring);
	assert_holds(&two_overwrite);
	assert_holds(&exchanged);
	assert_holds(&two_and_prefix);
}

static const struct twin twins[] = {
	{ &two_write_inside,
	  "behind the writer",
	  { .name = "commit is a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_LOCAL_ADD,
	    .at = is_commit_count } },
	{ &two_write,
	  "time runs",
	  { .name = "reserve is a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_LOCAL_CMPXCHG,
	    .at = is_write_count } },
	{ &two_lose,
	  "the reader sees",
	  { .name = "the last look at a counter of losses is a load",
	    .how = WEAKEN_TO_LOAD,
	    .kind = STRATA_CHECK_LOCAL_ADD,
	    .at = is_lost } },
	{ &exchanged,
	  "",
	  { .name = "a page is held without a release",
	    .how = WEAKEN_UNORDERED,
	    .kind = STRATA_CHECK_STORE_RELEASE,
	    .at = is_held } },
};

static void each_weakness_is_refuted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		assert_refuted(&twins[i]);
}

/* Holds while one CPU has all writers: a writer that came in between is done. */
static void a_prefix_that_threads_tell_is_refuted(void **state)
{
	static const struct twin twin = { &three_and_prefix,
					  "a prefix of",
					  { .name = "each commit tells the prefix" } };

	(void)state;
	strata_check_writers_share_cpu = true;
	assert_refuted(&twin);
	strata_check_writers_share_cpu = false;
}

static int open_a_shared_ring(void **state)
{
	strata_check_writers_share_cpu = false;
	return open_the_ring(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_share_a_ring),
		cmocka_unit_test(threads_and_a_reader),
		cmocka_unit_test(each_weakness_is_refuted),
		cmocka_unit_test(a_prefix_that_threads_tell_is_refuted),
	};

	return cmocka_run_group_tests_name("check_threads", tests, open_a_shared_ring,
					   close_the_ring);
}
