/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart.h - does in a process of its own what the kernel may block for ever: making, removing or
 * looking up a name in a directory.
 *
 * Any user who may read a directory can keep its lock for as long as he likes (getdents() into
 * memory of a file system that does not answer). Whoever then needs that lock waits, and no signal
 * ends that.
 */
#ifndef STRATA_MERGE_APART_H
#define STRATA_MERGE_APART_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs @work in a child, which has no open files, only the working directory, and may not allocate
 * memory.  Memory that @work changes stays as it is here, except for @data.
 * @data: of that many bytes; given to @work, and afterwards as @work left it
 * 0, or -1 with errno: ETIMEDOUT, the child was killed and left behind; or why there is no child.
 */
int strata_apart(void (*work)(void *data), void *data, size_t bytes);

/* Whether others wait for us from now on: then a child may take half a second, instead of five. */
void strata_apart_hurry(bool hurry);

#endif /* STRATA_MERGE_APART_H */
