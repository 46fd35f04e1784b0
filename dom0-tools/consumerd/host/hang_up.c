// SPDX-License-Identifier: GPL-2.0-or-later
/* hang_up.c - see hang_up.h. */
#include "consumerd/host/hang_up.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "consumerd/host/last_close.h"
#include "consumerd/host/other_cpus.h"
#include "consumerd/host/spare_threads.h"
#include "consumerd/host/worker.h"

/* While this many sockets wait to be closed, no connection is accepted: at most, and of the files
 * that the process may open. */
#define WAITING_MAX     512u
#define WAITING_DIVISOR 16u

/* Those that are being closed, those that wait, and all who are connected then and may still end.
 */
#define PENDING_MAX 8192u

#define PAUSE_NS 1000000

/* How often the end of the recording looks whether all are closed, with a pause before each look:
 * half a second. */
#define END_LOOKS 500u

/* The sockets that are closed together: taking a copy of all open files costs time in proportion to
 * them. */
struct closing {
	struct work work;
	struct last_close last_close;
	size_t nr; /* the first of pending[], which belong to the worker; 0: none is under way */
	int cpu;   /* where the loop runs */
	int error; /* errno: none was closed */
};

static int pending[PENDING_MAX];
static size_t nr_pending;
static size_t waiting_max = WAITING_MAX;
static struct closing closing;
static struct worker *closer; /* NULL: no thread was needed, or could be made, yet */
static bool failed;           /* the last attempt */

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
	struct closing *copied = argument;

	last_close_hold(&copied->last_close);
	/* Not earlier: on a crowded CPU the sockets would wait for the copy, too. */
	other_cpus_than(copied->cpu);
	return NULL;
}

/*
 * Closes the sockets without a last close, by a thread that ends (last_close.h).  In the worker's
 * thread, which shares its descriptors with the loop: their numbers are nobody else's until they
 * are closed, and each is closed once.  It waits for the other thread, which may get no CPU for as
 * long as users keep theirs busy.
 */
static void close_all(struct work *work)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct closing *all = (struct closing *)work;
	pthread_t thread;
	size_t i;

	last_close_init(&all->last_close);
	while ((all->error = spare_thread_take(&thread, end_with_copy, all)) == EBUSY)
		nanosleep(&pause, NULL);
	if (!all->error) {
		all->error = last_close_await(&all->last_close);
		for (i = 0; !all->error && i < all->nr; i++)
			close(pending[i]);
		last_close_allow(&all->last_close);
		/* It stops being a thread before its descriptors are closed. */
		pthread_join(thread, NULL);
	}
	last_close_destroy(&all->last_close);
}

/* Reports the first of several failures.  @why: NULL: it did not fail */
static void note_failure(const char *why)
{
	if (why && !failed)
		fprintf(stderr,
			"strata: cannot create a thread to close sockets that may carry descriptors of others: %s; they stay open until one can be created\n",
			why);
	failed = why != NULL;
}

/* Takes the sockets back from the worker.  False: they are being closed. */
static bool take_back(void)
{
	if (!closing.nr)
		return true;
	if (!worker_take(closer))
		return false;
	if (!closing.error) {
		nr_pending -= closing.nr;
		memmove(pending, pending + closing.nr, nr_pending * sizeof(pending[0]));
	}
	note_failure(closing.error ? strerror(closing.error) : NULL);
	closing.nr = 0;
	return true;
}

void hang_up_tend(void)
{
	struct strata_error error;

	if (!take_back() || !nr_pending)
		return;
	if (!closer)
		closer = worker_open(-1, &error);
	if (!closer) {
		if (errno != EBUSY)
			note_failure(error.text);
		return;
	}
	closing.work.run = close_all;
	closing.nr = nr_pending;
	closing.cpu = sched_getcpu();
	worker_give(closer, &closing.work);
}

void hang_up(int socket)
{
	/* Callers that ask hang_up_has_room() never get here. */
	if (nr_pending == PENDING_MAX) {
		close(socket);
		return;
	}
	pending[nr_pending++] = socket;
	if (nr_pending >= waiting_max)
		hang_up_tend();
}

unsigned long hang_up_limit(unsigned long files)
{
	if (files / WAITING_DIVISOR < WAITING_MAX)
		waiting_max = files / WAITING_DIVISOR ? files / WAITING_DIVISOR : 1;
	/* As many may be under way. */
	return 2 * waiting_max;
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
	/* Those that are being closed soon need no room; if no thread can be made, they do.  Many
	 * connections that end at once can be more than may wait: the others then take the place of
	 * new connections. */
	const size_t leaving = closing.nr < waiting_max ? closing.nr : waiting_max;

	return nr_pending < waiting_max + (failed ? 0 : leaving);
}

bool hang_up_is_done(void)
{
	return !nr_pending;
}

void hang_up_listener(int socket)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	unsigned int looks;

	hang_up(socket);
	hang_up_tend();
	for (looks = 0; looks < END_LOOKS && !hang_up_is_done(); looks++) {
		nanosleep(&pause, NULL);
		hang_up_tend();
	}
	if (closing.nr || !closer)
		return;
	worker_leave(closer);
	closer = NULL;
}
