// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_close.c - LD_PRELOAD for a recorder: close() of a program's socket takes 300 ms.
 *
 * test_slow_close.sh uses it.  Before Linux 6.10 the close of a Unix socket collects sockets that
 * are in flight, which takes as long as a user has put sockets into messages.  Files that a thread
 * closes by its end are not slowed down.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* While a thread with descriptors of its own lives, nothing that we close is the last one. */
static _Atomic bool is_copied;

int unshare(int flags)
{
	is_copied = true;
	return ((int (*)(int))dlsym(RTLD_NEXT, "unshare"))(flags);
}

int pthread_join(pthread_t thread, void **result)
{
	is_copied = false;
	return ((int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join"))(thread, result);
}

int close(int fd)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	const int before = errno;
	socklen_t bytes = sizeof(int);
	int type = 0;

	if (!is_copied && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) &&
	    type == SOCK_SEQPACKET)
		nanosleep(&pause, NULL);
	errno = before;
	return ((int (*)(int))dlsym(RTLD_NEXT, "close"))(fd);
}
