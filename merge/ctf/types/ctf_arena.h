/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_arena.h - memory that grows piece by piece and is freed at once: what a
 * trace's metadata says is made of thousands of small pieces that live equally long.
 *
 * It has a limit, so that a text which asks for much more memory than it has bytes
 * (structures of structures, each twice) ends in an error.
 */
#ifndef STRATA_MERGE_CTF_ARENA_H
#define STRATA_MERGE_CTF_ARENA_H

#include <stddef.h>

struct strata_ctf_arena;

/* @limit: bytes, of all pieces.  Returns NULL if there is no memory. */
struct strata_ctf_arena *strata_ctf_arena_new(size_t limit);

/*
 * Memory for @count things of @size bytes each, zeroed, aligned for any type; never
 * NULL for none of them.  Returns NULL at the limit, or if there is no memory.
 */
void *strata_ctf_arena_get(struct strata_ctf_arena *arena, size_t count, size_t size);

/* Frees all pieces, and the arena itself; NULL, too. */
void strata_ctf_arena_free(struct strata_ctf_arena *arena);

#endif /* STRATA_MERGE_CTF_ARENA_H */
