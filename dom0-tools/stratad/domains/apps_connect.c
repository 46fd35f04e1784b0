// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_connect.c - accepts the connections of applications, and charges them to their users.
 *
 * Called by apps.c.  It never looks at a process (apps_look.c does) or reads a message
 * (apps_talk.c), and never waits.
 */
#include "stratad/domains/apps_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#include "consumerd/host/hang_up.h"

/* The listen queue mixes all users, so it is emptied fast; then each connection waits behind others
 * of its own user. */
#define ACCEPTS_PER_TURN 512u

/* Where a connection carries descriptors (Linux 6.10 to 6.15), to accept it may take 0.1 s of CPU
 * time: others wait for one of them, and not for all that are in the queue. */
#define ACCEPTS_NS 20000000u

/* Admits an application if its user's share allows it. 0 or -1. */
static int admit(struct apps *apps, struct application *one)
{
	struct strata_error why = { "" };

	one->who = principals_user(apps_principals(apps), one->app.uid);
	if (!one->who) {
		apps_note_one_too_many(apps, "applications");
		return -1;
	}
	if (!principal_claim(one->who, PRINCIPAL_CONNECTIONS, 1, &why))
		return 0;
	apps->left_out++;
	principal_complain(one->who, "an application is left out: %s", why.text);
	return -1;
}

static void take_in(struct apps *apps, int socket)
{
	struct application *one = calloc(1, sizeof(*one));
	struct application **list =
		reallocarray(apps->list, apps->nr + 1, sizeof(struct application *));
	struct strata_error ignored;

	if (list)
		apps->list = list;
	if (!one || !list) {
		apps_note_one_too_many(apps, "applications");
		free(one);
		hang_up(socket);
		return;
	}
	if (app_accept(&one->app, socket, &ignored) || admit(apps, one)) {
		app_close(&one->app);
		free(one);
		return;
	}
	one->step = APPLICATION_ARRIVED;
	one->came_ms = apps_now_ms();
	one->watch = -1;
	apps->list[apps->nr++] = one;
}

int apps_spare(const struct apps *apps)
{
	return fcntl(apps->epoll, F_DUPFD_CLOEXEC, 0);
}

/*
 * Accepts and closes one connection when no descriptors are left: otherwise it would wake us
 * repeatedly, and its program would wait in vain before main(). False: no connection, or no spare
 * descriptor.
 */
static bool send_away(struct apps *apps)
{
	int socket;

	if (apps->spare < 0)
		return false;
	close(apps->spare);
	socket = accept4(apps->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (socket >= 0) {
		apps_note_one_too_many(apps, "files open (ulimit -n)");
		hang_up(socket);
	}
	apps->spare = apps_spare(apps);
	return socket >= 0;
}

/* Whether connections may be accepted.  If not, those that come do not wake us. */
static bool may_accept(struct apps *apps)
{
	const bool may = hang_up_has_room();
	struct epoll_event interest = { .events = may ? EPOLLIN : 0 };

	if (may == apps->deaf && !epoll_ctl(apps->epoll, EPOLL_CTL_MOD, apps->listener, &interest))
		apps->deaf = !may;
	return may;
}

void apps_accept_new(struct apps *apps)
{
	const uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	unsigned int i;

	apps->all_accepted = false;
	for (i = 0; i < ACCEPTS_PER_TURN && !apps->stopping; i++) {
		int socket;

		if (clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns > ACCEPTS_NS)
			return;

		if (!may_accept(apps))
			return;
		socket = accept4(apps->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (socket >= 0)
			take_in(apps, socket);
		else if ((errno != EMFILE && errno != ENFILE) || !send_away(apps))
			break;
	}
	apps->all_accepted = i < ACCEPTS_PER_TURN;
}
