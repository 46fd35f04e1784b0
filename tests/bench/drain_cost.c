// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain_cost.c - measures what the recorder pays to take packets from a ring to their file:
 * drain_cost DIR single|commit small|large ROUNDS.  It fills a ring in its own memory, with events
 * of 8 or 512 bytes, and drains it.  Prints the CPU time of an event in the fastest round, and
 * the number of events.  drain.sh counts the instructions of recorder_drain() with callgrind.
 */
#define STRATA_WRITERS_SHARE_CPU 1

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/ring_single.h>
#include <strata/ring_writer.h>

#include "consumerd/recorder.h"
#include "files/apart.h"

#define CONTEXT_BYTES 4u

static const struct strata_ring_geometry geometry = { .subbuf_bits = 18, .nr_subbufs_bits = 4 };
static const struct strata_event_desc events[] = {
	{ .name = "small",
	  .id = 0,
	  .nr_fields = 1,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 8, 1 } } },
	{ .name = "large",
	  .id = 1,
	  .nr_fields = 2,
	  .fields = { { "number", STRATA_FIELD_UNSIGNED, 8, 1 },
		      { "words", STRATA_FIELD_UNSIGNED, 8, 63 } } },
};

struct bench {
	struct ring ring;
	uint32_t event, bytes;
	/* single */
	struct strata_single_area *area;
	unsigned char *data;
	/* commit */
	struct strata_ring *writer;
	struct strata_ring_reader_area *shared;
};

static void die(const char *what)
{
	fprintf(stderr, "drain_cost: %s\n", what);
	exit(1);
}

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(STRATA_PAGE_BYTES, (bytes + 4095) & ~(size_t)4095);

	if (!memory)
		die("out of memory");
	return memset(memory, 0, (bytes + 4095) & ~(size_t)4095);
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

static void open_single(struct bench *bench)
{
	unsigned char *memory = zeroed(strata_single_bytes(geometry));

	bench->area = (struct strata_single_area *)memory;
	bench->data = memory + STRATA_SINGLE_HEAD_BYTES;
	strata_single_init(bench->area, geometry, 0, false);
	bench->ring.is_single = true;
	bench->ring.reader.geo = geometry;
	if (!strata_single_reader_init(&bench->ring.single, geometry, bench->area,
				       strata_single_reader_area(bench->area), bench->data))
		die("no single-store ring");
}

/* Fills all but one sub-buffer, as its writer would.  Returns the events. */
static uint64_t fill_single(struct bench *bench)
{
	const uint32_t bytes = STRATA_RECORD_HEADER_BYTES + CONTEXT_BYTES + bench->bytes;
	const uint64_t subbuf = strata_subbuf_bytes(geometry);
	uint64_t position = bench->area->position, count = 0, offset;
	unsigned int filled;

	for (filled = 0; filled + 1 < strata_nr_subbufs(geometry); filled++) {
		for (offset = STRATA_PACKET_HEADER_BYTES; offset + bytes <= subbuf;
		     offset += bytes) {
			unsigned char *record =
				bench->data + ((position - STRATA_PACKET_HEADER_BYTES + offset) &
					       bench->area->data_mask);

			strata_header_write(record, STRATA_RECORD_HEADER_BYTES, bench->event,
					    strata_clock());
			count++;
		}
		bench->area->closed[strata_subbuf_index(geometry, position)].content_bytes =
			(uint32_t)offset;
		position += subbuf;
	}
	strata_store_release(&bench->area->position, position);
	return count;
}

static void open_commit(struct bench *bench)
{
	struct strata_ring_writer_area *area = zeroed(sizeof(*area));

	bench->writer = zeroed(strata_ring_bytes(geometry));
	bench->shared = zeroed(sizeof(*bench->shared));
	bench->data = zeroed(strata_data_bytes(geometry));
	strata_ring_init(bench->writer, geometry, bench->data, area, bench->shared, 0, 0);
	if (strata_reader_init(&bench->ring.reader, geometry, area, bench->shared, bench->data) !=
	    STRATA_READER_OK)
		die("no ring");
	bench->ring.get = get;
	bench->ring.put = put;
}

static uint64_t fill_commit(struct bench *bench)
{
	struct strata_slot slot;
	uint64_t count = 0;

	while (strata_ring_reserve(bench->writer, bench->event, CONTEXT_BYTES + bench->bytes,
				   &slot)) {
		strata_ring_commit(bench->writer, &slot);
		count++;
	}
	return count;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add_source(struct recorder *recorder)
{
	struct strata_source *source =
		strata_recording_add_source(recorder_recording(recorder), "app");
	struct strata_error error;
	size_t i;

	if (!source)
		die("out of memory");
	source->layer = STRATA_LAYER_KERNEL;
	for (i = 0; i < 2; i++)
		if (strata_source_add_event(source, &events[i], &error))
			die(error.text);
}

/* In place of files/apart.c, whose kind of clone() valgrind does not know: nobody here keeps the
 * directory locked. */
int strata_apart(void (*work)(void *data), void *data, size_t bytes)
{
	(void)bytes;
	work(data);
	return 0;
}

void strata_apart_hurry(bool hurry)
{
	(void)hurry;
}

int main(int argc, char **argv)
{
	struct strata_error error = { "" };
	uint64_t packets, count = 0, all = 0, best = UINT64_MAX, begin;
	struct recorder_totals totals;
	struct recorder *recorder;
	struct bench bench = { .event = 0 };
	int rounds;

	if (argc != 5)
		die("call it as: drain_cost DIR single|commit small|large ROUNDS");
	bench.event = strcmp(argv[3], "large") == 0;
	bench.bytes = bench.event ? 512 : 8;
	if (strcmp(argv[2], "single") == 0)
		open_single(&bench);
	else
		open_commit(&bench);
	recorder = recorder_open(argv[1], OUTPUT_REPLACE, &error);
	if (!recorder)
		die(error.text);
	recorder_recording(recorder)->tsc_khz = 1000000;
	add_source(recorder);
	if (recorder_add_ring(recorder, 0, &bench.ring, RECORDER_WITH_PAST, &error))
		die(error.text);
	for (rounds = atoi(argv[4]); rounds; rounds--) {
		count = bench.area ? fill_single(&bench) : fill_commit(&bench);
		all += count;
		begin = now_ns();
		do {
			if (recorder_drain(recorder, RECORDER_DRAIN_ALL, &packets, &error))
				die(error.text);
		} while (packets);
		begin = (now_ns() - begin) * 1000 / count;
		best = begin < best ? begin : best;
	}
	if (recorder_close(recorder, &totals, &error))
		die(error.text);
	/* Of a commit ring the last round may leave a part of a sub-buffer, which closing takes. */
	if (totals.events != all || totals.bad_packets)
		die("events are missing");
	printf("%.3f ns, %llu events\n", (double)best / 1000, (unsigned long long)all);
	return 0;
}
