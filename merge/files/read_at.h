/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_at.h - reads a range of a file whole, past interruptions and short reads. */
#ifndef STRATA_MERGE_READ_AT_H
#define STRATA_MERGE_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes that were read; where that is fewer, errno is 0 at the file's end, or says why.
 */
size_t strata_read_at(int fd, void *to, size_t bytes, uint64_t offset);

#endif /* STRATA_MERGE_READ_AT_H */
