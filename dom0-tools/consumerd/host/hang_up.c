// SPDX-License-Identifier: GPL-2.0-or-later
/* hang_up.c - see hang_up.h. */
#include "consumerd/host/hang_up.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumerd/host/last_close.h"
#include "consumerd/host/other_cpus.h"
#include "consumerd/host/spare_threads.h"

/* Sockets that are closed together, by one thread: creating it costs time in proportion to all open
 * files. */
#define CLOSED_TOGETHER 512u

/* While no thread can be created, nobody is accepted when CLOSED_TOGETHER are pending; all who are
 * connected then may still end. */
#define PENDING_MAX 8192u

struct closing {
	struct last_close last_close;
	int cpu; /* where the loop runs */
};

/* Sockets to be closed by an exiting thread. */
static int pending[PENDING_MAX];
static size_t nr_pending;

bool hang_up_look(int socket, bool *carries)
{
	struct msghdr message = { .msg_iov = NULL };
	/* The message stays queued, so none of its descriptors is closed. We give no space for
	 * descriptors: the kernel reports that they were truncated. */
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
		/* The other end has closed, which is reported once, before the data that it
		 * sent. */
	} while (bytes < 0 && (errno == ECONNRESET || errno == EINTR));
	if (bytes < 0)
		return errno == EAGAIN;
	return !message.msg_controllen && !(message.msg_flags & MSG_CTRUNC);
}

static void *end_with_copy(void *argument)
{
	struct closing *closing = argument;

	other_cpus_than(closing->cpu);
	last_close_hold(&closing->last_close);
	return NULL;
}

/*
 * Closes all these sockets without blocking us, by a thread that ends (last_close.h); if that
 * blocks nevertheless, nothing waits for it.  If no thread can be created, the sockets stay for the
 * next attempt.
 */
static void close_pending(void)
{
	static int failed; /* errno of the last attempt */
	struct closing closing = { .cpu = sched_getcpu() };
	pthread_t thread;
	int error;

	last_close_init(&closing.last_close);
	error = spare_thread_take(&thread, end_with_copy, &closing);
	if (!error) {
		error = last_close_await(&closing.last_close);
		while (!error && nr_pending)
			close(pending[--nr_pending]);
		last_close_allow(&closing.last_close);
		/* It stops being a thread before its descriptors are closed. */
		pthread_join(thread, NULL);
	}
	/* One is being made. */
	if (error == EBUSY)
		error = failed;
	else if (error && !failed)
		fprintf(stderr,
			"strata: cannot create a thread to close sockets that may carry descriptors of others: %s; they stay open until one can be created\n",
			strerror(error));
	failed = error;
	last_close_destroy(&closing.last_close);
}

void hang_up(int socket)
{
	if (nr_pending >= CLOSED_TOGETHER)
		close_pending();
	/* Callers that ask hang_up_has_room() never get here. */
	if (nr_pending == PENDING_MAX)
		close(pending[--nr_pending]);
	pending[nr_pending++] = socket;
}

bool hang_up_clean(int socket)
{
	if (!end(socket))
		return false;
	close(socket);
	return true;
}

bool hang_up_has_room(void)
{
	return nr_pending < CLOSED_TOGETHER;
}

void hang_up_tend(void)
{
	if (nr_pending)
		close_pending();
}

void hang_up_listener(int socket)
{
	hang_up(socket);
	close_pending();
}
