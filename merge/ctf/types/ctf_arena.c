// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_arena.c - see ctf_arena.h.  Pieces are cut from chunks; one that is larger
 * than a chunk gets its own.
 */
#include "ctf/types/ctf_arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

/* Each chunk is twice as large as the one before: of a set of thousands of traces, most need
 * little. */
#define FIRST_CHUNK_BYTES 2048u
#define CHUNK_BYTES       65536u

struct chunk {
	struct chunk *next;
	alignas(max_align_t) unsigned char bytes[];
};

struct strata_ctf_arena {
	struct chunk *chunks;
	unsigned char *free_bytes; /* in the chunk that is cut now */
	size_t nr_free;
	size_t next_bytes; /* of the next chunk */
	size_t left;       /* until the limit */
};

struct strata_ctf_arena *strata_ctf_arena_new(size_t limit)
{
	struct strata_ctf_arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		return NULL;
	arena->left = limit;
	arena->next_bytes = FIRST_CHUNK_BYTES;
	return arena;
}

static unsigned char *add_chunk(struct strata_ctf_arena *arena, size_t bytes)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk) + bytes);

	if (!chunk)
		return NULL;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk->bytes;
}

/* Begins a chunk from which small pieces are cut.  0 or -1. */
static int begin_chunk(struct strata_ctf_arena *arena, size_t bytes)
{
	size_t room = arena->next_bytes;

	while (room < bytes)
		room *= 2;
	arena->free_bytes = add_chunk(arena, room);
	arena->nr_free = arena->free_bytes ? room : 0;
	arena->next_bytes = room < CHUNK_BYTES ? 2 * room : CHUNK_BYTES;
	return arena->free_bytes ? 0 : -1;
}

void *strata_ctf_arena_get(struct strata_ctf_arena *arena, size_t count, size_t size)
{
	const size_t unit = alignof(max_align_t);
	unsigned char *piece;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	bytes = bytes ? (bytes + unit - 1) / unit * unit : unit;
	if (bytes > arena->left)
		return NULL;

	if (bytes > CHUNK_BYTES / 4) {
		piece = add_chunk(arena, bytes);
	} else {
		if (bytes > arena->nr_free && begin_chunk(arena, bytes))
			return NULL;
		piece = arena->free_bytes;
		arena->free_bytes += bytes;
		arena->nr_free -= bytes;
	}
	if (piece)
		arena->left -= bytes;
	return piece;
}

void strata_ctf_arena_free(struct strata_ctf_arena *arena)
{
	struct chunk *chunk, *next;

	if (!arena)
		return;
	for (chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(arena);
}
