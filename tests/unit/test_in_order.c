// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_in_order.c - observers receive the same events and losses, in the same order, with the same
 * fields, for any number of threads, beside the slices' output and without it; and so do observers
 * that need only the order of each stream.  What slices keep for them has a limit.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/value_hash.h"
#include "outputs/count.h"
#include "outputs_fixture.h"
#include "timeline/in_order.h"

static const struct rich_trace trace = {
	.streams = 3,
	.packets = 20,
	.events = 150,
	.seed = 81,
	.begin_ns = 1700000000123456789ull,
	.step_ns_max = 30000,
	.empty_texts = true,
	.is_lossy = true,
	.env = "hostname = \"h1\"; domain = \"ust\";",
};

static atomic_size_t largest; /* memory that was enlarged to its size */

/* In place of the library's. */
void *realloc(void *memory, size_t bytes)
{
	size_t before = largest;

	while (bytes > before && !atomic_compare_exchange_weak(&largest, &before, bytes))
		;
	return ((void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc"))(memory, bytes);
}

static unsigned int nr_threads; /* that were created */

/* The same. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *data)
{
	nr_threads++;
	return ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
		RTLD_NEXT, "pthread_create"))(thread, attributes, run, data);
}

/* A hash, in order, of everything that an observer received. */
struct seen {
	struct strata_slice_sink sink;
	struct strata_shown_view view;
	struct strata_chain chain;
	uint64_t losses, lost;
	uint64_t last_ns;
	bool is_in_order;
	uint64_t stop_at; /* this many events; 0: never */
	bool is_slow;     /* with the first ones, while later slices are read */
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct seen *seen = (struct seen *)sink;
	struct strata_shown_event *shown = strata_shown_run(&seen->view, stream, reader);
	size_t i;

	(void)error;
	if (seen->is_slow)
		usleep(200000);
	seen->is_slow = false;
	for (i = 0; i < nr; i++) {
		const struct strata_ctf_class *class = &reader->kind->classes[events[i].class];
		uint64_t hash = strata_hash_event(events[i].ns, stream, class->index);
		struct strata_ctf_cursor cursor;

		strata_shown_next(reader, &events[i], shown);
		strata_ctf_event_open(reader, &events[i], &cursor);
		assert_true(strata_ctf_program_fold(&class->program, &cursor, &hash));
		/* The packet's own fields, too. */
		hash = hash * 31 + (shown->packet.type ? shown->packet.cursor.end : 0) + shown->cpu;
		hash = hash * 31 + reader->packet.offset;
		strata_chain_add(&seen->chain, events[i].ns, hash);
		seen->is_in_order &= events[i].ns >= seen->last_ns;
		seen->last_ns = events[i].ns;
	}
	return seen->stop_at && seen->chain.events >= seen->stop_at;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct seen *seen = (struct seen *)sink;

	(void)error;
	(void)reader;
	seen->losses++;
	seen->lost = seen->lost * 31 + loss->discarded + loss->from_ns + loss->to_ns + stream;
	return 0;
}

/* @held_bytes: memory of copies; 0: the usual size */
static struct seen observe(struct outputs_world *world, unsigned int threads,
			   struct strata_chain *counted, uint64_t stop_at, size_t held_bytes)
{
	struct seen seen = { .sink = { .take = take, .lose = lose },
			     .is_in_order = true,
			     .stop_at = stop_at,
			     .is_slow = held_bytes > 0 };
	struct strata_slice_sink *const observers[] = { &seen.sink, &seen.sink };
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = threads,
						      .slice_bytes = held_bytes ? 400000 : 10000,
						      .observers = observers,
						      .nr_observers = 1,
						      .held_bytes = held_bytes };
	struct strata_error error = { "" };

	assert_int_equal(strata_shown_view_init(&seen.view, &world->shown), 0);
	if (counted)
		assert_int_equal(strata_count(&world->set, &options, counted, &error), 0);
	else
		assert_int_equal(strata_slices_run(&world->set, &options, NULL, &error),
				 stop_at > 0);
	strata_shown_view_clear(&seen.view);
	return seen;
}

static void begin(struct outputs_world *world)
{
	struct rich_trace other = trace;
	struct strata_error error;

	other.seed = 82;
	other.streams = 5;
	/* Its packets differ in nothing but what they contain. */
	other.is_lossy = false;
	outputs_begin(world);
	outputs_add(world, "one", &trace);
	outputs_add(world, "two", &other);
	assert_int_equal(strata_shown_init(&world->shown, &world->set, &error), 0);
}

static void any_number_of_threads_tells_the_same(void **state)
{
	struct outputs_world world;
	struct strata_chain counted;
	struct seen one, many;
	unsigned int threads;

	(void)state;
	begin(&world);
	one = observe(&world, 1, &counted, 0, 0);
	assert_int_equal(one.chain.events, 8 * 20 * 150);
	assert_int_equal(counted.events, one.chain.events);
	assert_true(one.is_in_order && one.losses > 10);
	for (threads = 2; threads < 7; threads++) {
		many = observe(&world, threads, threads % 2 ? &counted : NULL, 0, 0);
		assert_true(many.is_in_order);
		assert_int_equal(many.chain.events, one.chain.events);
		assert_int_equal(many.chain.hash, one.chain.hash);
		assert_int_equal(many.losses, one.losses);
		assert_int_equal(many.lost, one.lost);
		if (threads % 2)
			assert_int_equal(counted.events, one.chain.events);
	}
	outputs_end(&world);
}

static void slices_that_wait_keep_no_more_than_the_limit(void **state)
{
	static const size_t limits[] = { 1, 100000 };
	struct outputs_world world;
	struct seen one, many;
	unsigned int i;

	(void)state;
	begin(&world);
	one = observe(&world, 1, NULL, 0, 0);
	for (i = 0; i < 2 * sizeof(limits) / sizeof(limits[0]); i++) {
		largest = 0;
		many = observe(&world, 2 + i, NULL, 0, limits[i / 2]);
		assert_true(largest <= 100000);
		assert_int_equal(many.chain.hash, one.chain.hash);
		assert_int_equal(many.chain.events, one.chain.events);
		assert_int_equal(many.lost, one.lost);
	}
	outputs_end(&world);
}

static void an_observer_can_stop_the_merge(void **state)
{
	struct outputs_world world;
	struct seen seen;

	(void)state;
	begin(&world);
	seen = observe(&world, 4, NULL, 5000, 0);
	assert_true(seen.chain.events >= 5000 && seen.chain.events < 24000);
	outputs_end(&world);
}

#define STREAMS 8u

/* What an observer saw of each stream: a hash over all of it, in order. */
struct seen_streams {
	struct strata_slice_sink sink;
	uint64_t hashes[STREAMS];
	uint64_t calls, events;
};

static int take_of_stream(struct strata_slice_sink *sink, size_t stream,
			  struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			  size_t nr, struct strata_error *error)
{
	struct seen_streams *seen = (struct seen_streams *)sink;
	uint64_t *hash = &seen->hashes[stream];
	size_t i;

	(void)error;
	for (i = 0; i < nr; i++) {
		const struct strata_ctf_class *class = &reader->kind->classes[events[i].class];
		struct strata_ctf_cursor cursor;

		*hash = *hash * 31 +
			strata_hash_event(events[i].ns, reader->packet.offset, class->index);
		strata_ctf_event_open(reader, &events[i], &cursor);
		assert_true(strata_ctf_program_fold(&class->program, &cursor, hash));
	}
	seen->calls++;
	seen->events += nr;
	return 0;
}

static int lose_of_stream(struct strata_slice_sink *sink, size_t stream,
			  struct strata_ctf_reader *reader, const struct strata_loss *loss,
			  struct strata_error *error)
{
	uint64_t *hash = &((struct seen_streams *)sink)->hashes[stream];

	(void)reader;
	(void)error;
	*hash = strata_hash_number(*hash, loss->discarded + loss->from_ns + loss->to_ns);
	return 0;
}

static void an_observer_by_stream_gets_the_same_in_batches(void **state)
{
	struct outputs_world world;
	unsigned int threads;

	(void)state;
	begin(&world);
	for (threads = 1; threads < 7; threads++) {
		struct seen_streams by_stream = { .sink = { .take = take_of_stream,
							    .lose = lose_of_stream,
							    .by_stream = true } };
		struct seen_streams by_time = { .sink = { .take = take_of_stream,
							  .lose = lose_of_stream } };
		struct strata_slice_sink *const observers[] = { &by_stream.sink, &by_time.sink };
		/* Alone on even numbers of threads. */
		const struct strata_slice_options options = { .to_ns = UINT64_MAX,
							      .threads = threads,
							      .slice_bytes = 10000,
							      .observers = observers,
							      .nr_observers = 1 + threads % 2 };
		static uint64_t expected[STREAMS];
		struct strata_error error = { "" };

		assert_int_equal(strata_slices_run(&world.set, &options, NULL, &error), 0);
		if (threads == 1)
			memcpy(expected, by_time.hashes, sizeof(expected));
		assert_memory_equal(by_stream.hashes, expected, sizeof(expected));
		assert_int_equal(by_stream.events, 8 * 20 * 150);
		if (threads % 2 == 0)
			continue;
		assert_memory_equal(by_time.hashes, expected, sizeof(expected));
		assert_true(by_stream.calls * 4 < by_time.calls);
	}
	outputs_end(&world);
}

#define MANY 20000u

static int count(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		 const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)events;
	(void)error;
	((struct seen *)sink)->chain.events += nr;
	return 0;
}

/* Returns how many threads beside this one read the set. */
static unsigned int threads_for(struct outputs_world *world, uint64_t *events)
{
	struct seen seen = { .sink = { .take = count } };
	struct strata_slice_sink *const observers[] = { &seen.sink };
	const struct strata_slice_options options = {
		.to_ns = UINT64_MAX, .threads = 4, .observers = observers, .nr_observers = 1
	};
	struct strata_error error = { "" };

	nr_threads = 0;
	assert_int_equal(strata_slices_run(&world->set, &options, NULL, &error), 0);
	*events = seen.chain.events;
	return nr_threads;
}

static void fewer_threads_read_if_their_readers_need_much_memory(void **state)
{
	struct rich_trace small = trace;
	struct strata_trace_set few;
	struct outputs_world world;
	uint64_t events, all;
	unsigned int i;

	(void)state;
	small.streams = 1;
	small.events = 1;
	outputs_begin(&world);
	outputs_add(&world, "small", &small);
	assert_int_equal(threads_for(&world, &events), 3);
	/* The same stream many times. */
	few = world.set;
	world.set.has_index = false;
	world.set.nr_streams = MANY;
	world.set.streams = calloc(MANY, sizeof(*world.set.streams));
	assert_non_null(world.set.streams);
	for (i = 0; i < MANY; i++)
		world.set.streams[i].stream = few.streams[0].stream;
	assert_int_equal(threads_for(&world, &all), 0);
	assert_int_equal(all, MANY * events);
	free(world.set.streams);
	world.set = few;
	outputs_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_threads_tells_the_same),
		cmocka_unit_test(slices_that_wait_keep_no_more_than_the_limit),
		cmocka_unit_test(an_observer_can_stop_the_merge),
		cmocka_unit_test(an_observer_by_stream_gets_the_same_in_batches),
		cmocka_unit_test(fewer_threads_read_if_their_readers_need_much_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
