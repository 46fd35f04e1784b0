/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_store.h - compressed chunks of a timeline in an unnamed temporary file: they are written in
 * one pass, and read back when a page is written or a browser requests one.
 *
 * Synchronisation: after the last chunk was added, several threads may read at once.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A chunk, with the data by which a browser decides whether to load it. */
struct strata_chunk {
	uint64_t offset;
	uint32_t bytes;   /* as stored: compressed, unless raw */
	uint32_t entries; /* number of spans or arrows */
	/* Since the timeline's beginning: the begin of the first entry, and that of the last one
	 * plus 1. */
	uint64_t from_ns, to_ns;
	uint64_t longest_ns;
	bool is_raw;
};

struct strata_chunk_store;

/* Creates a store in TMPDIR, else in /var/tmp. NULL with the reason. */
struct strata_chunk_store *strata_chunk_store_new(struct strata_error *error);

/*
 * Adds a chunk.
 * @chunk: number of entries and times
 * @is_raw: do not compress it now: strata_chunk_store_compress() may do it later
 * Returns its number; UINT32_MAX: failed, and strata_chunk_store_check() returns why.
 */
uint32_t strata_chunk_store_add(struct strata_chunk_store *store, const struct strata_chunk *chunk,
				const void *bytes, size_t length, bool is_raw);

/* Compresses a chunk that was added raw. */
void strata_chunk_store_compress(struct strata_chunk_store *store, uint32_t number);

/* Returns 0, or -1 with the first error. */
int strata_chunk_store_check(const struct strata_chunk_store *store, struct strata_error *error);

/* Returns the number of chunks; and a chunk, or NULL beyond the last. */
size_t strata_chunk_store_count(const struct strata_chunk_store *store);
const struct strata_chunk *strata_chunk_store_get(const struct strata_chunk_store *store,
						  size_t number);

/* Reads a chunk's bytes, compressed, into @out.  0 or -1. */
int strata_chunk_store_read(const struct strata_chunk_store *store,
			    const struct strata_chunk *chunk, void *out,
			    struct strata_error *error);

void strata_chunk_store_free(struct strata_chunk_store *store);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_STORE_H */
