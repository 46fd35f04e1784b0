// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live_sources.c - a recorder whose sources come and go while a follower reads it, in one
 * process: the watermark advances, and no event is late.
 */
#include "followed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 30u

struct world {
	char dir[32];
	struct recorder *recorder;
	struct strata_live *live;
	struct strata_live_sink sink;
	uint64_t events; /* handed on, */
	uint64_t late;   /* of them */
	struct strata_error error;
};

static int count(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		 const struct strata_lane_event *events, size_t nr, bool late,
		 struct strata_error *error)
{
	struct world *world = (struct world *)((char *)sink - offsetof(struct world, sink));

	(void)stream;
	(void)reader;
	(void)events;
	(void)error;
	world->events += nr;
	world->late += late ? nr : 0;
	return 0;
}

static void begin(struct world *world)
{
	const struct strata_live_options options = { .patience_ns = UINT64_MAX / 2,
						     .from_beginning = true };

	memset(world, 0, sizeof(*world));
	strcpy(world->dir, "/tmp/strata-sources-XXXXXX");
	assert_non_null(mkdtemp(world->dir));
	world->sink =
		(struct strata_live_sink){ .sources = followed_ignore_sources, .take = count };
	world->recorder = test_open_recorder(world->dir);
	assert_int_equal(recorder_publish(world->recorder, &world->error), 0);
	world->live = strata_live_open(world->dir, &options, &world->error);
	assert_non_null(world->live);
}

/* A source comes, which has written nothing before; with one event in its ring. */
static size_t come(struct world *world, struct test_ring *ring, unsigned int number)
{
	struct strata_recording *recording = recorder_recording(world->recorder);
	char name[16];

	snprintf(name, sizeof(name), "number-%u", number);
	test_add_source(world->recorder, name);
	recording->sources[recording->nr_sources - 1].since_ticks = strata_clock();
	test_ring_open(ring, 0);
	assert_int_equal(recorder_add_ring(world->recorder, recording->nr_sources - 1, &ring->ring,
					   RECORDER_WITH_PAST, &world->error),
			 0);
	test_ring_put(ring, number);
	return recording->nr_sources - 1;
}

static void drain(struct world *world)
{
	uint64_t nr_packets;

	assert_int_equal(
		recorder_drain(world->recorder, RECORDER_DRAIN_SOME, &nr_packets, &world->error),
		0);
}

/* Removes the source: all of its records are in the file, and tables and followers know it. */
static void go(struct world *world, struct test_ring *ring, size_t source)
{
	recorder_leave_source(world->recorder, source, STRATA_SOURCE_EXITED);
	while (recorder_presence(world->recorder, source) == RECORDER_SOURCE_LEAVES)
		drain(world);
	assert_int_equal(recorder_presence(world->recorder, source), RECORDER_SOURCE_IS_GONE);
	test_ring_close(ring);
	assert_int_equal(recorder_save(world->recorder, &world->error), 0);
	drain(world);
}

static void look(struct world *world)
{
	assert_int_equal(strata_live_look(world->live, &world->sink, &world->error), 0);
}

static void end(struct world *world, uint64_t events)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(world->recorder, &totals, &world->error), 0);
	assert_int_equal(totals.events, events);
	assert_int_equal(strata_live_look(world->live, &world->sink, &world->error), 1);
	assert_int_equal(world->events, events);
	assert_int_equal(world->late, 0);
	strata_live_close(world->live);
	test_remove_dir(world->dir);
}

/* A source that was there only between two looks has ended when it is seen: it is not waited for.
 */
static void a_source_that_came_and_went_between_two_looks_is_shown_at_the_second(void **state)
{
	struct test_ring ring;
	struct world world;
	unsigned int i;

	(void)state;
	begin(&world);
	for (i = 0; i < ROUNDS; i++) {
		go(&world, &ring, come(&world, &ring, i));
		look(&world);
		assert_int_equal(world.events, i + 1);
	}
	end(&world, ROUNDS);
}

/* Given that at each look there is a source whose events are all in its ring. */
static void a_source_that_has_just_come_does_not_hide_those_before_it(void **state)
{
	static struct test_ring rings[2];
	size_t source = 0;
	struct world world;
	unsigned int i;

	(void)state;
	begin(&world);
	for (i = 0; i < ROUNDS; i++) {
		const size_t next = come(&world, &rings[i % 2], i);

		if (i > 0)
			go(&world, &rings[(i - 1) % 2], source);
		source = next;
		look(&world);
		/* The one before it has gone. */
		assert_int_equal(world.events, i);
	}
	go(&world, &rings[(ROUNDS - 1) % 2], source);
	end(&world, ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_source_that_came_and_went_between_two_looks_is_shown_at_the_second),
		cmocka_unit_test(a_source_that_has_just_come_does_not_hide_those_before_it),
	};

	return cmocka_run_group_tests_name("live sources", tests, NULL, NULL);
}
