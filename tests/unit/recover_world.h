/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover_world.h - a recorder and one application with a file of one ring, both in this process;
 * test_recover_kill.c and test_recover_lies.c take them apart.
 */
#ifndef STRATA_TESTS_RECOVER_WORLD_H
#define STRATA_TESTS_RECOVER_WORLD_H

#include <strata/ring_single_writer.h>

#include "consumerd/rings/app_memory.h"
#include "consumerd/recorder.h"

#define NAME         "app-tested"
#define RECORD_BYTES 28u /* header, context, one number */

extern const struct strata_ring_geometry world_geo;

/* A recorder with one application, of one ring; both are this process. */
struct world {
	struct recorder *recorder;
	struct strata_dir dir;
	struct app_memory memory;
	struct ring ring;
	unsigned char *writers;            /* the ring as its application maps it */
	struct strata_single_rings single; /* of it, in single-store mode */
	struct strata_ring *books;
	uint64_t next; /* number to be written */
};

/* The path of something in the tests' directory; valid for a few calls more. */
char *world_path(const char *name);

/* Begins a recording in world_path("made"). */
void world_begin(struct world *world, enum strata_app_mode mode);

/* How far a writer comes with a record in a ring of reserve and commit. */
enum stage { RESERVED, BEGUN, COPIED, COMMITTED };

void world_write_until(struct world *world, enum stage stage);

/* Writes numbered records whole. */
void world_write(struct world *world, unsigned int how_many);

/* A record that is too large for a ring of single stores: it is counted as lost. */
void world_lose(struct world *world);

/* Drains what is published.  Returns the number of packets. */
uint64_t world_drain(struct world *world);

/* Ends the program: the recorder drains the rest. */
void world_leave(struct world *world);

/* Ends the recording, as a recorder does that is not killed. */
void world_end(struct world *world);

struct bytes {
	unsigned char *at;
	size_t size;
};

/* A whole file; the caller frees it. */
struct bytes bytes_read(const char *path);

void bytes_write(const char *path, const void *at, size_t size);

/* Returns the file of the ring in its present state. */
struct bytes world_ring_bytes(void);

/* Numbers that a recording holds, in their order. */
struct numbers {
	uint64_t number[4096];
	size_t nr;
};

/* Reads a recording of one source and one stream. */
void numbers_read(const char *from, struct numbers *numbers);

/* For cmocka: makes and removes the tests' directory; the ring is CPU 0's, where we stay. */
int world_set_up(void **state);
int world_tear_down(void **state);

#endif /* STRATA_TESTS_RECOVER_WORLD_H */
