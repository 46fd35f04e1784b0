// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - what an event costs in the core, in turns with what the clock costs (x86):
 * 8 bytes of payload, one thread, a reader attached that takes every sub-buffer.
 * Called by run.sh; prints lines of "BENCH VARIANT UNIT VALUE", one a turn.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <strata/ring_reader.h>
#include <strata/ring_writer.h>

#define EVENTS 2000000u
#define TURNS  9

static struct strata_ring_reader reader;
struct bench_memory {
	struct strata_ring_writer_area *writer;
	struct strata_ring_reader_area *shared;
	void *data;
};

static volatile int done;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *drain(void *unused)
{
	(void)unused;
	while (!done)
		while (strata_reader_get(&reader))
			strata_reader_put(&reader);
	return NULL;
}

static double rdtsc_turn(void)
{
	double begin = now_ns();
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < EVENTS; i++) {
		sum += __builtin_ia32_rdtsc();
		strata_barrier();
	}
	__asm__ __volatile__("" : : "r"(sum));
	return (now_ns() - begin) / EVENTS;
}

/* The same as the core reads it: behind all loads before it, because threads share a ring. */
static double ordered_clock_turn(void)
{
	double begin = now_ns();
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < EVENTS; i++) {
		sum += strata_clock();
		strata_barrier();
	}
	__asm__ __volatile__("" : : "r"(sum));
	return (now_ns() - begin) / EVENTS;
}

static double ring_turn(struct strata_ring *to)
{
	double begin = now_ns();
	uint64_t i;

	for (i = 0; i < EVENTS; i++) {
		struct strata_slot slot;

		if (!strata_ring_reserve(to, 1, sizeof(i), &slot))
			continue;
		strata_copy(slot.payload, &i, sizeof(i));
		strata_ring_commit(to, &slot);
	}
	return (now_ns() - begin) / EVENTS;
}

static struct strata_ring *make_ring(struct strata_ring_geometry geo, struct bench_memory *memory)
{
	struct strata_ring *made = calloc(1, strata_ring_bytes(geo));

	memory->writer = calloc(1, sizeof(*memory->writer));
	memory->shared = calloc(1, sizeof(*memory->shared));
	memory->data = aligned_alloc(STRATA_PAGE_BYTES, strata_data_bytes(geo));
	if (!made || !memory->writer || !memory->shared || !memory->data)
		abort();
	memset(memory->data, 0, strata_data_bytes(geo));
	strata_ring_init(made, geo, memory->data, memory->writer, memory->shared, 0, 0);
	return made;
}

int main(void)
{
	struct strata_ring_geometry geo = { .subbuf_bits = 18, .nr_subbufs_bits = 5 };
	struct bench_memory memory, flight_memory, compact_memory, large_memory;
	struct strata_ring *ring = make_ring(geo, &memory);
	struct strata_ring *flight = make_ring(geo, &flight_memory);
	struct strata_ring *compact = make_ring(geo, &compact_memory);
	struct strata_ring *large = make_ring(geo, &large_memory);
	pthread_t thread;
	unsigned int turn;

	flight->overwrite = true;
	/* To be compared with it: nobody has to read them. */
	compact->overwrite = large->overwrite = true;
	compact->form = STRATA_HEADER_COMPACT;
	large->form = STRATA_HEADER_LARGE;
	if (strata_reader_init(&reader, geo, memory.writer, memory.shared, memory.data) !=
	    STRATA_READER_OK)
		return 1;
	if (pthread_create(&thread, NULL, drain, NULL))
		return 1;
	for (turn = 0; turn < TURNS; turn++) {
		printf("core_event_8b_1t rdtsc ns %.2f\n", rdtsc_turn());
		printf("core_event_8b_1t ordered_rdtsc ns %.2f\n", ordered_clock_turn());
		printf("core_event_8b_1t strata_reserve_commit ns %.2f\n", ring_turn(ring));
		printf("core_event_8b_1t strata_overwrite ns %.2f\n", ring_turn(flight));
		printf("core_event_8b_1t strata_overwrite_compact ns %.2f\n", ring_turn(compact));
		printf("core_event_8b_1t strata_overwrite_large ns %.2f\n", ring_turn(large));
	}
	done = 1;
	pthread_join(thread, NULL);
	fprintf(stderr, "bench: %llu of %u events were lost to a full buffer\n",
		(unsigned long long)strata_reader_lost(&reader, STRATA_LOST_FULL), TURNS * EVENTS);
	return 0;
}
