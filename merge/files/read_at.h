/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_at.h - reads a whole range of a file, despite interruptions and short reads. */
#ifndef STRATA_MERGE_READ_AT_H
#define STRATA_MERGE_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes read; if that is less, errno is 0 at the file's end, or holds the
 * reason. */
size_t strata_read_at(int fd, void *to, size_t bytes, uint64_t offset);

#endif /* STRATA_MERGE_READ_AT_H */
