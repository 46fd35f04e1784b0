// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live_presence.c - a guest that is still recorded claims times to come: whoever follows the
 * recording leaves that out, also when the recorder dies and so never says when it ended.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/live.h"
#include "live_player.h"
#include "synthetic.h"

#define SECOND (SYNTHETIC_TSC_KHZ * 1000ull)
#define BEGIN  SYNTHETIC_ANCHOR_TICKS
#define FAR    (7000000 * SECOND)

static uint64_t now_ticks;

static uint64_t host_clock(void)
{
	return now_ticks;
}

struct follower {
	struct strata_live_sink sink;
	unsigned int events;
	uint64_t last_ns;
};

static int sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
		   struct strata_error *error)
{
	(void)sink;
	(void)set;
	(void)error;
	return 0;
}

static int take(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, bool late,
		struct strata_error *error)
{
	struct follower *follower = (struct follower *)sink;

	(void)stream;
	(void)reader;
	(void)late;
	(void)error;
	follower->events += (unsigned int)nr;
	follower->last_ns = events[nr - 1].ns;
	return 0;
}

struct world {
	struct synthetic rec;
	struct strata_live_table *table;
	int dir; /* locked, as by its recorder */
	struct strata_live *live;
	struct follower follower;
};

/* A guest's packets, at 1, 2, ... s; the third one is forged. */
static void begin(struct world *world)
{
	const struct strata_live_options options = { .patience_ns = UINT64_MAX / 2,
						     .from_beginning = true,
						     .clock = host_clock };
	struct strata_error error = { "" };
	unsigned int i;

	memset(world, 0, sizeof(*world));
	synthetic_init(&world->rec);
	synthetic_add_source(&world->rec, "g1", "kernel", 1);
	for (i = 1; i <= 4; i++) {
		const uint64_t forged = i == 3 ? FAR : 0;

		synthetic_mark(&world->rec, "g1", 0, BEGIN + i * SECOND + forged, i);
		synthetic_close_packet(synthetic_stream(&world->rec, "g1", 0));
	}
	synthetic_write(&world->rec);
	world->table = live_player_make_table(world->rec.dir);
	world->table->generation = 1;
	world->table->nr_slots = 1;
	world->table->slots[0].complete_ticks = BEGIN + SECOND / 2;
	world->dir = open(world->rec.dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(world->dir, LOCK_EX | LOCK_NB), 0);
	world->follower.sink = (struct strata_live_sink){ .sources = sources, .take = take };
	world->live = strata_live_open(world->rec.dir, &options, &error);
	assert_non_null(world->live);
}

/* The recorder has written all that there is, and it is @seconds since the begin. */
static int look_after(struct world *world, unsigned int seconds)
{
	struct strata_error error = { "" };
	int status;

	now_ticks = BEGIN + seconds * SECOND;
	world->table->slots[0].bytes = synthetic_stream(&world->rec, "g1", 0)->nr_bytes;
	world->table->slots[0].complete_ticks = now_ticks;
	status = strata_live_look(world->live, &world->follower.sink, &error);
	if (status < 0)
		fail_msg("%s", error.text);
	return status;
}

static void end(struct world *world)
{
	char path[128];

	strata_live_close(world->live);
	munmap(world->table, sizeof(*world->table));
	close(world->dir);
	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, world->rec.dir);
	unlink(path);
	synthetic_free(&world->rec);
}

static void later_events_of_the_guest_are_not_held_up(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	assert_int_equal(look_after(&world, 10), 0);
	assert_int_equal(world.follower.events, 3);
	end(&world);
}

static void a_recorder_that_dies_leaves_no_time_to_come(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	assert_int_equal(look_after(&world, 10), 0);
	flock(world.dir, LOCK_UN);
	assert_int_equal(look_after(&world, 11), 1);
	assert_true(strata_live_progress(world.live)->died);
	assert_int_equal(world.follower.events, 3);
	assert_true(world.follower.last_ns < SYNTHETIC_ANCHOR_NS + 11000000000ull);
	end(&world);
}

/* Its counter may be another one than ours: the machine may have been booted since. */
static void a_recorder_that_died_long_ago_wrote_times_that_we_cannot_judge(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	flock(world.dir, LOCK_UN);
	assert_int_equal(look_after(&world, 0), 1);
	assert_int_equal(world.follower.events, 4);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_events_of_the_guest_are_not_held_up),
		cmocka_unit_test(a_recorder_that_dies_leaves_no_time_to_come),
		cmocka_unit_test(a_recorder_that_died_long_ago_wrote_times_that_we_cannot_judge),
	};

	return cmocka_run_group_tests_name("live presence", tests, NULL, NULL);
}
