/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder_rings.h - rings in a test's own memory, and a recorder that drains them. */
#ifndef STRATA_TESTS_RECORDER_RINGS_H
#define STRATA_TESTS_RECORDER_RINGS_H

/* As in a kernel, whose commit seq tells how far an open sub-buffer is written; to be included
 * first. */
#define STRATA_WRITERS_SHARE_CPU 1

#include <strata/ring_writer.h>

#include "consumerd/recorder.h"

extern const struct strata_ring_geometry test_ring_geometry;

/* A ring in this process's memory. */
struct test_ring {
	struct ring ring;
	struct strata_ring *writer;
	struct strata_ring_writer_area *writer_area;
	struct strata_ring_reader_area *reader_area;
	unsigned char *data;
};

void test_ring_open(struct test_ring *ring, uint32_t cpu);
void test_ring_close(struct test_ring *ring);

/* A record with that number. */
void test_ring_put(struct test_ring *ring, uint32_t number);

/* One record in a sub-buffer of its own, which is ready then. */
void test_ring_write(struct test_ring *ring);

/* All of its sub-buffers are ready, with a record in each. */
void test_ring_fill(struct test_ring *ring);

/* Writes until @nr were lost. */
void test_ring_lose(struct test_ring *ring, unsigned int nr);

/* A kernel with one event, "tick", which has a number. */
void test_add_source(struct recorder *recorder, const char *name);

struct recorder *test_open_recorder(const char *dir);

void test_remove_dir(const char *dir);

#endif /* STRATA_TESTS_RECORDER_RINGS_H */
