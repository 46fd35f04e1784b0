/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * single_torture.h - threads that write to single-store rings while they are moved
 * from CPU to CPU and interrupted by signals whose handlers write too, with a
 * reader that takes what it can at any time.
 *
 * Each writer, a thread or its handler, numbers its records.  The books: every
 * number at most once, in order in each ring, no record torn, no time in a ring
 * that goes back, and what was not found was counted as lost.
 *
 * A header, so that the same torture also runs where sections are not aborted:
 * there it must find an error.
 */
#ifndef STRATA_TESTS_SINGLE_TORTURE_H
#define STRATA_TESTS_SINGLE_TORTURE_H

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/ring_single_writer.h>

#define TORTURE_THREADS 4u
#define TORTURE_WRITERS (2 * TORTURE_THREADS) /* a thread, and its handler */
#define TORTURE_NUMBERS (1u << 21)
#define TORTURE_CPUS    4096u
#define TORTURE_MOVES   4u /* CPUs that threads are moved to */
#define TORTURE_MS_MAX  300000u

struct torture_body {
	uint32_t writer;
	uint32_t number;
	uint32_t words;
	uint32_t word[29];
};

static struct {
	struct strata_ring_geometry geo;
	unsigned char *rings;
	uint64_t stride;
	uint32_t nr;
	struct strata_single_rings table;  /* of these */
	uint32_t written[TORTURE_WRITERS]; /* also lost ones */
	uint8_t *found[TORTURE_WRITERS];
	int64_t newest[TORTURE_CPUS][TORTURE_WRITERS];
	uint64_t ticks[TORTURE_CPUS];
	uint64_t nr_found, moves;
	unsigned int cpus[TORTURE_MOVES], nr_cpus; /* that we may use, of all that there are */
	unsigned long errors;
	char first_error[200];
	bool stop, drained;
	bool overwrite;
	uint64_t overtaken; /* times that the reader was */
} torture;

static __thread uint32_t torture_writer;

__attribute__((format(printf, 1, 2))) static inline void torture_complain(const char *format, ...)
{
	va_list args;

	if (torture.errors++)
		return;
	va_start(args, format);
	vsnprintf(torture.first_error, sizeof(torture.first_error), format, args);
	va_end(args);
}

/* As an event of several channels does, every other record is given the clock that was read before;
 * between that and the section another writer may come. */
static inline bool torture_attempt(uint32_t id, const uint64_t *body, uint32_t bytes, bool given)
{
	const uint64_t ticks = strata_clock();

	if (!given)
		return strata_single_write(&torture.table, id, body, bytes);
	if (bytes <= STRATA_SINGLE_SHORT_BODY &&
	    strata_single_section_at(&torture.table, id, body, bytes, ticks) ==
		    STRATA_SINGLE_WRITTEN)
		return true;
	strata_single_write_slow(&torture.table, id, body, bytes, &ticks);
	return true;
}

static inline void torture_write(uint32_t writer)
{
	union {
		struct torture_body body;
		uint64_t words[sizeof(struct torture_body) / 8];
	} u;
	uint32_t number = torture.written[writer], i;

	if (number == TORTURE_NUMBERS)
		return;
	torture.written[writer] = number + 1;
	u.body.writer = writer;
	u.body.number = number;
	u.body.words = (number * 2654435761u >> 16) % 30;
	for (i = 0; i < 29; i++)
		u.body.word[i] = number ^ i;
	if (!torture_attempt(writer + 1, u.words, 12 + 4 * u.body.words, number % 2))
		strata_single_write_slow(&torture.table, writer + 1, u.words, 12 + 4 * u.body.words,
					 NULL);
}

static inline void torture_signal(int number)
{
	(void)number;
	torture_write(torture_writer + TORTURE_THREADS);
}

static inline void torture_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A ring for each CPU that there is, and those where a few threads meet often enough. */
static inline void torture_count_cpus(void)
{
	cpu_set_t ours;
	unsigned int cpu;

	torture.nr = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	assert_in_range(torture.nr, 1, TORTURE_CPUS);
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	for (cpu = 0; cpu < CPU_SETSIZE && torture.nr_cpus < TORTURE_MOVES; cpu++)
		if (CPU_ISSET(cpu, &ours))
			torture.cpus[torture.nr_cpus++] = cpu;
	assert_in_range(torture.nr_cpus, 1, TORTURE_MOVES);
}

static inline void torture_move(uint32_t random)
{
	torture_pin(torture.cpus[random % torture.nr_cpus]);
	__atomic_fetch_add(&torture.moves, 1, __ATOMIC_RELAXED);
}

static inline void *torture_thread(void *argument)
{
	struct sigevent to_us = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 61000 }, { 0, 61000 } };
	uint32_t random, i;
	timer_t timer;

	torture_writer = (uint32_t)(uintptr_t)argument;
	random = torture_writer + 1;
	to_us._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &to_us, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (!strata_read_once(&torture.stop)) {
		for (i = 0; i < 200; i++)
			torture_write(torture_writer);
		random = random * 1664525u + 1013904223u;
		torture_move(random >> 16);
	}
	timer_delete(timer);
	return NULL;
}

/* Returns the length of the record at @bytes, which is at most @left; 0: it is not a record. */
static inline uint32_t torture_check(uint32_t ring, const unsigned char *bytes, uint32_t left)
{
	struct strata_record_header header;
	struct torture_body body;
	uint32_t length, i;

	if (left < sizeof(header) + 12) {
		torture_complain("ring %u: %u bytes behind the last record", ring, left);
		return 0;
	}
	memcpy(&header, bytes, sizeof(header));
	memcpy(&body, bytes + sizeof(header), 12);
	length = (uint32_t)sizeof(header) + 12 + 4 * body.words;
	if (body.writer >= TORTURE_WRITERS || header.id != body.writer + 1 || body.words > 29 ||
	    length > left || body.number >= torture.written[body.writer]) {
		torture_complain("ring %u: a torn record", ring);
		return 0;
	}
	memcpy(&body, bytes + sizeof(header), length - sizeof(header));
	for (i = 0; i < body.words; i++)
		if (body.word[i] != (body.number ^ i))
			torture_complain("ring %u: a torn record", ring);
	if (header.ticks < torture.ticks[ring])
		torture_complain("ring %u: time goes back by %llu", ring,
				 (unsigned long long)(torture.ticks[ring] - header.ticks));
	torture.ticks[ring] = header.ticks;
	if ((int64_t)body.number <= torture.newest[ring][body.writer])
		torture_complain("ring %u: writer %u: %u comes after %lld", ring, body.writer,
				 body.number, (long long)torture.newest[ring][body.writer]);
	torture.newest[ring][body.writer] = body.number;
	if (torture.found[body.writer][body.number]++)
		torture_complain("writer %u: %u is there twice", body.writer, body.number);
	__atomic_fetch_add(&torture.nr_found, 1, __ATOMIC_RELAXED);
	return length;
}

/* Takes one part of a ring.  Returns whether the reader moved: there may be more behind it then,
 * also where strata_single_take() found nothing in the rest of a sub-buffer. */
static inline bool torture_drain(uint32_t ring, struct strata_single_reader *reader, bool partly)
{
	static unsigned char copy[1u << 16];
	const uint64_t before = reader->position;
	uint64_t lost[STRATA_NR_LOST];
	uint32_t bytes, at, length;

	switch (strata_single_take(reader, partly, copy, &bytes, lost)) {
	case STRATA_SINGLE_NOTHING:
		break;
	case STRATA_SINGLE_LIES:
		torture_complain("ring %u: its words are no ring's", ring);
		break;
	case STRATA_SINGLE_OVERWRITTEN:
		torture.overtaken++;
		break;
	case STRATA_SINGLE_TAKEN:
		for (at = STRATA_PACKET_HEADER_BYTES; at < bytes; at += length) {
			length = torture_check(ring, copy + at, bytes - at);
			if (!length)
				break;
		}
	}
	strata_single_put(reader);
	return reader->position != before;
}

static inline void *torture_reader(void *argument)
{
	struct strata_single_reader *readers = argument;
	unsigned int turn = 0;
	bool last, any;
	uint32_t i;

	do {
		last = strata_read_once(&torture.drained);
		do {
			any = false;
			for (i = 0; i < torture.nr; i++)
				any |= torture_drain(i, &readers[i], last || turn++ % 3 == 0);
		} while (any);
		if (turn % 64 < 8)
			usleep(torture.overwrite ? 20000 : 300);
	} while (!last);
	return NULL;
}

static inline uint64_t torture_written(uint32_t first)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = first; i < first + TORTURE_THREADS; i++)
		sum += torture.written[i];
	return sum;
}

/* At least @ms; on a busy machine until it was @enough, but no longer than TORTURE_MS_MAX.
 * @overwrite: records may be missing that nobody counts. */
static inline void torture_rings(unsigned int ms, bool (*enough)(void), bool overwrite)
{
	struct sigaction action = { .sa_handler = torture_signal, .sa_flags = SA_RESTART };
	static struct strata_single_reader readers[TORTURE_CPUS];
	pthread_t threads[TORTURE_THREADS], reader;
	unsigned int i, j, waited;

	memset(&torture, 0, sizeof(torture));
	torture.overwrite = overwrite;
	torture.geo = (struct strata_ring_geometry){ .subbuf_bits = 13,
						     .nr_subbufs_bits = overwrite ? 2 : 5 };
	torture_count_cpus();
	torture.stride = strata_single_bytes(torture.geo);
	torture.rings = mmap(NULL, torture.nr * torture.stride, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(torture.rings, MAP_FAILED);
	for (i = 0; i < torture.nr; i++) {
		struct strata_single_area *area =
			(struct strata_single_area *)(torture.rings + i * torture.stride);

		strata_single_init(area, torture.geo, i, overwrite);
		assert_true(strata_single_reader_init(
			&readers[i], torture.geo, area, strata_single_reader_area(area),
			(unsigned char *)area + STRATA_SINGLE_HEAD_BYTES));
		readers[i].overwrite = overwrite;
		for (j = 0; j < TORTURE_WRITERS; j++)
			torture.newest[i][j] = -1;
	}
	for (j = 0; j < TORTURE_WRITERS; j++)
		assert_non_null(torture.found[j] = calloc(TORTURE_NUMBERS, 1));
	strata_single_direct(&torture.table, torture.rings, torture.nr, torture.stride);
	sigaction(SIGUSR1, &action, NULL);
	assert_int_equal(pthread_create(&reader, NULL, torture_reader, readers), 0);
	for (i = 0; i < TORTURE_THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, torture_thread, (void *)(uintptr_t)i), 0);
	for (waited = 0; waited < ms || (!enough() && waited < TORTURE_MS_MAX); waited += 100)
		usleep(100000);
	strata_write_once(&torture.stop, true);
	for (i = 0; i < TORTURE_THREADS; i++)
		pthread_join(threads[i], NULL);
	strata_write_once(&torture.drained, true);
	pthread_join(reader, NULL);
}

static inline uint64_t torture_lost(void)
{
	uint64_t lost = 0;
	uint32_t i, kind;

	for (i = 0; i < torture.nr; i++)
		for (kind = 0; kind < STRATA_NR_LOST; kind++)
			lost += ((struct strata_single_area *)(torture.rings + i * torture.stride))
					->lost[kind];
	return lost;
}

static inline void torture_end(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_WRITERS; i++)
		free(torture.found[i]);
	munmap(torture.rings, torture.nr * torture.stride);
}

#endif /* STRATA_TESTS_SINGLE_TORTURE_H */
