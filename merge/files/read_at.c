// SPDX-License-Identifier: GPL-2.0-or-later
/* read_at.c - see read_at.h. */
#include "files/read_at.h"

#include <errno.h>
#include <unistd.h>

size_t strata_read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	errno = 0;
	while (done < bytes) {
		const ssize_t got =
			pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR) {
			errno = 0;
			continue;
		}
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}
