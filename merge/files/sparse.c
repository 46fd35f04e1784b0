// SPDX-License-Identifier: GPL-2.0-or-later
/* sparse.c - see sparse.h. lseek() may move the file's position, because callers read by
 * pread(). */
#include "files/sparse.h"

#include <errno.h>
#include <unistd.h>

uint64_t strata_next_data(int fd, uint64_t offset, uint64_t size)
{
	const off_t data = lseek(fd, (off_t)offset, SEEK_DATA);

	/* A file system that cannot tell has no holes. */
	if (data < 0)
		return errno == ENXIO ? size : offset;
	return (uint64_t)data < size ? (uint64_t)data : size;
}

uint64_t strata_next_hole(int fd, uint64_t offset, uint64_t size)
{
	const off_t hole = lseek(fd, (off_t)offset, SEEK_HOLE);

	return hole < 0 || (uint64_t)hole > size ? size : (uint64_t)hole;
}

uint64_t strata_last_hole(int fd, uint64_t offset, uint64_t size)
{
	while (offset < size) {
		const uint64_t hole = strata_next_hole(fd, offset, size);

		if (hole == size)
			return size;
		offset = strata_next_data(fd, hole, size);
		if (offset >= size)
			return hole;
	}
	return size;
}
