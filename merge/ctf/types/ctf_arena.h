/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_arena.h - allocates small pieces that are freed all at once: a trace's metadata consists of
 * thousands with the same lifetime.
 *
 * A limit makes metadata that expands to much more memory than its text (structures of structures,
 * each twice) fail with an error.
 */
#ifndef STRATA_MERGE_CTF_ARENA_H
#define STRATA_MERGE_CTF_ARENA_H

#include <stddef.h>

struct strata_ctf_arena;

/* @limit: bytes, of all pieces.  Returns NULL if there is no memory. */
struct strata_ctf_arena *strata_ctf_arena_new(size_t limit);

/*
 * Memory for @count things of @size bytes each, zeroed, aligned for any type; not NULL if @count is
 * 0.  Returns NULL at the limit, or if out of memory.
 */
void *strata_ctf_arena_get(struct strata_ctf_arena *arena, size_t count, size_t size);

/* Frees all pieces, and the arena itself; NULL, too. */
void strata_ctf_arena_free(struct strata_ctf_arena *arena);

#endif /* STRATA_MERGE_CTF_ARENA_H */
