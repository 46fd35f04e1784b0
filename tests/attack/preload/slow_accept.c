// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_accept.c - LD_PRELOAD for a recorder: to look for a new connection takes 20 ms.
 *
 * test_snapshot_served.sh uses it.  As long takes what many users' programs say, which the recorder
 * hears at the same occasion.
 */
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	nanosleep(&pause, NULL);
	return ((int (*)(int, struct sockaddr *, socklen_t *, int))dlsym(RTLD_NEXT, "accept4"))(
		fd, address, length, flags);
}
