// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live_watermark.c - which time a stream of a recording in progress holds the watermark at,
 * and for how long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/live_watermark.h"

#define PATIENCE   1000u
#define NR_STREAMS 100u

/* A host whose counter counts ns, with streams of sources that are not in the tables. */
struct world {
	struct live_watermark watermark;
	struct live_streams streams;
	struct live_stream *list[NR_STREAMS];
	struct live_stream stream[NR_STREAMS];
	struct strata_source sources[NR_STREAMS];
	unsigned int nr_left_behind;
};

static void count(void *data, const char *message)
{
	struct world *world = data;

	assert_non_null(strstr(message, "no longer waited for"));
	world->nr_left_behind++;
}

static void begin(struct world *world)
{
	size_t i;

	memset(world, 0, sizeof(*world));
	world->watermark.patience_ns = PATIENCE;
	world->streams.streams = world->list;
	world->streams.host.recording.sources = world->sources;
	world->streams.host.timebase.tsc_khz = 1000000;
	world->streams.clocks_ticks = UINT64_MAX;
	world->streams.complain = count;
	world->streams.complain_data = world;
	for (i = 0; i < NR_STREAMS; i++) {
		world->list[i] = &world->stream[i];
		world->stream[i].source = i;
	}
}

/* A stream comes; nothing is known of it. */
static struct live_stream *add(struct world *world)
{
	return &world->stream[world->streams.nr++];
}

static uint64_t at(struct world *world, uint64_t now)
{
	return live_watermark_next(&world->watermark, &world->streams, now);
}

static void a_stream_holds_it_where_it_is_complete_to(void **state)
{
	static struct world world;

	(void)state;
	begin(&world);
	assert_int_equal(at(&world, 10000), 10000);
	add(&world)->complete_ticks = 9990;
	add(&world)->complete_ticks = UINT64_MAX;
	assert_int_equal(at(&world, 10010), 9990);
	world.watermark.delay_ns = 5;
	world.watermark.bound_ns = 3;
	assert_int_equal(at(&world, 10020), 9982);
	assert_int_equal(world.nr_left_behind, 0);
}

static void what_was_there_before_us_is_waited_for_with_all_of_its_past(void **state)
{
	static struct world world;

	(void)state;
	begin(&world);
	add(&world);
	world.streams.host.recording.nr_sources = 1;
	assert_int_equal(at(&world, 10000), 0);
	assert_int_equal(at(&world, 10000 + PATIENCE), 0);
	assert_int_equal(world.nr_left_behind, 0);
	assert_int_equal(at(&world, 10001 + PATIENCE), 10001 + PATIENCE);
	assert_int_equal(world.nr_left_behind, 1);
	/* It goes on. */
	world.stream[0].complete_ticks = 11500;
	assert_int_equal(at(&world, 12000), 11500);
}

static void a_source_that_began_after_the_watermark_does_not_stop_it(void **state)
{
	static struct world world;

	(void)state;
	begin(&world);
	add(&world);
	world.sources[0].since_ticks = 9900;
	world.streams.host.recording.nr_sources = 1;
	assert_int_equal(at(&world, 10000), 9900);
	/* Nor does a stream whose age is published, but which is in no table yet. */
	add(&world);
	world.stream[1].said[0] = (struct live_said){ .at_ticks = 10100, .complete_ticks = 9950 };
	world.stream[1].nr_said = 1;
	world.sources[0].since_ticks = 10050;
	assert_int_equal(at(&world, 10100), 9950);
	/* Events in its file may be older. */
	world.stream[1].said[0].bytes = 1;
	assert_int_equal(at(&world, 10100), 10050);
}

/* Given the first look for a long time, which is usable only at the next one. */
static void
what_the_recorder_said_last_counts_although_the_clocks_are_not_known_up_to_it(void **state)
{
	const uint64_t now = 10000 + 2 * PATIENCE;
	static struct world world;

	(void)state;
	begin(&world);
	world.streams.host.recording.nr_sources = 1;
	add(&world)->complete_ticks = 10000;
	world.stream[0].said[0] = (struct live_said){ .at_ticks = now, .complete_ticks = now - 20 };
	world.stream[0].nr_said = 1;
	world.streams.clocks_ticks = now - 10;
	assert_int_equal(at(&world, now), 10000);
	assert_int_equal(world.nr_left_behind, 0);
	/* Unless the clocks stop. */
	world.streams.clocks_ticks = now - PATIENCE - 1;
	assert_int_equal(at(&world, now), now);
	assert_int_equal(world.nr_left_behind, 1);
}

/* Given programs that never write, each of which comes while the one before it is still waited for.
 */
static void each_next_one_is_waited_for_and_holds_it_no_longer_than_its_own_time(void **state)
{
	static struct world world;
	uint64_t now = 10000, last;
	unsigned int i;

	(void)state;
	begin(&world);
	world.streams.host.recording.nr_sources = NR_STREAMS;
	last = at(&world, now);
	for (i = 0; i < NR_STREAMS; i++) {
		uint64_t watermark;

		add(&world);
		now += PATIENCE / 4;
		watermark = at(&world, now);
		/* The four latest are waited for. */
		assert_int_equal(watermark, i < 4 ? 10000 + PATIENCE / 4 : now - PATIENCE);
		assert_true(watermark >= last);
		last = watermark;
	}
	assert_true(world.nr_left_behind > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_holds_it_where_it_is_complete_to),
		cmocka_unit_test(what_was_there_before_us_is_waited_for_with_all_of_its_past),
		cmocka_unit_test(a_source_that_began_after_the_watermark_does_not_stop_it),
		cmocka_unit_test(
			what_the_recorder_said_last_counts_although_the_clocks_are_not_known_up_to_it),
		cmocka_unit_test(
			each_next_one_is_waited_for_and_holds_it_no_longer_than_its_own_time),
	};

	return cmocka_run_group_tests_name("live watermark", tests, NULL, NULL);
}
