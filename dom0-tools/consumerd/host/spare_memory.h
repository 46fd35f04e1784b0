/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spare_memory.h - one piece of the kernel's memory (kernel_memory.h), made before it is needed, by
 * a thread of its own.
 *
 * The kernel clears all pages of such memory when it makes it, which takes a third of a
 * millisecond for 2 MiB.  Meanwhile the loop would drain nothing, and the program that starts
 * waits.  The thread closes a piece of the wrong size, too: the kernel goes through the locks
 * of all anonymous files of the machine then, of which any user can make millions.
 *
 * All calls come from the recorder's loop.
 */
#ifndef STRATA_CONSUMERD_SPARE_MEMORY_H
#define STRATA_CONSUMERD_SPARE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct spare_memory;

/* NULL: there is no thread or no memory for it, which the other functions accept. */
struct spare_memory *spare_memory_open(void);

/* Has a piece of that size made, unless one of any size is there, being made or being closed. */
void spare_memory_make(struct spare_memory *spare, size_t bytes);

/*
 * Takes the piece if it has that size.  The thread closes one of another size.
 * @id: OUT: see kernel_memory.h
 * A descriptor for the caller, or -1: none of that size is ready.
 */
int spare_memory_take(struct spare_memory *spare, size_t bytes, uint32_t *id);

/* Gives up the piece. */
void spare_memory_close(struct spare_memory *spare);

#endif /* STRATA_CONSUMERD_SPARE_MEMORY_H */
