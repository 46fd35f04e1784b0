/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse.h - where a file has bytes that somebody wrote: what looks for a packet skips holes, which
 * may be far longer than the file is large on its disk, and hold no packet's magic number.
 */
#ifndef STRATA_MERGE_SPARSE_H
#define STRATA_MERGE_SPARSE_H

#include <stdint.h>

/* The first place at or behind @offset that is in no hole; @size: there is none before that. */
uint64_t strata_next_data(int fd, uint64_t offset, uint64_t size);

/* Where the hole begins that the file of @size ends with, not before @offset; @size: there is none.
 */
uint64_t strata_last_hole(int fd, uint64_t offset, uint64_t size);

#endif /* STRATA_MERGE_SPARSE_H */
