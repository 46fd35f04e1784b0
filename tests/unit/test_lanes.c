// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_lanes.c - the merge of lanes against a plain sort of all events: any number of
 * lanes, random and in bursts, equal times, batches of any size, lanes without an
 * event, and callbacks that give up or want a stop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/lanes.h"

#define BATCH_MAX 64u
#define GIVE_UP   (-1)
#define STOP      1

/* An event as the sort sees it. */
struct item {
	uint64_t ns;
	uint32_t tick;
	size_t lane;
	size_t at; /* in its lane */
};

/* All events of a lane, and how many of them were given out.  A batch is a copy: earlier batches
 * are gone, as with a real reader. */
struct source {
	struct strata_lane_event *events;
	size_t nr, given;
	struct strata_lane_event batch[BATCH_MAX];
	bool ended;
};

struct world {
	struct source *sources;
	struct strata_lane *lanes;
	size_t nr_lanes;
	struct item *taken;
	size_t nr_taken, nr_runs;
	size_t nr_refills;
	size_t fail_refill; /* the refill of that number fails; 0: none */
	size_t stop_after;  /* take() answers @answer once this many events were taken; 0: never */
	int answer;
	uint64_t seed;
};

static uint64_t random_number(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int refill(void *data, size_t at)
{
	struct world *world = data;
	struct source *source = &world->sources[at];
	const size_t left = source->nr - source->given;
	size_t nr = 1 + random_number(&world->seed) % BATCH_MAX;

	/* The last batch must be used up, and a lane that has ended is not asked again. */
	assert_ptr_equal(world->lanes[at].next, world->lanes[at].end);
	assert_false(source->ended);
	if (++world->nr_refills == world->fail_refill)
		return GIVE_UP;
	if (nr > left)
		nr = left;
	memset(source->batch, 0xee, sizeof(source->batch));
	if (nr)
		memcpy(source->batch, source->events + source->given, nr * sizeof(*source->batch));
	source->given += nr;
	source->ended = nr == 0;
	world->lanes[at].next = source->batch;
	world->lanes[at].end = source->batch + nr;
	return 0;
}

static int take(void *data, size_t at, const struct strata_lane_event *events, size_t nr)
{
	struct world *world = data;
	size_t i;

	assert_true(nr > 0);
	world->nr_runs++;
	for (i = 0; i < nr; i++) {
		struct item *item = &world->taken[world->nr_taken++];

		item->ns = events[i].ns;
		item->tick = events[i].tick;
		item->lane = at;
		item->at = events[i].body;
		assert_int_equal(events[i].class, at);
	}
	return world->stop_after && world->nr_taken >= world->stop_after ? world->answer : 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* TICKS: as the ticks of a host, several of which are in each nanosecond. */
enum spread { RANDOM, BURSTS, EQUAL, LAST_TIMES, TICKS };

/* Moves on from an event's time to the next one's: from 0 on, and up to the last that there is. */
static void next_time(struct world *world, enum spread spread, uint64_t *ns, uint32_t *tick)
{
	if (spread == TICKS)
		*tick += (uint32_t)(random_number(&world->seed) % 3);
	if (spread == TICKS && *tick <= STRATA_TICK_MAX)
		return;
	*tick = 0;
	if (*ns < UINT64_MAX - 2)
		*ns += spread == EQUAL ? random_number(&world->seed) % 64 == 0
				       : (spread == TICKS) + random_number(&world->seed) % 3;
	else if (random_number(&world->seed) % 64 == 0)
		*ns = UINT64_MAX;
}

/* Gives @nr events to the lanes; with more than two lanes, every fifth has no events. */
static void fill(struct world *world, size_t nr, enum spread spread)
{
	uint64_t ns = spread == LAST_TIMES ? UINT64_MAX - nr / 2 : 0;
	uint32_t tick = 0;
	size_t i, lane = 0;

	for (i = 0; i < nr; i++) {
		struct strata_lane_event *event;
		struct source *source;

		if (spread != BURSTS || random_number(&world->seed) % 16 == 0)
			lane = random_number(&world->seed) % world->nr_lanes;
		if (world->nr_lanes > 2 && lane % 5 == 3)
			lane--;
		if (i)
			next_time(world, spread, &ns, &tick);
		source = &world->sources[lane];
		source->events = realloc(source->events, (source->nr + 1) * sizeof(*event));
		assert_non_null(source->events);
		event = &source->events[source->nr];
		memset(event, 0, sizeof(*event));
		event->ns = ns;
		event->body = (uint32_t)source->nr++;
		event->class = lane & STRATA_LANE_LOSS;
		event->tick = tick & STRATA_TICK_MAX;
	}
}

static void make_world(struct world *world, size_t nr_lanes, size_t nr_events, enum spread spread,
		       uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->nr_lanes = nr_lanes;
	world->seed = seed;
	world->sources = calloc(nr_lanes + 1, sizeof(*world->sources));
	world->lanes = calloc(nr_lanes + 1, sizeof(*world->lanes));
	world->taken = calloc(nr_events + 1, sizeof(*world->taken));
	assert_true(world->sources && world->lanes && world->taken);
	if (nr_lanes)
		fill(world, nr_events, spread);
}

static struct strata_lanes lanes_of(struct world *world)
{
	return (struct strata_lanes){ .lanes = world->lanes,
				      .nr = world->nr_lanes,
				      .refill = refill,
				      .take = take,
				      .data = world };
}

static int merge(struct world *world)
{
	struct strata_lanes lanes = lanes_of(world);

	return strata_lanes_merge(&lanes);
}

/* The events taken are the beginning of the sorted sequence of all. */
static void check_order(const struct world *world, size_t nr_events)
{
	struct item *sorted = calloc(nr_events + 1, sizeof(*sorted));
	size_t i, j, nr = 0;

	assert_non_null(sorted);
	for (i = 0; i < world->nr_lanes; i++) {
		for (j = 0; j < world->sources[i].nr; j++) {
			sorted[nr].ns = world->sources[i].events[j].ns;
			sorted[nr].tick = world->sources[i].events[j].tick;
			sorted[nr].lane = i;
			sorted[nr++].at = j;
		}
	}
	assert_int_equal(nr, nr_events);
	qsort(sorted, nr, sizeof(*sorted), compare_items);
	assert_true(world->nr_taken <= nr);
	for (i = 0; i < world->nr_taken; i++) {
		if (compare_items(&sorted[i], &world->taken[i]) != 0)
			fail_msg("event %zu of %zu is lane %zu's %zu-th, not lane %zu's %zu-th", i,
				 nr, world->taken[i].lane, world->taken[i].at, sorted[i].lane,
				 sorted[i].at);
	}
	free(sorted);
}

static void end_world(struct world *world)
{
	size_t i;

	for (i = 0; i < world->nr_lanes; i++)
		free(world->sources[i].events);
	free(world->sources);
	free(world->lanes);
	free(world->taken);
}

static const size_t lane_numbers[] = { 1, 2, 3, 8, 9, 100, 257 };

static void it_is_the_order_of_a_sort(void **state)
{
	static const enum spread spreads[] = { RANDOM, BURSTS, EQUAL, LAST_TIMES, TICKS };
	size_t i, j, round;

	(void)state;
	for (i = 0; i < sizeof(lane_numbers) / sizeof(lane_numbers[0]); i++) {
		for (j = 0; j < sizeof(spreads) / sizeof(spreads[0]); j++) {
			for (round = 0; round < 4; round++) {
				const size_t nr = round == 0 ? 7 : 3000;
				struct world world;

				make_world(&world, lane_numbers[i], nr, spreads[j],
					   1 + i * 100 + j * 10 + round);
				assert_int_equal(merge(&world), 0);
				assert_int_equal(world.nr_taken, nr);
				check_order(&world, nr);
				end_world(&world);
			}
		}
	}
}

/* Times as far apart as they can be: the last lane's key is next to that of a lane at its end. */
static void the_last_lane_may_have_the_last_of_all_times(void **state)
{
	size_t nr_lanes, i;

	(void)state;
	for (nr_lanes = 1; nr_lanes <= 64; nr_lanes++) {
		struct world world;

		make_world(&world, nr_lanes, 0, EQUAL, 1 + nr_lanes);
		world.taken = realloc(world.taken, (2 * nr_lanes + 1) * sizeof(*world.taken));
		assert_non_null(world.taken);
		for (i = 0; i < nr_lanes; i++) {
			struct source *source = &world.sources[i];

			free(source->events);
			source->events = calloc(2, sizeof(*source->events));
			assert_non_null(source->events);
			source->nr = 2;
			source->events[0].class = source->events[1].class = i & STRATA_LANE_LOSS;
			source->events[1].body = 1;
			source->events[0].ns = i;
			source->events[1].ns = UINT64_MAX - (nr_lanes - 1 - i);
			source->events[1].tick = STRATA_TICK_MAX;
		}
		assert_int_equal(merge(&world), 0);
		assert_int_equal(world.nr_taken, 2 * nr_lanes);
		check_order(&world, 2 * nr_lanes);
		end_world(&world);
	}
}

static void no_lanes_and_empty_ones_give_nothing(void **state)
{
	static const size_t numbers[] = { 0, 1, 2, 3, 9, 257 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct world world;

		make_world(&world, numbers[i], 0, RANDOM, 5);
		assert_int_equal(merge(&world), 0);
		assert_int_equal(world.nr_taken, 0);
		assert_int_equal(world.nr_refills, numbers[i]);
		end_world(&world);
	}
}

/* Bursts pay off: most of their events come in runs. */
static void a_burst_is_handed_on_as_runs(void **state)
{
	struct world world;

	(void)state;
	make_world(&world, 9, 20000, BURSTS, 11);
	assert_int_equal(merge(&world), 0);
	assert_true(world.nr_runs < 20000 / 3);
	end_world(&world);
}

static void a_refill_that_fails_ends_it(void **state)
{
	size_t i, which;

	(void)state;
	for (i = 0; i < sizeof(lane_numbers) / sizeof(lane_numbers[0]); i++) {
		/* The first ones are made before the first event comes. */
		for (which = 1; which < lane_numbers[i] + 12; which += 1 + which / 4) {
			struct world world;

			make_world(&world, lane_numbers[i], 3000, RANDOM, 3 + which);
			world.fail_refill = which;
			assert_int_equal(merge(&world), -1);
			assert_int_equal(world.nr_refills, which);
			assert_true(world.nr_taken < 3000);
			check_order(&world, 3000);
			end_world(&world);
		}
	}
}

static void a_take_that_wants_no_more_gets_no_more(void **state)
{
	static const int answers[] = { STOP, GIVE_UP };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(lane_numbers) / sizeof(lane_numbers[0]); i++) {
		for (j = 0; j < 2; j++) {
			struct world world;
			size_t runs;

			make_world(&world, lane_numbers[i], 3000, BURSTS, 21 + i);
			world.stop_after = 1000;
			world.answer = answers[j];
			assert_int_equal(merge(&world), answers[j]);
			assert_true(world.nr_taken >= 1000 && world.nr_taken < 1000 + BATCH_MAX);
			runs = world.nr_runs;
			assert_true(runs > 0);
			check_order(&world, 3000);
			end_world(&world);
		}
	}
}

/* Given a merge that pauses behind each run, when it goes on each time, then it is the same merge.
 */
static void a_merge_that_pauses_goes_on_where_it_was(void **state)
{
	static const enum spread spreads[] = { RANDOM, BURSTS, EQUAL, LAST_TIMES, TICKS };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(lane_numbers) / sizeof(lane_numbers[0]); i++) {
		for (j = 0; j < sizeof(spreads) / sizeof(spreads[0]); j++) {
			struct strata_lanes_merge *paused;
			struct strata_lanes lanes;
			struct world world;
			size_t pauses = 0;
			int status;

			make_world(&world, lane_numbers[i], 3000, spreads[j], 31 + i);
			world.stop_after = 1;
			world.answer = STOP;
			lanes = lanes_of(&world);
			paused = strata_lanes_begin(&lanes);
			assert_non_null(paused);
			while ((status = strata_lanes_go_on(paused)) == STOP)
				assert_int_equal(++pauses, world.nr_runs);
			assert_int_equal(status, 0);
			assert_int_equal(strata_lanes_go_on(paused), 0);
			strata_lanes_end(paused);
			assert_int_equal(world.nr_taken, 3000);
			check_order(&world, 3000);
			end_world(&world);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_order_of_a_sort),
		cmocka_unit_test(the_last_lane_may_have_the_last_of_all_times),
		cmocka_unit_test(no_lanes_and_empty_ones_give_nothing),
		cmocka_unit_test(a_burst_is_handed_on_as_runs),
		cmocka_unit_test(a_refill_that_fails_ends_it),
		cmocka_unit_test(a_take_that_wants_no_more_gets_no_more),
		cmocka_unit_test(a_merge_that_pauses_goes_on_where_it_was),
	};

	return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
