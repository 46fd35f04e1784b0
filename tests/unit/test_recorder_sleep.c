// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_sleep.c - a recorder that pauses or falls asleep: when it may, and what its rings'
 * writers see. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "consumerd/recorder_state.h"

#define RECORD_BYTES 20u

static const struct strata_ring_geometry geometry = { 12, 2 };

/* A single-store ring, and its recorder. */
struct sleeper {
	char dir[64], path[128];
	struct ring ring;
	struct strata_single_area *area;
	struct recorder *recorder;
	struct strata_error error;
};

static void begin(struct sleeper *sleeper)
{
	unsigned char *memory = mmap(NULL, strata_single_bytes(geometry), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(sleeper, 0, sizeof(*sleeper));
	strcpy(sleeper->dir, "/tmp/strata-sleep-XXXXXX");
	assert_non_null(mkdtemp(sleeper->dir));
	snprintf(sleeper->path, sizeof(sleeper->path), "%s/recording", sleeper->dir);
	sleeper->area = (struct strata_single_area *)memory;
	strata_single_init(sleeper->area, geometry, 0, false);
	sleeper->ring.is_single = true;
	sleeper->ring.reader.geo = geometry;
	assert_true(strata_single_reader_init(&sleeper->ring.single, geometry, sleeper->area,
					      strata_single_reader_area(sleeper->area),
					      memory + STRATA_SINGLE_HEAD_BYTES));
	sleeper->recorder = test_open_recorder(sleeper->path);
	test_add_source(sleeper->recorder, "one");
	assert_int_equal(recorder_add_ring(sleeper->recorder, 0, &sleeper->ring, RECORDER_WITH_PAST,
					   &sleeper->error),
			 0);
	assert_int_equal(recorder_save(sleeper->recorder, &sleeper->error), 0);
}

static void end(struct sleeper *sleeper)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(sleeper->recorder, &totals, &sleeper->error), 0);
	munmap(sleeper->area, strata_single_bytes(geometry));
	test_remove_dir(sleeper->dir);
}

static uint64_t asleep(const struct sleeper *sleeper)
{
	return strata_single_sleeping(sleeper->area);
}

/* An event, as its section publishes it. */
static void write_event(struct sleeper *sleeper)
{
	const uint64_t ticks = strata_clock();
	const uint32_t id = 0;
	unsigned char *to =
		(unsigned char *)sleeper->area + STRATA_SINGLE_HEAD_BYTES + sleeper->area->position;

	memcpy(to, &id, sizeof(id));
	memcpy(to + sizeof(id), &ticks, sizeof(ticks));
	strata_store_release(&sleeper->area->position, sleeper->area->position + RECORD_BYTES);
}

/* Leaves the sub-buffer. */
static void leave(struct sleeper *sleeper)
{
	const uint64_t position = sleeper->area->position;
	struct strata_single_closed *closed =
		&sleeper->area->closed[strata_subbuf_index(geometry, position)];

	closed->content_bytes = (uint32_t)strata_subbuf_offset(geometry, position);
	strata_store_release(&sleeper->area->position, strata_subbuf_start(geometry, position) +
							       strata_subbuf_bytes(geometry) +
							       STRATA_PACKET_HEADER_BYTES);
}

static void drain(struct sleeper *sleeper)
{
	uint64_t taken;

	assert_int_equal(
		recorder_drain(sleeper->recorder, RECORDER_DRAIN_ALL, &taken, &sleeper->error), 0);
}

static void writers_see_that_it_sleeps(void **state)
{
	struct sleeper sleeper;
	uint64_t first;

	(void)state;
	begin(&sleeper);
	assert_int_equal(asleep(&sleeper), 0);
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	first = asleep(&sleeper);
	assert_int_not_equal(first, 0);
	/* It sleeps on. */
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_equal(asleep(&sleeper), first);
	recorder_awake(sleeper.recorder);
	assert_int_equal(asleep(&sleeper), 0);
	/* Another sleep has another number. */
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_not_equal(asleep(&sleeper), 0);
	assert_int_not_equal(asleep(&sleeper), first);
	end(&sleeper);
}

static void it_does_not_sleep_over_a_full_subbuf(void **state)
{
	struct sleeper sleeper;

	(void)state;
	begin(&sleeper);
	write_event(&sleeper);
	leave(&sleeper);
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_equal(asleep(&sleeper), 0);
	/* A flight recorder takes nothing, so nothing needs to wake it. */
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_NONE));
	assert_int_equal(asleep(&sleeper), 0);
	recorder_awake(sleeper.recorder);
	drain(&sleeper);
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	end(&sleeper);
}

/* Open sub-buffers are taken with the switch timer; without it, at the end. */
static void it_sleeps_over_an_open_subbuf_that_waits_for_the_end(void **state)
{
	struct sleeper sleeper;

	(void)state;
	begin(&sleeper);
	write_event(&sleeper);
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	recorder_awake(sleeper.recorder);
	sleeper.recorder->drain.switch_ticks = UINT64_MAX;
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_equal(asleep(&sleeper), 0);
	end(&sleeper);
}

static void rings_that_cannot_wake_it_keep_it_awake(void **state)
{
	struct sleeper sleeper;
	struct test_ring other;

	(void)state;
	begin(&sleeper);
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	test_ring_open(&other, 1);
	assert_int_equal(recorder_add_ring(sleeper.recorder, 0, &other.ring, RECORDER_FROM_NOW,
					   &sleeper.error),
			 0);
	/* The new ring knows nothing of its sleep. */
	assert_int_equal(asleep(&sleeper), 0);
	assert_int_equal(recorder_save(sleeper.recorder, &sleeper.error), 0);
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_equal(asleep(&sleeper), 0);
	end(&sleeper);
	test_ring_close(&other);
}

static void unsaved_tables_and_a_full_disk_keep_it_awake(void **state)
{
	struct sleeper sleeper;

	(void)state;
	begin(&sleeper);
	sleeper.recorder->unsaved = true;
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	sleeper.recorder->unsaved = false;
	sleeper.recorder->drain.full = true;
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	sleeper.recorder->drain.full = false;
	sleeper.recorder->behind = true;
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	sleeper.recorder->behind = false;
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	end(&sleeper);
}

/* The position of a ring can be anything. */
static void a_ring_that_lies_keeps_it_awake(void **state)
{
	struct sleeper sleeper;

	(void)state;
	begin(&sleeper);
	sleeper.area->position = UINT64_C(1) << 60;
	assert_false(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	/* Once it is known to lie, it is not looked at any more. */
	sleeper.ring.broken = true;
	assert_true(recorder_sleep(sleeper.recorder, RECORDER_DRAIN_SOME));
	assert_int_equal(asleep(&sleeper), 0);
	end(&sleeper);
}

static uint64_t drain_once(struct recorder *recorder)
{
	struct strata_error error;
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	return nr_packets;
}

/* A turn looks at 512 of a user's rings.  Between the rounds the loop may pause. */
static void all_rings_are_looked_at_before_a_pause(void **state)
{
	static struct test_ring many[1100];
	const uint32_t nr = sizeof(many) / sizeof(many[0]);
	char dir[64] = "/tmp/strata-rounds-XXXXXX", path[128];
	struct recorder_totals totals;
	struct recorder *recorder;
	struct strata_error error;
	uint64_t taken = 0;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/recording", dir);
	recorder = test_open_recorder(path);
	test_add_source(recorder, "many");
	for (i = 0; i < nr; i++) {
		test_ring_open(&many[i], i);
		assert_int_equal(
			recorder_add_ring(recorder, 0, &many[i].ring, RECORDER_FROM_NOW, &error),
			0);
	}
	for (i = 0; i < 6; i++) {
		assert_int_equal(drain_once(recorder), 0);
		assert_int_equal(recorder_is_looking(recorder), i % 3 != 2);
		assert_false(recorder_is_behind(recorder));
	}
	test_ring_fill(&many[nr - 1]);
	for (i = 0; i < 6; i++)
		taken += drain_once(recorder);
	assert_int_equal(taken, strata_nr_subbufs(test_ring_geometry));
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	for (i = 0; i < nr; i++)
		test_ring_close(&many[i]);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_see_that_it_sleeps),
		cmocka_unit_test(it_does_not_sleep_over_a_full_subbuf),
		cmocka_unit_test(it_sleeps_over_an_open_subbuf_that_waits_for_the_end),
		cmocka_unit_test(rings_that_cannot_wake_it_keep_it_awake),
		cmocka_unit_test(unsaved_tables_and_a_full_disk_keep_it_awake),
		cmocka_unit_test(a_ring_that_lies_keeps_it_awake),
		cmocka_unit_test(all_rings_are_looked_at_before_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
