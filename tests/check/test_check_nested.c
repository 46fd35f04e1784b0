// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_check_nested.c - a ring of one CPU, as Xen and Linux have it, in every order
 * of its steps: writers and flushes nested in one another at any access to memory,
 * against a reader in another domain.
 */
#include "checked_ring.h"

#define LIMIT 3000000ul

static void empty(void)
{
}

static void room_for_one(void)
{
	leave_room(SMALL_BYTES);
}

static void room_for_two(void)
{
	leave_room(2 * SMALL_BYTES);
}

static void room_for_three(void)
{
	leave_room(3 * SMALL_BYTES);
}

static void a_boundary(void)
{
	leave_room(0);
}

static void full_but_for_one(void)
{
	leave_room(0);
	leave_room(SMALL_BYTES);
}

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

#define CONTEXTS(...)                                                      \
	.nr_contexts = sizeof((struct explore_context[]){ __VA_ARGS__ }) / \
		       sizeof(struct explore_context),                     \
	.contexts = { __VA_ARGS__ }, .limit = LIMIT

#define CASE(variable, title, how, before, ...)                                  \
	static const struct ring_case variable = {                               \
		.plan = { .name = title, .memory = how, CONTEXTS(__VA_ARGS__) }, \
		.prepare = before,                                               \
	}
#define DEEP_CASE(variable, title, how, before, ...)                             \
	static const struct ring_case variable = {                               \
		.plan = { .name = title, .memory = how, CONTEXTS(__VA_ARGS__) }, \
		.prepare = before,                                               \
		.deep = true,                                                    \
	}
#define OVERWRITE_CASE(variable, title, how, ...)                                \
	static const struct ring_case variable = {                               \
		.plan = { .name = title, .memory = how, CONTEXTS(__VA_ARGS__) }, \
		.prepare = full_but_for_one,                                     \
		.overwrite = true,                                               \
	}
#define DEEP_OVERWRITE_CASE(variable, title, how, ...)                           \
	static const struct ring_case variable = {                               \
		.plan = { .name = title, .memory = how, CONTEXTS(__VA_ARGS__) }, \
		.prepare = full_but_for_one,                                     \
		.overwrite = true,                                               \
		.deep = true,                                                    \
	}

CASE(nested_writers, "a task, an interrupt and an NMI write where a sub-buffer ends",
     EXPLORE_SEQUENTIAL, room_for_one, TASK(writes), INTERRUPT(writes), NMI(writes));
CASE(nested_first, "they write first in a ring that is empty", EXPLORE_SEQUENTIAL, empty,
     TASK(writes), INTERRUPT(writes), NMI(writes));
CASE(nested_boundary, "they write at a boundary", EXPLORE_SEQUENTIAL, a_boundary, TASK(writes),
     INTERRUPT(writes), NMI(writes));
CASE(nested_flush, "a task writes, an interrupt flushes, an NMI writes", EXPLORE_SEQUENTIAL,
     room_for_two, TASK(writes), INTERRUPT(flushes), NMI(writes));
CASE(nested_losses, "a task, an interrupt and an NMI lose records", EXPLORE_SEQUENTIAL,
     full_but_for_one, TASK(writes_and_loses), INTERRUPT(loses), NMI(writes));

static const struct ring_case nested_losers = {
	.plan = { .name = "a task, an interrupt and an NMI write, or lose",
		  .nr_contexts = 3,
		  .contexts = { TASK(writes), INTERRUPT(writes), NMI(writes) },
		  .limit = LIMIT },
	.prepare = room_for_one,
	.may_lose = true,
};

static const struct ring_case clock_back = {
	.plan = { .name = "an interrupt finds the clock stepped back, an NMI writes",
		  .nr_contexts = 3,
		  .contexts = { TASK(writes), INTERRUPT(steps_the_clock_back), NMI(writes) },
		  .limit = LIMIT },
	.prepare = room_for_two,
	.clock_steps_back = true,
	.may_lose = true,
};

CASE(packet_read, "a packet is read while its end is written", EXPLORE_SEQUENTIAL, room_for_one,
     TASK(writes), INTERRUPT(writes), READER(reads_once));
CASE(packet_flushed, "a packet is read that an interrupt flushes", EXPLORE_SEQUENTIAL, room_for_two,
     TASK(writes), INTERRUPT(flushes), READER(reads_once));
DEEP_CASE(packet_read_deep, "a packet is read while its end is written, and an NMI flushes",
	  EXPLORE_SEQUENTIAL, room_for_one, TASK(writes), INTERRUPT(writes), NMI(flushes),
	  READER(reads_twice));
CASE(packet_read_tso, "likewise", EXPLORE_TSO, room_for_one, TASK(writes), INTERRUPT(writes),
     READER(reads_once));
CASE(packet_read_weak, "likewise", EXPLORE_WEAK, room_for_one, TASK(writes_twice),
     READER(reads_once));
CASE(room_made, "a reader makes room in a full ring", EXPLORE_SEQUENTIAL, full_but_for_one,
     TASK(writes_twice), INTERRUPT(writes), READER(reads_twice));
CASE(room_made_weak, "likewise", EXPLORE_WEAK, full_but_for_one, TASK(writes_twice),
     READER(reads_once));

OVERWRITE_CASE(taken, "a reader takes what nested writers overwrite", EXPLORE_SEQUENTIAL,
	       TASK(writes), INTERRUPT(writes), READER(reads_once));
OVERWRITE_CASE(lapped, "an interrupt laps the ring where a task completes a sub-buffer",
	       EXPLORE_SEQUENTIAL, TASK(writes), INTERRUPT(laps), READER(reads_once));
DEEP_OVERWRITE_CASE(taken_deep, "likewise, with an NMI, and takes once more", EXPLORE_SEQUENTIAL,
		    TASK(writes), INTERRUPT(writes), NMI(writes), READER(reads_twice));
OVERWRITE_CASE(taken_tso, "likewise", EXPLORE_TSO, TASK(writes_twice), READER(reads_twice));
OVERWRITE_CASE(taken_weak, "likewise", EXPLORE_WEAK, TASK(writes_twice), READER(reads_once));

CASE(prefix, "a reader copies the prefix of what is written", EXPLORE_SEQUENTIAL, room_for_three,
     TASK(writes), INTERRUPT(writes), READER(copies_the_prefix));
CASE(prefix_weak, "likewise", EXPLORE_WEAK, room_for_three, TASK(writes_twice),
     READER(copies_the_prefix));
OVERWRITE_CASE(prefix_lapped, "a reader copies a prefix that is overwritten", EXPLORE_SEQUENTIAL,
	       TASK(laps), READER(copies_the_prefix));
OVERWRITE_CASE(prefix_nested, "a reader copies a prefix that an interrupt overwrites",
	       EXPLORE_SEQUENTIAL, TASK(writes), INTERRUPT(laps), READER(copies_the_prefix));

static void writers_nested_in_one_another(void **state)
{
	(void)state;
	assert_holds(&nested_writers);
	assert_holds(&nested_first);
	assert_holds(&nested_boundary);
	assert_holds(&nested_flush);
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

static const struct twin {
	const struct ring_case *of;
	const char *violation; /* a part of what is said */
	struct weakness weakness;
} twins[] = {
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
	{ &nested_losers,
	  "begins before",
	  { .name = "the clock is read before the loop",
	    .how = WEAKEN_STALE,
	    .kind = STRATA_CHECK_CLOCK } },
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
};

static void each_weakness_is_refuted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		assert_refuted(twins[i].of, &twins[i].weakness, twins[i].violation);
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
