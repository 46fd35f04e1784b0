// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * failing_disk.c - preloaded, makes the writing of stream files fail (EIO) after $FAILING_DISK_KIB
 * KiB, as on a disk that breaks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t write_call(int, const void *, size_t);

static int is_stream(int fd)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return 0;
	path[length] = '\0';
	return strstr(path, "/cpu_") != NULL;
}

ssize_t write(int fd, const void *bytes, size_t nr)
{
	static size_t written;
	const char *limit = getenv("FAILING_DISK_KIB");

	if (limit && is_stream(fd)) {
		if (written + nr > strtoul(limit, NULL, 10) << 10) {
			errno = EIO;
			return -1;
		}
		written += nr;
	}
	return ((write_call *)dlsym(RTLD_NEXT, "write"))(fd, bytes, nr);
}
