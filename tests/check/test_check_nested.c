// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_nested.c - a ring of one CPU, as Xen and Linux have it, in every order
 * of its steps: writers and flushes nested in one another at any access to memory,
 * against a reader in another domain.
 */
#include "ring_case.h"

/* The clock steps back by more than the case lasts, and a record is written. */
static void steps_the_clock_back(void)
{
	explore_set_clock(CLOCK_START - 100);
	writes();
}

/* Comes back to the sub-buffer that it begins in, in few steps. */
static void laps(void)
{
	flushes();
	writes();
	flushes();
	writes();
}

/* Opens the next sub-buffer, whatever the task is about to open. */
static void opens_another(void)
{
	flushes();
	writes();
}

static void writes_and_loses(void)
{
	writes();
	loses();
}

#define TASK(run)                 \
	{                         \
		"task", 0, 0, run \
	}
#define INTERRUPT(run)                 \
	{                              \
		"interrupt", 0, 1, run \
	}
#define NMI(run)                 \
	{                        \
		"NMI", 0, 2, run \
	}
#define READER(run)                 \
	{                           \
		"reader", 1, 0, run \
	}

static const struct ring_case nested_writers = {
	.plan = { .name = "a task, an interrupt and an NMI write where a sub-buffer ends",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(writes)) },
	.prepare = room_for_one,
};
static const struct ring_case nested_first = {
	.plan = { .name = "they write first in a ring that is empty",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(writes)) },
	.prepare = empty,
};
static const struct ring_case nested_boundary = {
	.plan = { .name = "they write at a boundary",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(writes)) },
	.prepare = a_boundary,
};
static const struct ring_case nested_flush = {
	.plan = { .name = "a task writes, an interrupt flushes, an NMI writes",
		  CONTEXTS(TASK(writes), INTERRUPT(flushes), NMI(writes)) },
	.prepare = room_for_two,
};
static const struct ring_case opened_late = {
	.plan = { .name = "an interrupt opens a sub-buffer while a task opens the one before, and writes on",
		  CONTEXTS(TASK(writes_twice), INTERRUPT(opens_another)) },
	.prepare = a_boundary,
	.overwrite = true,
};
static const struct ring_case clock_given = {
	.plan = { .name = "a task and an interrupt write at times that they have read, an NMI writes",
		  CONTEXTS(TASK(writes_at_a_time), INTERRUPT(writes_at_a_time), NMI(writes)) },
	.prepare = room_for_three,
};
static const struct ring_case clock_given_boundary = {
	.plan = { .name = "likewise, where a sub-buffer ends",
		  CONTEXTS(TASK(writes_at_a_time), INTERRUPT(writes_at_a_time), NMI(writes)) },
	.prepare = room_for_two,
};
static const struct ring_case clock_given_opened = {
	.plan = { .name = "a task writes at a time that it has read, an interrupt opens a sub-buffer",
		  CONTEXTS(TASK(writes_at_a_time), INTERRUPT(opens_another)) },
	.prepare = room_for_two,
	.overwrite = true,
};
static const struct ring_case nested_losses = {
	.plan = { .name = "a task, an interrupt and an NMI lose records",
		  CONTEXTS(TASK(writes_and_loses), INTERRUPT(loses), NMI(writes)) },
	.prepare = full_but_for_one,
};

static const struct ring_case nested_losers = {
	.plan = { .name = "a task, an interrupt and an NMI write, or lose",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(writes)) },
	.prepare = room_for_one,
	.may_lose = true,
};

static const struct ring_case clock_back = {
	.plan = { .name = "an interrupt finds the clock stepped back, an NMI writes",
		  CONTEXTS(TASK(writes), INTERRUPT(steps_the_clock_back), NMI(writes)) },
	.prepare = room_for_two,
	.clock_steps_back = true,
	.may_lose = true,
};

static const struct ring_case packet_read = {
	.plan = { .name = "a packet is read while its end is written",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), READER(reads_once)) },
	.prepare = room_for_one,
};
static const struct ring_case packet_flushed = {
	.plan = { .name = "a packet is read that an interrupt flushes",
		  CONTEXTS(TASK(writes), INTERRUPT(flushes), READER(reads_once)) },
	.prepare = room_for_two,
};
static const struct ring_case packet_read_deep = {
	.plan = { .name = "a packet is read while its end is written, and an NMI flushes",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(flushes), READER(reads_twice)) },
	.prepare = room_for_one,
	.deep = true,
};
static const struct ring_case packet_read_tso = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(TASK(writes), INTERRUPT(writes), READER(reads_once)) },
	.prepare = room_for_one,
};
static const struct ring_case packet_read_weak = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_WEAK,
		  CONTEXTS(TASK(writes_twice), READER(reads_once)) },
	.prepare = room_for_one,
};
static const struct ring_case room_made = {
	.plan = { .name = "a reader makes room in a full ring",
		  CONTEXTS(TASK(writes_twice), INTERRUPT(writes), READER(reads_twice)) },
	.prepare = full_but_for_one,
};
static const struct ring_case room_made_weak = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_WEAK,
		  CONTEXTS(TASK(writes_twice), READER(reads_once)) },
	.prepare = full_but_for_one,
};

static const struct ring_case taken = {
	.plan = { .name = "a reader takes what nested writers overwrite",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), READER(reads_once)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};
static const struct ring_case lapped = {
	.plan = { .name = "an interrupt laps the ring where a task completes a sub-buffer",
		  CONTEXTS(TASK(writes), INTERRUPT(laps), READER(reads_once)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};
static const struct ring_case taken_deep = {
	.plan = { .name = "likewise, with an NMI, and takes once more",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), NMI(writes), READER(reads_twice)) },
	.prepare = full_but_for_one,
	.overwrite = true,
	.deep = true,
};
static const struct ring_case taken_tso = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_TSO,
		  CONTEXTS(TASK(writes_twice), READER(reads_twice)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};
static const struct ring_case taken_weak = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_WEAK,
		  CONTEXTS(TASK(writes_twice), READER(reads_once)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};

static const struct ring_case prefix = {
	.plan = { .name = "a reader copies the prefix of what is written",
		  CONTEXTS(TASK(writes), INTERRUPT(writes), READER(copies_the_prefix)) },
	.prepare = room_for_three,
};
static const struct ring_case prefix_weak = {
	.plan = { .name = "likewise",
		  .memory = EXPLORE_WEAK,
		  CONTEXTS(TASK(writes_twice), READER(copies_the_prefix)) },
	.prepare = room_for_three,
};
static const struct ring_case prefix_lapped = {
	.plan = { .name = "a reader copies a prefix that is overwritten",
		  CONTEXTS(TASK(laps), READER(copies_the_prefix)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};
static const struct ring_case prefix_nested = {
	.plan = { .name = "a reader copies a prefix that an interrupt overwrites",
		  CONTEXTS(TASK(writes), INTERRUPT(laps), READER(copies_the_prefix)) },
	.prepare = full_but_for_one,
	.overwrite = true,
};

static void writers_nested_in_one_another(void **state)
{
	(void)state;
	assert_holds(&nested_writers);
	assert_holds(&nested_first);
	assert_holds(&nested_boundary);
	assert_holds(&nested_flush);
	assert_holds(&opened_late);
	assert_holds(&clock_given);
	assert_holds(&clock_given_boundary);
	assert_holds(&clock_given_opened);
	assert_holds(&nested_losses);
	assert_holds(&clock_back);
}

static void writers_and_a_reader(void **state)
{
	(void)state;
	assert_holds(&packet_read);
	assert_holds(&packet_flushed);
	assert_holds(&packet_read_deep);
	assert_holds(&packet_read_tso);
	assert_holds(&packet_read_weak);
	assert_holds(&room_made);
	assert_holds(&room_made_weak);
}

static void writers_that_overwrite_and_a_reader(void **state)
{
	(void)state;
	assert_holds(&taken);
	assert_holds(&lapped);
	assert_holds(&taken_deep);
	assert_holds(&taken_tso);
	assert_holds(&taken_weak);
}

static void a_reader_of_what_is_committed(void **state)
{
	(void)state;
	assert_holds(&prefix);
	assert_holds(&prefix_weak);
	assert_holds(&prefix_lapped);
	assert_holds(&prefix_nested);
}

static void what_is_left_off_shows_nothing_new(void **state)
{
	(void)state;
	assert_nothing_missed(&nested_writers);
}

static const struct twin twins[] = {
	{ &nested_writers,
	  "are not published",
	  { .name = "commit is a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_LOCAL_ADD,
	    .at = is_commit_count } },
	{ &nested_writers,
	  "are not published",
	  { .name = "reserve is a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_LOCAL_CMPXCHG,
	    .at = is_write_count } },
	{ &opened_late,
	  "are not published",
	  { .name = "the open sub-buffer is guessed, and the guess is not tested",
	    .how = WEAKEN_ELSEWHERE,
	    .kind = STRATA_CHECK_LOAD_ACQUIRE,
	    .at = is_held,
	    .behind = true,
	    .behind_kind = STRATA_CHECK_READ_ONCE,
	    .elsewhere = start_of_the_open } },
	{ &nested_losers,
	  "begins before",
	  { .name = "the clock is read before the loop",
	    .how = WEAKEN_STALE,
	    .kind = STRATA_CHECK_CLOCK } },
	{ &clock_given,
	  "time runs",
	  { .name = "newest_ticks is not raised before the clock that was read is compared",
	    .how = WEAKEN_SKIPPED,
	    .kind = STRATA_CHECK_LOCAL_CMPXCHG,
	    .at = is_newest_ticks } },
	{ &clock_back,
	  "time runs",
	  { .name = "newest_ticks is not raised",
	    .how = WEAKEN_SKIPPED,
	    .kind = STRATA_CHECK_LOCAL_CMPXCHG,
	    .at = is_newest_ticks } },
	{ &nested_boundary,
	  "though there is room",
	  { .name = "no second look at write_count before a loss",
	    .how = WEAKEN_STALE,
	    .kind = STRATA_CHECK_READ_ONCE,
	    .at = is_write_count,
	    .behind = true,
	    .behind_kind = STRATA_CHECK_LOAD_ACQUIRE } },
	{ &nested_writers,
	  "commit seq is stale",
	  { .name = "no second look at commit_count after a publication",
	    .how = WEAKEN_STALE,
	    .kind = STRATA_CHECK_READ_ONCE,
	    .at = is_commit_count } },
	{ &prefix_nested,
	  "a prefix of",
	  { .name = "the ring's own commit seq is published first",
	    .how = WEAKEN_SWAPPED,
	    .kind = STRATA_CHECK_STORE_RELEASE,
	    .at = is_shared_commit_seq } },
	{ &lapped,
	  "",
	  { .name = "a turn begins when the one before is committed, not delivered",
	    .how = WEAKEN_ELSEWHERE,
	    .kind = STRATA_CHECK_LOAD_ACQUIRE,
	    .at = is_commit_seq,
	    .elsewhere = commit_count_beside } },
	{ &taken,
	  "time runs",
	  { .name = "a page is held by a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_FETCH_ADD,
	    .at = is_table } },
	{ &taken,
	  "time runs",
	  { .name = "a page is exchanged by a load and a store",
	    .how = WEAKEN_IN_TWO,
	    .kind = STRATA_CHECK_CMPXCHG,
	    .at = is_table } },
	{ &prefix_weak,
	  "a prefix of",
	  { .name = "commit seq is stored without a release",
	    .how = WEAKEN_UNORDERED,
	    .kind = STRATA_CHECK_STORE_RELEASE,
	    .at = is_shared_commit_seq } },
	{ &prefix_lapped,
	  "a prefix of",
	  { .name = "no second look at a prefix",
	    .how = WEAKEN_STALE,
	    .kind = STRATA_CHECK_READ_ONCE,
	    .at = is_shared_commit_seq,
	    .behind = true,
	    .behind_kind = STRATA_CHECK_COPY } },
	{ &nested_losses,
	  "does not end",
	  { .name = "a full ring is waited for",
	    .how = WEAKEN_ELSEWHERE,
	    .kind = STRATA_CHECK_READ_ONCE,
	    .at = is_write_count,
	    .behind = true,
	    .behind_kind = STRATA_CHECK_LOAD_ACQUIRE,
	    .elsewhere = read_count_instead } },
};

static void each_weakness_is_refuted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		assert_refuted(&twins[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_nested_in_one_another),
		cmocka_unit_test(writers_and_a_reader),
		cmocka_unit_test(writers_that_overwrite_and_a_reader),
		cmocka_unit_test(a_reader_of_what_is_committed),
		cmocka_unit_test(what_is_left_off_shows_nothing_new),
		cmocka_unit_test(each_weakness_is_refuted),
	};

	return cmocka_run_group_tests_name("check_nested", tests, open_the_ring, close_the_ring);
}
