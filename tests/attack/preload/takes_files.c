// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * takes_files.c - LD_PRELOAD for a recorder or stratad: as before Linux 6.16, its sockets cannot
 * refuse descriptors (consumerd/host/socket_bind.h).
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

#define SO_PASSRIGHTS_NUMBER 83

int setsockopt(int fd, int level, int name, const void *value, socklen_t bytes)
{
	static int (*next)(int, int, int, const void *, socklen_t);

	if (level == SOL_SOCKET && name == SO_PASSRIGHTS_NUMBER) {
		errno = ENOPROTOOPT;
		return -1;
	}
	if (!next)
		next = (int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT,
									      "setsockopt");
	return next(fd, level, name, value, bytes);
}
