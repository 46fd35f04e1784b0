// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline_losses.c - an owner with more losses than its share of a timeline's: further ones
 * are joined, each with the last one of its track, and other owners keep all of theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "outputs/timeline/timeline_data.h"

#define HOSTILE 1u
#define HONEST  2u

static const struct strata_shown shown = { .nr_sources = 0 };
static const struct strata_timeline_options options = { .title = "" };

/* A timeline, and tracks: all of HOSTILE's but the last one, which is HONEST's. */
struct world {
	struct strata_timeline *timeline;
	struct strata_tracks tracks;
	uint64_t now_ns;
};

static struct world begin(size_t nr_tracks)
{
	struct world world = { .tracks.nr = nr_tracks };
	struct strata_error error;
	size_t i;

	world.timeline = strata_timeline_new(&shown, &options, &error);
	world.tracks.all = calloc(nr_tracks, sizeof(*world.tracks.all));
	assert_true(world.timeline && world.tracks.all);
	for (i = 0; i < nr_tracks; i++) {
		struct strata_track *track = calloc(1, sizeof(*track));

		assert_non_null(track);
		track->id = (uint32_t)i;
		track->owner = i + 1 < nr_tracks ? HOSTILE : HONEST;
		world.tracks.all[i] = track;
	}
	return world;
}

static void end(struct world *world)
{
	size_t i;

	for (i = 0; i < world->tracks.nr; i++)
		free(world->tracks.all[i]);
	free(world->tracks.all);
	strata_timeline_free(world->timeline);
}

static void lose(struct world *world, size_t track)
{
	struct strata_track_sink *sink = strata_timeline_sink(world->timeline);
	const struct strata_track_loss loss = { (uint32_t)track, world->now_ns, world->now_ns + 10,
						3 };

	world->now_ns += 100;
	sink->loss(sink, &world->tracks, &loss);
}

/* Counts the retained losses of a track, and the events that they discarded. */
static size_t count(const struct world *world, size_t track, uint64_t *discarded, uint64_t *to_ns)
{
	const struct strata_timeline *timeline = world->timeline;
	size_t i, nr = 0;

	*discarded = 0;
	for (i = 0; i < timeline->nr_losses; i++) {
		if (timeline->losses[i].track != track)
			continue;
		nr++;
		*discarded += timeline->losses[i].discarded;
		*to_ns = timeline->losses[i].to_ns;
	}
	return nr;
}

static void losses_of_one_owner_take_no_places_of_another(void **state)
{
	struct world world = begin(3);
	uint64_t discarded, to_ns, i;

	(void)state;
	for (i = 0; i < 2 * STRATA_TIMELINE_LOSSES; i++)
		lose(&world, i % 2);
	for (i = 0; i < 1000; i++)
		lose(&world, 2);
	assert_int_equal(count(&world, 2, &discarded, &to_ns), 1000);
	assert_int_equal(discarded, 3000);
	assert_int_equal(count(&world, 0, &discarded, &to_ns), STRATA_TIMELINE_LOSSES / 4);
	assert_int_equal(world.timeline->joined_losses, 2 * STRATA_TIMELINE_LOSSES * 3 / 4);
	end(&world);
}

/* The last loss of track 0 is far behind in the table. */
static void a_joined_loss_extends_the_last_one_of_its_track(void **state)
{
	struct world world = begin(3);
	uint64_t discarded, to_ns = 0, i;

	(void)state;
	lose(&world, 0);
	lose(&world, 0);
	for (i = 0; i < STRATA_TIMELINE_LOSSES; i++)
		lose(&world, 1);
	lose(&world, 0);
	assert_int_equal(count(&world, 0, &discarded, &to_ns), 2);
	assert_int_equal(discarded, 9);
	assert_int_equal(to_ns, world.now_ns - 90);
	assert_int_equal(world.timeline->losses[0].discarded, 3);
	end(&world);
}

/* Each loss beyond the share belongs to a track whose last loss is tens of thousands before. */
static void a_bad_order_of_losses_takes_no_longer(void **state)
{
	struct world world = begin(STRATA_TRACKS_MAX / 2);
	const clock_t began = clock();
	uint64_t discarded, to_ns, i;

	(void)state;
	for (i = 0; i < 2000000; i++)
		lose(&world, i % (world.tracks.nr - 1));
	assert_true(clock() - began < 10 * CLOCKS_PER_SEC);
	assert_int_equal(count(&world, 5, &discarded, &to_ns), 1);
	assert_true(discarded >= 3 * (2000000 / world.tracks.nr));
	end(&world);
}

/* Also when all shares are used up: the number of tracks is bounded. */
static void the_first_loss_of_a_track_is_retained(void **state)
{
	struct world world = begin(STRATA_TRACKS_MAX / 2 + 1);
	uint64_t discarded, to_ns, i;

	(void)state;
	for (i = 0; i < STRATA_TIMELINE_LOSSES; i++)
		lose(&world, 0);
	for (i = 0; i + 1 < world.tracks.nr; i++)
		lose(&world, i);
	assert_int_equal(count(&world, world.tracks.nr - 2, &discarded, &to_ns), 1);
	assert_int_equal(world.timeline->nr_losses,
			 STRATA_TIMELINE_LOSSES / 2 + world.tracks.nr - 2);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_of_one_owner_take_no_places_of_another),
		cmocka_unit_test(a_joined_loss_extends_the_last_one_of_its_track),
		cmocka_unit_test(a_bad_order_of_losses_takes_no_longer),
		cmocka_unit_test(the_first_loss_of_a_track_is_retained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
