// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_rings.c - see recorder_rings.h. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct strata_ring_geometry test_ring_geometry = { .subbuf_bits = 12, .nr_subbufs_bits = 5 };

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

void test_ring_open(struct test_ring *ring, uint32_t cpu)
{
	memset(ring, 0, sizeof(*ring));
	ring->writer = zeroed(strata_ring_bytes(test_ring_geometry));
	ring->writer_area = zeroed(sizeof(*ring->writer_area));
	ring->reader_area = zeroed(sizeof(*ring->reader_area));
	ring->data = zeroed(strata_data_bytes(test_ring_geometry));
	strata_ring_init(ring->writer, test_ring_geometry, ring->data, ring->writer_area,
			 ring->reader_area, cpu, 0);
	assert_int_equal(strata_reader_init(&ring->ring.reader, test_ring_geometry,
					    ring->writer_area, ring->reader_area, ring->data),
			 STRATA_READER_OK);
	ring->ring.cpu = cpu;
	ring->ring.get = get;
	ring->ring.put = put;
}

void test_ring_close(struct test_ring *ring)
{
	free(ring->writer);
	free(ring->writer_area);
	free(ring->reader_area);
	free(ring->data);
}

void test_ring_put(struct test_ring *ring, uint32_t number)
{
	const int32_t tid = 0;
	struct strata_slot slot;

	assert_true(strata_ring_reserve(ring->writer, 0, sizeof(tid) + sizeof(number), &slot));
	memcpy(slot.payload, &tid, sizeof(tid));
	memcpy((char *)slot.payload + sizeof(tid), &number, sizeof(number));
	strata_ring_commit(ring->writer, &slot);
}

void test_ring_write(struct test_ring *ring)
{
	test_ring_put(ring, 0);
	strata_ring_flush(ring->writer);
}

void test_ring_fill(struct test_ring *ring)
{
	unsigned int i;

	for (i = 0; i < strata_nr_subbufs(test_ring_geometry); i++)
		test_ring_write(ring);
}

void test_ring_lose(struct test_ring *ring, unsigned int nr)
{
	struct strata_slot slot;

	while (nr) {
		if (strata_ring_reserve(ring->writer, 0, 8, &slot))
			strata_ring_commit(ring->writer, &slot);
		else
			nr--;
	}
}

void test_add_source(struct recorder *recorder, const char *name)
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

struct recorder *test_open_recorder(const char *dir)
{
	struct strata_error error = { "" };
	struct recorder *recorder = recorder_open(dir, OUTPUT_REPLACE, &error);

	assert_non_null(recorder);
	recorder_recording(recorder)->tsc_khz = 1000000;
	return recorder;
}

void test_remove_dir(const char *dir)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}
