// SPDX-License-Identifier: GPL-2.0-or-later
/* list_app.c - see list_app.h; cmd_list.c calls it. */
#include "list_app.h"

#include <poll.h>
#include <stdio.h>

#include "app.h"
#include "commands.h"
#include "escape.h"

/* One that is well answers at once; one that does not is stopped, or a recorder has it. */
#define ANSWER_MS 200

struct listing {
	bool events;
	const struct list_choice *choice;
	size_t nr;
};

/* Hears of its events.  False: it does not tell them. */
static bool hear_all(struct app *app)
{
	struct pollfd ready = { .fd = app->socket, .events = POLLIN };
	struct strata_error ignored;
	enum app_news news = APP_NO_NEWS;

	while (news == APP_NO_NEWS && poll(&ready, 1, ANSWER_MS) > 0)
		news = app_hear(app, &ignored);
	return news == APP_READY;
}

static void list_one(void *data, int socket)
{
	struct listing *listing = data;
	struct strata_error ignored;
	char name[STRATA_ESCAPED_BYTES(32)];
	struct app app;
	bool told;

	if (app_open(&app, socket, &ignored))
		return;
	listing->nr++;
	told = hear_all(&app);
	strata_escape_name(name, sizeof(name), app.comm);
	if (told)
		printf("  %-10d  %s: %zu events\n", app.pid, name, app.nr_events);
	else
		printf("  %-10d  %s: does not answer; a recorder may have it\n", app.pid, name);
	if (told && listing->events)
		list_kernel_events(app.events, app.nr_events, listing->choice);
	app_close(&app);
}

int list_apps(bool events, const struct list_choice *choice)
{
	struct listing listing = { .events = events, .choice = choice };

	app_call_all(list_one, &listing);
	if (!listing.nr)
		printf("no application that is linked with -lstrata runs here\n");
	return STRATA_STATUS_OK;
}
