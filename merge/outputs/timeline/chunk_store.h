/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_store.h - chunks of a timeline, compressed, in a file without a name: they are written in
 * one pass, and read back when a page is written or a browser asks for one.
 *
 * Synchronisation: reads may be made by several threads at once, once nothing is added any more.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One chunk, and what a browser must know to decide whether it needs it. */
struct strata_chunk {
	uint64_t offset;
	uint32_t bytes;          /* as it is stored: compressed, unless it is raw */
	uint32_t entries;        /* spans or arrows */
	uint64_t from_ns, to_ns; /* since the timeline's begin: the first one's begin, and the last
				  * one's, and one */
	uint64_t longest_ns;
	bool is_raw;
};

struct strata_chunk_store;

/* Makes one in TMPDIR, else in /var/tmp.  NULL with the reason. */
struct strata_chunk_store *strata_chunk_store_new(struct strata_error *error);

/*
 * Adds a chunk.
 * @chunk:  entries and times, which are copied
 * @is_raw: it is compressed later, or perhaps never
 * Its number; UINT32_MAX: it failed, which strata_chunk_store_check() tells.
 */
uint32_t strata_chunk_store_add(struct strata_chunk_store *store, const struct strata_chunk *chunk,
				const void *bytes, size_t length, bool is_raw);

/* Compresses one that was added raw. */
void strata_chunk_store_compress(struct strata_chunk_store *store, uint32_t number);

/* 0, or -1 with the first thing that went wrong. */
int strata_chunk_store_check(const struct strata_chunk_store *store, struct strata_error *error);

/* How many there are, and one of them; NULL: there is none of that number. */
size_t strata_chunk_store_count(const struct strata_chunk_store *store);
const struct strata_chunk *strata_chunk_store_get(const struct strata_chunk_store *store,
						  size_t number);

/* Reads a chunk's bytes, compressed, into @out.  0 or -1. */
int strata_chunk_store_read(const struct strata_chunk_store *store,
			    const struct strata_chunk *chunk, void *out,
			    struct strata_error *error);

void strata_chunk_store_free(struct strata_chunk_store *store);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H */
