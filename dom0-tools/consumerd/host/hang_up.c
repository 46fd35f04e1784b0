// SPDX-License-Identifier: GPL-2.0-or-later
/* hang_up.c - see hang_up.h. */
#include "consumerd/host/hang_up.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct burial {
	sem_t has_copy, may_end;
	int error; /* of unshare() */
};

bool hang_up_look(int socket, bool *carries)
{
	struct msghdr message = { .msg_iov = NULL };
	/* The message stays queued, and so nothing of it is closed.  There is no room for
	 * descriptors: the kernel says that they were cut off. */
	ssize_t bytes = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);

	*carries = bytes >= 0 && message.msg_flags & MSG_CTRUNC;
	return bytes >= 0;
}

/*
 * Receives what is queued, up to a message with descriptors.  Returns true if all was received and
 * none can follow.  The sender's credentials tell a message without bytes from the end of all.
 */
static bool empty(int socket)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr message;
	const int on = 1;

	if (setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    shutdown(socket, SHUT_RDWR))
		return false;
	for (;;) {
		memset(&message, 0, sizeof(message));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		if (recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT) < 0) {
			/* The other end is gone, which is said once, before what it sent. */
			if (errno == ECONNRESET || errno == EINTR)
				continue;
			return errno == EAGAIN;
		}
		if (message.msg_flags & MSG_CTRUNC)
			return false;
		if (!message.msg_controllen)
			return true;
		recv(socket, NULL, 0, MSG_DONTWAIT);
	}
}

static void *end_with_copy(void *argument)
{
	struct burial *burial = argument;

	burial->error = unshare(CLONE_FILES) ? errno : 0;
	sem_post(&burial->has_copy);
	while (sem_wait(&burial->may_end))
		;
	return NULL;
}

/*
 * Closes the socket for us at once: a thread with a descriptor table of its own has the last
 * descriptor, and ends.  What a thread that ends closes does not linger; if it waits all the same,
 * nobody waits for it.
 */
static void bury(int socket)
{
	struct burial burial = { .error = 0 };
	pthread_t thread;
	int error;

	sem_init(&burial.has_copy, 0, 0);
	sem_init(&burial.may_end, 0, 0);
	error = pthread_create(&thread, NULL, end_with_copy, &burial);
	if (!error) {
		while (sem_wait(&burial.has_copy))
			;
		error = burial.error;
		if (!error)
			close(socket);
		sem_post(&burial.may_end);
		/* It is no thread any more before its descriptors are closed. */
		pthread_join(thread, NULL);
	}
	if (error)
		fprintf(stderr,
			"strata: a socket that may hold files of others stays open until the end: "
			"%s\n",
			strerror(error));
	sem_destroy(&burial.has_copy);
	sem_destroy(&burial.may_end);
}

void hang_up(int socket)
{
	if (empty(socket))
		close(socket);
	else
		bury(socket);
}

void hang_up_listener(int socket)
{
	bury(socket);
}
