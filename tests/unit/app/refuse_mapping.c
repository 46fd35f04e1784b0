// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refuse_mapping.c - preloaded, makes every file of a directory behave as on a file system that
 * refuses shared, writable mappings (9p without a cache): mmap() says EINVAL.  The directory is
 * $REFUSE_MAPPING.  tests/xen/test_live.sh has the real file system.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int is_refused(int prot, int flags, int fd)
{
	const char *dir = getenv("REFUSE_MAPPING");
	char name[64], path[4096];
	ssize_t bytes;

	if (!dir || fd < 0 || !(prot & PROT_WRITE) || !(flags & MAP_SHARED))
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	bytes = readlink(name, path, sizeof(path) - 1);
	return bytes > 0 && strncmp(path, dir, strlen(dir)) == 0;
}

void *mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	void *(*const real)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");

	if (is_refused(prot, flags, fd)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return real(at, length, prot, flags, fd, offset);
}
