/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_writer.h - gathers spans or arrows of one class of lengths until they fill a chunk, and
 * writes it: columns of numbers, one after another (docs/formats.md, "The timeline's chunks").
 *
 * They arrive in the order of their ends; in a chunk they are sorted by their begins. All spans of
 * a class have about the same length, so the chunks of a class hardly overlap in time, and a chunk
 * never has to be loaded for one long span in it.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_WRITER_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_WRITER_H

#include "outputs/event_writer.h"
#include "outputs/timeline/chunk_store.h"

#define STRATA_CHUNK_ENTRIES 8192u      /* largest number per chunk */
#define STRATA_CHUNK_TEXT    (1u << 18) /* approximate limit of a chunk's details, in bytes */

/* Levels of detail; level 0 has every span. */
#define STRATA_LEVELS 16u

/* Returns the shortest length that level @level shows individually: 4096 ns for level 1, then four
 * times that of the previous level. */
static inline uint64_t strata_level_resolution_ns(unsigned int level)
{
	return level ? (uint64_t)1 << (10 + 2 * level) : 0;
}

/* Returns the last level that shows spans of a length individually. */
static inline unsigned int strata_level_of(uint64_t length_ns)
{
	unsigned int level = 0;

	while (level + 1 < STRATA_LEVELS && length_ns >= strata_level_resolution_ns(level + 1))
		level++;
	return level;
}

struct strata_chunk_entry {
	uint64_t from_ns, length_ns; /* since the timeline's beginning */
	uint64_t bound_ns;
	uint32_t track, name, category;
	uint32_t count;  /* number of spans in a block; 1: a single span */
	uint32_t detail; /* index in the chunk's details, from 1; 0: none */
};

/* Zero-initialised is empty; the owner sets `store`. */
struct strata_chunk_writer {
	struct strata_chunk_store *store;
	bool is_raw; /* its chunks are compressed later, if at all */
	struct strata_chunk_entry *entries;
	size_t nr, room;
	struct strata_buffer details;
	uint32_t nr_details;
	struct strata_buffer raw;
	uint32_t *chunks; /* numbers of the chunks written */
	size_t nr_chunks, chunks_room;
	uint64_t written; /* number of entries in these */
	bool no_memory;
};

/* Adds an entry. @detail: text, or "" */
void strata_chunk_writer_add(struct strata_chunk_writer *writer,
			     const struct strata_chunk_entry *entry, const char *detail);

/* Writes the rest. */
void strata_chunk_writer_flush(struct strata_chunk_writer *writer);

void strata_chunk_writer_clear(struct strata_chunk_writer *writer);

/* The same for arrows. */
struct strata_arrow_entry {
	uint64_t from_ns, bound_ns;
	int64_t length_ns; /* from its tail to its head; may be negative */
	uint32_t kind, from_track, to_track;
};

struct strata_arrow_writer {
	struct strata_chunk_store *store;
	struct strata_arrow_entry *entries;
	size_t nr, room;
	struct strata_buffer raw;
	uint32_t *chunks;
	size_t nr_chunks, chunks_room;
	bool no_memory;
};

void strata_arrow_writer_add(struct strata_arrow_writer *writer,
			     const struct strata_arrow_entry *entry);
void strata_arrow_writer_flush(struct strata_arrow_writer *writer);
void strata_arrow_writer_clear(struct strata_arrow_writer *writer);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_CHUNK_WRITER_H */
