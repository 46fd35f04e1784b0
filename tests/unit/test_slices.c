// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_slices.c - slices are cut by bytes, and messages about damage come in their order, however
 * threads run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <cmocka.h>

#include "damaged_trace.h"

#define PACKETS 16u

/* Slice 0 begins when slice 1 is through a packet. */
struct slow_first {
	struct strata_slice_work work;
	pthread_mutex_t lock;
	pthread_cond_t is_through;
	size_t taken_by_second; /* events */
};

struct slow_sink {
	struct strata_slice_sink sink;
	struct slow_first *all;
	size_t at;
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct slow_sink *mine = (struct slow_sink *)sink;

	(void)stream;
	(void)reader;
	(void)events;
	(void)error;
	pthread_mutex_lock(&mine->all->lock);
	mine->all->taken_by_second += mine->at == 1 ? nr : 0;
	pthread_cond_signal(&mine->all->is_through);
	pthread_mutex_unlock(&mine->all->lock);
	return 0;
}

static struct strata_slice_sink *begin(struct strata_slice_work *work, size_t at,
				       struct strata_slice_sink *used)
{
	struct slow_first *all = (struct slow_first *)work;
	struct slow_sink *sink = used ? (struct slow_sink *)used : calloc(1, sizeof(*sink));

	assert_non_null(sink);
	sink->sink.take = take;
	sink->all = all;
	sink->at = at;
	pthread_mutex_lock(&all->lock);
	while (at == 0 && all->taken_by_second <= EVENTS)
		pthread_cond_wait(&all->is_through, &all->lock);
	pthread_mutex_unlock(&all->lock);
	return &sink->sink;
}

static int join(struct strata_slice_work *work, struct strata_slice_sink *sink,
		struct strata_error *error)
{
	(void)work;
	(void)sink;
	(void)error;
	return 0;
}

static void end(struct strata_slice_work *work, struct strata_slice_sink *sink)
{
	(void)work;
	free(sink);
}

static void put_damaged_stream(void)
{
	struct bits bits = { 0 };
	unsigned int i;

	put_packets(&bits, PACKETS);
	/* The last event of each packet is of no kind that there is. */
	for (i = 0; i < PACKETS; i++)
		bits_set_u32(&bits,
			     i * PACKET_BYTES + MAKER_HEADER_BYTES + (EVENTS - 1) * EVENT_BYTES,
			     4000000000u);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}

static void damage_of_earlier_slices_is_told_first(void **state)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = 2,
						      .slice_bytes = 4 * PACKET_BYTES };
	struct slow_first all = { .work = { .begin = begin, .join = join, .end = end },
				  .lock = PTHREAD_MUTEX_INITIALIZER,
				  .is_through = PTHREAD_COND_INITIALIZER };
	struct strata_trace_set set = { 0 };
	struct strata_ctf_trace *trace;
	struct strata_error error;
	unsigned long byte, last = 0;
	const char *at;

	(void)state;
	put_damaged_stream();
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	assert_int_equal(strata_slices_run(&set, &options, &all.work, &error), 0);
	assert_true(heard.nr >= PACKETS);
	for (at = strstr(heard.all, ": byte "); at; at = strstr(at + 1, ": byte ")) {
		byte = strtoul(at + strlen(": byte "), NULL, 10);
		/* A slice reads the packet in which it begins a second time. */
		assert_true(byte + PACKET_BYTES > last);
		last = byte > last ? byte : last;
	}
	strata_trace_set_clear(&set);
}

#define SMALL 4000u
#define LARGE 100u

/* One stream has many small packets; another one has few large ones later. */
static void small_packets_do_not_draw_the_cuts(void **state)
{
	static struct strata_ctf_index_place small[SMALL], large[LARGE];
	struct strata_ctf_stream files[] = { { .bytes = SMALL * 100 },
					     { .bytes = (uint64_t)LARGE << 20 } };
	struct strata_set_stream streams[] = {
		{ .stream = &files[0], .index = { small, SMALL, .has_times = true } },
		{ .stream = &files[1], .index = { large, LARGE, .has_times = true } },
	};
	const struct strata_trace_set set = { .streams = streams, .nr_streams = 2 };
	uint64_t cuts[9];
	size_t i;

	(void)state;
	for (i = 0; i < SMALL; i++)
		small[i] = (struct strata_ctf_index_place){ i * 100, 1 + i, 100 };
	for (i = 0; i < LARGE; i++)
		large[i] = (struct strata_ctf_index_place){ i << 20, 100000 + i, 1u << 20 };
	assert_int_equal(strata_trace_set_cut(&set, 10, 0, UINT64_MAX, cuts), 9);
	for (i = 0; i < 9; i++)
		assert_in_range(cuts[i], 100000 + 10 * i + 9, 100000 + 10 * i + 11);
}

/* As sparse files do; the sum has more than 64 bits. */
static void sizes_that_files_claim_make_no_more_cuts(void **state)
{
	enum { FILES = 20, SLICES = 8 };
	static struct strata_ctf_index_place places[FILES];
	static struct strata_ctf_stream files[FILES];
	static struct strata_set_stream streams[FILES];
	const struct strata_trace_set set = { .streams = streams, .nr_streams = FILES };
	uint64_t cuts[FILES] = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < FILES; i++) {
		places[i].begin_ns = 1 + i;
		places[i].bytes = INT64_MAX;
		files[i].bytes = INT64_MAX;
		streams[i].stream = &files[i];
		streams[i].index = (struct strata_ctf_index){ &places[i], 1, .has_times = true };
	}
	assert_in_range(strata_trace_set_cut(&set, SLICES, 0, UINT64_MAX, cuts), 1, SLICES - 1);
	for (i = SLICES - 1; i < FILES; i++)
		assert_int_equal(cuts[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_packets_do_not_draw_the_cuts),
		cmocka_unit_test(sizes_that_files_claim_make_no_more_cuts),
		cmocka_unit_test_setup_teardown(damage_of_earlier_slices_is_told_first, set_up,
						tear_down),
	};

	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
