// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_talk.c - LD_PRELOAD for a recorder: what it does with the socket of a program of user
 * SLOW_USER does not end as long as the file SLOW_TALK exists.
 *
 * test_slow_talk.sh uses it.  The kernel wakes all that wait at the other end of a Unix socket in
 * the context of the process that sends, receives, shuts down or closes; before Linux 6.10 it also
 * searches for sockets in flight.  What a user may make slow is made endless here.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void wait_for_user(int fd)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) ||
	    peer.uid != (uid_t)strtoul(getenv("SLOW_USER"), NULL, 10))
		return;
	while (!access(getenv("SLOW_TALK"), F_OK))
		nanosleep(&pause, NULL);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	wait_for_user(fd);
	return ((ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg"))(
		fd, message, flags);
}

ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
	wait_for_user(fd);
	return ((ssize_t(*)(int, void *, size_t, int))dlsym(RTLD_NEXT, "recv"))(fd, to, bytes,
										flags);
}

int shutdown(int fd, int how)
{
	wait_for_user(fd);
	return ((int (*)(int, int))dlsym(RTLD_NEXT, "shutdown"))(fd, how);
}
