// SPDX-License-Identifier: GPL-2.0-or-later
/* list_hear.c - see list_hear.h; list_app.c calls it. */
#include "stratad/listing/list_hear.h"

#include <poll.h>
#include <stdbool.h>
#include <time.h>

#include "base/clock.h"

/* Messages of all programs of a user in a round. */
#define ROUND_MESSAGES 256u

struct hearing {
	struct listed *const *list;
	size_t nr, nr_asked; /* the first programs: their looks are asked for */
	struct peer_looks *looks;
	bool looks_ended;
	struct pollfd ready[LISTED_MAX + 1]; /* the last: the looks */
};

static void share_rounds(struct hearing *hearing)
{
	size_t i, j;

	for (i = 0; i < hearing->nr; i++) {
		unsigned int of_user = 0;

		for (j = 0; j < hearing->nr; j++)
			of_user += hearing->list[j]->who == hearing->list[i]->who;
		hearing->list[i]->round_messages =
			of_user < ROUND_MESSAGES ? ROUND_MESSAGES / of_user : 1;
	}
}

static void ask_looks(struct hearing *hearing)
{
	while (hearing->nr_asked < hearing->nr &&
	       peer_looks_ask(hearing->looks, hearing->nr_asked,
			      hearing->list[hearing->nr_asked]->app.pid))
		hearing->nr_asked++;
}

static void take_looks(struct hearing *hearing)
{
	struct strata_error ignored;
	struct peer_look look;
	bool ended;

	while (peer_looks_answer(hearing->looks, &look, &ended)) {
		struct listed *one = hearing->list[look.number];

		if (!look.later)
			one->state = app_identify(&one->app, &look.names, &ignored)
					     ? LISTED_UNIDENTIFIED
					     : LISTED_SPEAKING;
	}
}

/* Receives a program's messages of this round. */
static void take_messages(struct listed *one)
{
	struct app_incoming arrived;
	struct strata_error ignored;
	unsigned int i;

	for (i = 0; i < one->round_messages && one->state == LISTED_SPEAKING; i++) {
		app_message_receive(one->app.socket, &arrived);
		if (arrived.kind == APP_ARRIVAL_NONE)
			return;
		switch (app_take(&one->app, &arrived, &ignored)) {
		case APP_NO_NEWS:
			break;
		case APP_READY:
			one->state = LISTED_READY;
			break;
		default:
			one->state = LISTED_GONE;
		}
	}
}

/* Waits for a message or a look.  False: the state of each program is final, or the time is over.
 */
static bool await_any(struct hearing *hearing, uint64_t until_ms)
{
	const uint64_t now = clock_now_ms(CLOCK_MONOTONIC);
	bool pending = false;
	size_t i;

	for (i = 0; i < hearing->nr; i++) {
		const struct listed *one = hearing->list[i];

		hearing->ready[i].fd = one->state == LISTED_SPEAKING ? one->app.socket : -1;
		hearing->ready[i].events = POLLIN;
		pending |= one->state == LISTED_CONNECTED || one->state == LISTED_SPEAKING;
	}
	/* It looks at no more processes once it has hung up. */
	if (hearing->ready[i].revents & (POLLHUP | POLLERR))
		hearing->looks_ended = true;
	hearing->ready[i].fd = hearing->looks_ended ? -1 : hearing->looks->socket;
	hearing->ready[i].events = hearing->nr_asked < hearing->nr ? POLLIN | POLLOUT : POLLIN;
	return pending && now < until_ms &&
	       poll(hearing->ready, hearing->nr + 1, (int)(until_ms - now)) > 0;
}

void list_hear(struct listed *const *list, size_t nr, struct peer_looks *looks, uint64_t until_ms)
{
	struct hearing hearing = { .list = list, .nr = nr, .looks = looks };
	size_t i;

	share_rounds(&hearing);
	ask_looks(&hearing);
	while (await_any(&hearing, until_ms)) {
		for (i = 0; i < nr && clock_now_ms(CLOCK_MONOTONIC) < until_ms; i++)
			if (hearing.ready[i].revents)
				take_messages(list[i]);
		ask_looks(&hearing);
		take_looks(&hearing);
	}
}
