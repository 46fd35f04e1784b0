// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_look.c - finds out which process has connected, and who started it.
 *
 * Called by apps.c and apps_talk.c.  Other processes read /proc (peer_look.h), which may take as
 * long as the user of the process likes; a user whose looks do not end has no more of them.
 */
#include "stratad/domains/apps_internal.h"

/* Memory that may be asked for before a user's next process is looked at. */
#define MEMORIES_AHEAD 8u

/* A look takes no longer, unless the process makes it long: the kernel takes 12 ms to tell of one
 * with 65,536 groups, in which a CPU does nothing else.  A user's next looks begin only after as
 * many times what such a look took. */
#define LOOK_NS    1000000u
#define LOOK_PAUSE 20u

/* What is charged for a look at most: where a hypervisor takes the CPU away meanwhile, that counts
 * as time of the look, too. */
#define LOOK_NS_MAX 12000000u

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

/* In the line of its user's programs.  As long as these go on, it has its turn: a burst of programs
 * may take longer to serve than any of them would wait by itself.  The line takes nothing from
 * other users. */
static bool waits_in_vain(const struct apps *apps, const struct application *one)
{
	return is_late(apps, one) && apps_now_ms() - one->who->went_on_ms > apps->silence_ms;
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

	if (one->connection && one->connection->busy)
		return true;
	/* It stays with this user's thread, even if another one is charged for it later. */
	if (!one->connection)
		one->connection =
			app_connection_open(apps->relays, one->who, one->app.socket, &why);
	if (!one->connection) {
		principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
		return !is_late(apps, one) || leave_out(apps, index, &why);
	}
	if (!apps_may_ask(apps, one->who, false)) {
		if (!waits_in_vain(apps, one))
			return true;
		strata_fail(&why, "looks at its user's other processes take long, or do not end");
		return leave_out(apps, index, &why);
	}
	/* Programs that are known come first: where many start at once, the first ones have their
	 * rings before they stop waiting. */
	if (apps_nr_questions(apps, one->who, true) < MEMORIES_AHEAD)
		one->look = apps_ask_about(apps, one, 0);
	if (!one->look) {
		if (!waits_in_vain(apps, one))
			return true;
		strata_fail(&why, "programs of its user before it are not done");
		return leave_out(apps, index, &why);
	}
	principal_charge(one->who, PRINCIPAL_TALKING, PRINCIPAL_FILE_BYTES);
	one->step = APPLICATION_ASKED;
	one->came_ms = apps_now_ms();
	/* What it says is received meanwhile, and heard when it is known whose it is. */
	if (one->connection->inbox)
		return true;
	return !apps_receive(apps, one, &why) || leave_out(apps, index, &why);
}

void apps_name_waiting(struct apps *apps)
{
	struct strata_error why;
	size_t i;

	strata_fail(&why, "the recording ends before programs of its user before it are done");
	for (i = 0; i < apps->nr; i++)
		if (apps->list[i]->step == APPLICATION_ARRIVED && is_late(apps, apps->list[i]))
			apps_leave_out(apps, apps->list[i], &why);
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

/* Its messages are read from now on.  False: it was freed. */
static bool identify(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error why = { "" };
	const bool failed = app_identify(&one->app, &one->names, &why) != 0;

	one->connection->process = one->app.process;
	one->app.process = -1;
	if (failed) {
		/* An ended or unknown process has no number. */
		if (one->app.pid)
			apps_leave_out(apps, one, &why);
		return apps_let_go(apps, index, STRATA_SOURCE_LEFT_OUT);
	}
	one->step = APPLICATION_TELLING;
	one->came_ms = apps_now_ms();
	if (move_to_starter(apps, one, &why))
		return leave_out(apps, index, &why);
	/* Only now that it is known whose share it takes, and whose looks may be kept waiting. */
	apps_order_memory(apps, one);
	return true;
}

bool apps_still_asked(struct apps *apps, size_t index)
{
	struct application *one = apps->list[index];
	struct strata_error why;

	if (one->connection->busy)
		return true;
	if (one->looked)
		return identify(apps, index);
	if (apps->stopping || !is_late(apps, one))
		return true;
	strata_fail(&why, "the look at its process does not end");
	return leave_out(apps, index, &why);
}

/* Takes the names; the application may have been left out meanwhile. */
static void take_names(struct apps *apps, const struct peer_look *look)
{
	size_t i;

	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];

		if (one->step != APPLICATION_ASKED || one->look != look->number)
			continue;
		if (look->later) {
			one->step = APPLICATION_ARRIVED;
			one->look = 0;
			return;
		}
		one->names = look->names;
		one->looked = true;
		return;
	}
}

/* Another helper is asked all that has not been answered. */
static void ask_again(struct apps *apps)
{
	struct application_look asked;
	size_t i = 0;

	while (i < apps->nr_asked)
		if (apps->asked[i].of_memory)
			i++;
		else
			apps_close_question(apps, apps->asked[i].number, &asked);
	for (i = 0; i < apps->nr; i++) {
		struct application *one = apps->list[i];

		if (one->step != APPLICATION_ASKED || one->looked)
			continue;
		one->step = APPLICATION_ARRIVED;
		one->look = 0;
	}
}

/* See apps_replace_helper(). */
static int reopen(struct apps *apps, struct strata_error *error)
{
	peer_looks_close(apps->looks);
	ask_again(apps);
	return peer_looks_open(apps->looks, apps->looks->ancestor, error);
}

void apps_take_looks(struct apps *apps)
{
	struct application_look asked;
	struct peer_look look;
	bool ended;

	while (peer_looks_answer(apps->looks, &look, &ended)) {
		if (!apps_close_question(apps, look.number, &asked))
			continue;
		charge_look(asked.who, look.cpu_ns);
		if (!look.later)
			asked.who->went_on_ms = apps_now_ms();
		take_names(apps, &look);
	}
	if (ended || apps->looks->socket < 0)
		apps_replace_helper(apps, &apps->look_again_ms, &apps->looks->socket,
				    "looks at programs", reopen);
}
