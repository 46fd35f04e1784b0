// SPDX-License-Identifier: GPL-2.0-or-later
/* hang_up.c - see hang_up.h. */
#include "consumerd/host/hang_up.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Sockets that are closed together, by one thread: making it costs as much as all files that are
 * open. */
#define BURIED_TOGETHER 512u

/* Where no thread can be made, no more than BURIED_TOGETHER wait before the next is accepted; all
 * that are connected then may end meanwhile. */
#define GRAVES_MAX 8192u

/* A close that takes longer did more than to free a socket. */
#define LONG_NS 10000000u

struct burial {
	sem_t has_copy, may_end;
	int error; /* of unshare() */
};

/* Sockets that are to be closed by a thread that ends. */
static int graves[GRAVES_MAX];
static size_t nr_graves;

/*
 * Closing took long once.  Before Linux 6.10 each close of a Unix socket looks for sockets that are
 * only in messages any more, which takes the longer the more of them anybody has put there.  So
 * from then on a thread closes all sockets.
 */
static bool is_slow;

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
 * Ends the connection.  Returns true if nothing is queued and nothing can follow.  The sender's
 * credentials tell a message without bytes from the end of all.  What is queued is not received:
 * it may be hundreds of messages.
 */
static bool end(int socket)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr message;
	const int on = 1;
	ssize_t bytes;

	if (setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    shutdown(socket, SHUT_RDWR))
		return false;
	do {
		memset(&message, 0, sizeof(message));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		bytes = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);
		/* The other end is gone, which is reported once, before the data that it sent. */
	} while (bytes < 0 && (errno == ECONNRESET || errno == EINTR));
	if (bytes < 0)
		return errno == EAGAIN;
	return !message.msg_controllen && !(message.msg_flags & MSG_CTRUNC);
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
 * Closes the sockets for us at once: a thread with a descriptor table of its own has the last
 * descriptors, and ends.  What a thread that ends closes does not linger; if it waits all the same,
 * nobody waits for it.  If no thread can be made, they stay for the next time.
 */
static void bury(void)
{
	static int failed; /* errno, of the last time */
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
		while (!error && nr_graves)
			close(graves[--nr_graves]);
		sem_post(&burial.may_end);
		/* It is no thread any more before its descriptors are closed. */
		pthread_join(thread, NULL);
	}
	if (error && !failed)
		fprintf(stderr,
			"strata: sockets that may carry descriptors of others stay open for now: cannot create a thread to close them: %s\n",
			strerror(error));
	failed = error;
	sem_destroy(&burial.has_copy);
	sem_destroy(&burial.may_end);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void close_at_once(int socket)
{
	const uint64_t begin = now_ns();

	close(socket);
	is_slow |= now_ns() - begin > LONG_NS;
}

static void put_into_grave(int socket)
{
	if (nr_graves >= BURIED_TOGETHER)
		bury();
	/* Not reached by who asks hang_up_has_room(). */
	if (nr_graves == GRAVES_MAX)
		close(graves[--nr_graves]);
	graves[nr_graves++] = socket;
}

void hang_up(int socket)
{
	if (end(socket) && !is_slow)
		close_at_once(socket);
	else
		put_into_grave(socket);
}

bool hang_up_has_room(void)
{
	return nr_graves < BURIED_TOGETHER;
}

void hang_up_tend(void)
{
	if (nr_graves)
		bury();
}

void hang_up_listener(int socket)
{
	put_into_grave(socket);
	bury();
}
