// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_connect.c - accepts the connections of applications, and charges them to their users.
 *
 * Called by apps.c.  It never reads a message (apps_talk.c does), and never waits.
 */
#include "stratad/domains/apps_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumerd/host/hang_up.h"

/* The listen queue mixes all users, so it is emptied fast; then each connection waits behind others
 * of its own user. */
#define ACCEPTS_PER_TURN 512u

/* Admits an application if its user's share allows it. 0 or -1. */
static int admit(struct apps *apps, struct application *one)
{
	struct epoll_event interest = { .events = EPOLLIN };
	struct strata_error why = { "" };

	one->who = principals_user(recorder_principals(apps->recorder), one->app.uid);
	if (!one->who) {
		apps_note_one_too_many(apps, "applications");
		return -1;
	}
	if (principal_claim(one->who, PRINCIPAL_CONNECTIONS, 1, &why)) {
		apps->left_out++;
		principal_complain(one->who, "an application is left out: %s", why.text);
		return -1;
	}
	if (!epoll_ctl(apps->epoll, EPOLL_CTL_ADD, one->app.socket, &interest))
		return 0;
	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	apps_note_one_too_many(apps, "applications");
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
	one->watch = -1;
	apps->list[apps->nr++] = one;
}

/* Charges a set-user-ID program to the user who started it. 0 or -1. */
static int move_to_starter(struct apps *apps, struct application *one, struct strata_error *error)
{
	struct principal *who =
		principals_user(recorder_principals(apps->recorder), one->app.starter);

	if (who == one->who)
		return 0;
	if (!who)
		return strata_fail(error, "out of memory");
	if (principal_claim(who, PRINCIPAL_CONNECTIONS, 1, error))
		return -1;
	principal_give_back(one->who, PRINCIPAL_CONNECTIONS, 1);
	one->who = who;
	return 0;
}

bool apps_receive(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error why = { "" };

	principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
	if (app_identify(&one->app, &why)) {
		/* An ended or unknown process has no number. */
		if (one->app.pid)
			apps_leave_out(apps, one, &why);
		return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	}
	one->step = APPLICATION_TELLING;
	one->came_ms = apps_now_ms();
	if (!move_to_starter(apps, one, &why))
		return true;
	apps_leave_out(apps, one, &why);
	return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
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
	apps->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
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
	unsigned int i;

	apps->all_accepted = false;
	for (i = 0; i < ACCEPTS_PER_TURN && !apps->stopping; i++) {
		int socket;

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
