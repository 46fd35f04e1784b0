/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse.h - finds the data of a sparse file: a search for packets skips holes, which may be far
 * larger than the space on disk, and contain no magic number.
 */
#ifndef STRATA_MERGE_SPARSE_H
#define STRATA_MERGE_SPARSE_H

#include <stdint.h>

/* The first offset from @offset on that is not in a hole; @size: none. */
uint64_t strata_next_data(int fd, uint64_t offset, uint64_t size);

/* The first offset from @offset on that is in a hole; @size: none. */
uint64_t strata_next_hole(int fd, uint64_t offset, uint64_t size);

/* Start of the hole at the end of a file of @size, but not before @offset; @size: no such hole. */
uint64_t strata_last_hole(int fd, uint64_t offset, uint64_t size);

#endif /* STRATA_MERGE_SPARSE_H */
