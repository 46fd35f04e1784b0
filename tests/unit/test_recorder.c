// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder.c - how the recorder shares its time among the rings that it drains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/ring_writer.h>

#include "recorder.h"

#define NR_RINGS 256u

static const struct strata_ring_geometry geo = { .subbuf_bits = 12, .nr_subbufs_bits = 5 };

/* A ring in this process's memory. */
struct test_ring {
	struct ring ring;
	struct strata_ring *writer;
	struct strata_ring_writer_area *writer_area;
	struct strata_ring_reader_area *reader_area;
	unsigned char *data;
};

static void *zeroed(size_t bytes)
{
	void *memory = calloc(1, bytes);

	assert_non_null(memory);
	return memory;
}

static int get(struct ring *ring, struct strata_error *error)
{
	(void)error;
	return strata_reader_get(&ring->reader);
}

static int put(struct ring *ring, struct strata_error *error)
{
	(void)error;
	strata_reader_put(&ring->reader);
	return 0;
}

static void ring_open(struct test_ring *ring, uint32_t cpu)
{
	ring->writer = zeroed(strata_ring_bytes(geo));
	ring->writer_area = zeroed(sizeof(*ring->writer_area));
	ring->reader_area = zeroed(sizeof(*ring->reader_area));
	ring->data = zeroed(strata_data_bytes(geo));
	strata_ring_init(ring->writer, geo, ring->data, ring->writer_area, ring->reader_area, cpu,
			 0);
	assert_int_equal(strata_reader_init(&ring->ring.reader, geo, ring->writer_area,
					    ring->reader_area, ring->data),
			 STRATA_READER_OK);
	ring->ring.cpu = cpu;
	ring->ring.get = get;
	ring->ring.put = put;
}

static void ring_close(struct test_ring *ring)
{
	free(ring->writer);
	free(ring->writer_area);
	free(ring->reader_area);
	free(ring->data);
}

/* All of its sub-buffers are ready, with a record in each. */
static void ring_fill(struct test_ring *ring)
{
	struct strata_slot slot;
	unsigned int i;

	for (i = 0; i < strata_nr_subbufs(geo); i++) {
		assert_true(strata_ring_reserve(ring->writer, 0, sizeof(int32_t) + sizeof(uint32_t),
						&slot));
		memset(slot.payload, 0, sizeof(int32_t) + sizeof(uint32_t));
		strata_ring_commit(ring->writer, &slot);
		strata_ring_flush(ring->writer);
	}
}

static void add_source(struct recorder *recorder, const char *name)
{
	const struct strata_event_desc event = {
		.name = "tick",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	struct strata_source *source =
		strata_recording_add_source(recorder_recording(recorder), name);
	struct strata_error error;

	assert_non_null(source);
	source->layer = STRATA_LAYER_KERNEL;
	assert_int_equal(strata_source_add_event(source, &event, &error), 0);
}

static void many_rings_of_a_guest_do_not_keep_the_recorder_from_the_others(void **state)
{
	static struct test_ring many[NR_RINGS], one;
	char dir[] = "/tmp/strata-recorder-XXXXXX", command[64];
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	uint64_t nr_packets;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = recorder_open(dir, &error);
	assert_non_null(recorder);
	recorder_recording(recorder)->tsc_khz = 1000000;
	add_source(recorder, "many");
	add_source(recorder, "one");
	for (i = 0; i < NR_RINGS; i++) {
		ring_open(&many[i], i);
		assert_int_equal(
			recorder_add_ring(recorder, 0, &many[i].ring, RECORDER_FROM_NOW, &error),
			0);
		ring_fill(&many[i]);
	}
	ring_open(&one, 0);
	assert_int_equal(recorder_add_ring(recorder, 1, &one.ring, RECORDER_FROM_NOW, &error), 0);
	ring_fill(&one);

	/* All of the one ring, and of the many no more than 16 MiB in one pass. */
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	assert_false(strata_reader_ready(&one.ring.reader));
	assert_int_equal(nr_packets, (16u << 20 >> 12) + strata_nr_subbufs(geo));
	/* Nothing is left behind. */
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	assert_int_equal(nr_packets, (16u << 20 >> 12));

	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, (NR_RINGS + 1) * strata_nr_subbufs(geo));
	for (i = 0; i < NR_RINGS; i++)
		ring_close(&many[i]);
	ring_close(&one);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_rings_of_a_guest_do_not_keep_the_recorder_from_the_others),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
