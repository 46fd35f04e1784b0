// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_look.c - finds out which process has connected, and who started it.
 *
 * Called by apps.c and apps_talk.c.  Other processes read /proc (peer_look.h), which may take as
 * long as the user of the process likes; a user whose looks do not end has no more of them.
 */
#include "stratad/domains/apps_internal.h"

#include <stdlib.h>

#include "base/array.h"

/* Looks of one user that have not been answered. */
#define LOOKS_AT_ONCE 32u

/* A look takes no longer, unless the process makes it long: the kernel takes 12 ms to tell of one
 * with 65,536 groups, in which a CPU does nothing else.  A user's next looks begin only after as
 * many times what such a look took. */
#define LOOK_NS    1000000u
#define LOOK_PAUSE 20u

/* What is charged for a look at most: where a hypervisor takes the CPU away meanwhile, that counts
 * as time of the look, too. */
#define LOOK_NS_MAX 12000000u

static unsigned int nr_looks_of(const struct apps *apps, const struct principal *who)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < apps->nr_asked; i++)
		nr += apps->asked[i].who == who;
	return nr;
}

static bool may_be_asked(const struct apps *apps, const struct principal *who)
{
	return nr_looks_of(apps, who) < LOOKS_AT_ONCE && apps_now_ns() >= who->looks_from_ns;
}

/* As time, and not as credit in the loop's turns: other processes look, on any CPU. */
static void charge_look(struct principal *who, uint64_t cpu_ns)
{
	const uint64_t now_ns = apps_now_ns();

	if (cpu_ns <= LOOK_NS || who->trusted)
		return;
	if (cpu_ns > LOOK_NS_MAX)
		cpu_ns = LOOK_NS_MAX;
	if (who->looks_from_ns < now_ns)
		who->looks_from_ns = now_ns;
	who->looks_from_ns += LOOK_PAUSE * cpu_ns;
}

static bool is_late(const struct apps *apps, const struct application *one)
{
	return apps_now_ms() - one->came_ms > apps->silence_ms;
}

/* False: it was freed. */
static bool leave_out(struct apps *apps, size_t index, const struct strata_error *why)
{
	apps_leave_out(apps, apps->list[index], why);
	return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
}

bool apps_ask(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error why;

	/* It stays with this user's thread, even if another one is charged for it later. */
	if (!one->connection)
		one->connection =
			app_connection_open(apps->relays, one->who, one->app.socket, &why);
	if (!one->connection) {
		principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
		return !is_late(apps, one) || leave_out(apps, index, &why);
	}
	if (!may_be_asked(apps, one->who)) {
		if (!is_late(apps, one))
			return true;
		strata_fail(&why, "looks at its user's other processes take long, or do not end");
		return leave_out(apps, index, &why);
	}
	if (!STRATA_GROW(apps->asked, apps->nr_asked, apps->asked_capacity) ||
	    !peer_looks_ask(apps->looks, apps->last_look + 1, one->app.pid))
		return true;
	one->look = ++apps->last_look;
	apps->asked[apps->nr_asked++] =
		(struct application_look){ .number = one->look, .who = one->who };
	principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
	one->step = APPLICATION_ASKED;
	one->came_ms = apps_now_ms();
	return true;
}

bool apps_still_asked(struct apps *apps, size_t index)
{
	struct strata_error why;

	if (apps->stopping || !is_late(apps, apps->list[index]))
		return true;
	strata_fail(&why, "the look at its process does not end");
	return leave_out(apps, index, &why);
}

/* Charges a set-user-ID program to the user who started it. 0 or -1. */
static int move_to_starter(struct apps *apps, struct application *one, struct strata_error *error)
{
	struct principal *who = principals_user(apps_principals(apps), one->app.starter);

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

/* Its messages are read from now on. */
static void identify(struct apps *apps, size_t index, const struct peer_names *names)
{
	struct application *one = apps->list[index];
	struct strata_error why = { "" };
	const bool failed = app_identify(&one->app, names, &why) != 0;

	one->connection->process = one->app.process;
	one->app.process = -1;
	if (failed) {
		/* An ended or unknown process has no number. */
		if (one->app.pid)
			apps_leave_out(apps, one, &why);
		apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
		return;
	}
	one->step = APPLICATION_TELLING;
	one->came_ms = apps_now_ms();
	if (move_to_starter(apps, one, &why))
		leave_out(apps, index, &why);
}

/* Charges its user for a look that has ended. */
static void forget_look(struct apps *apps, const struct peer_look *look)
{
	size_t i = 0;

	while (i < apps->nr_asked && apps->asked[i].number != look->number)
		i++;
	if (i == apps->nr_asked)
		return;
	charge_look(apps->asked[i].who, look->cpu_ns);
	apps->asked[i] = apps->asked[--apps->nr_asked];
}

void apps_take_looks(struct apps *apps)
{
	struct peer_look look;
	size_t i;

	while (peer_looks_answer(apps->looks, &look)) {
		forget_look(apps, &look);
		for (i = 0; i < apps->nr; i++)
			if (apps->list[i]->step == APPLICATION_ASKED &&
			    apps->list[i]->look == look.number)
				break;
		/* It may have been left out meanwhile. */
		if (i == apps->nr)
			continue;
		if (look.later)
			apps->list[i]->step = APPLICATION_ARRIVED;
		else
			identify(apps, i, &look.names);
	}
}
