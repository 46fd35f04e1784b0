// SPDX-License-Identifier: GPL-2.0-or-later
/* list_app.c - see list_app.h; cmd_list.c calls it. */
#include "strata/list_app.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "consumerd/apps/app.h"
#include "consumerd/apps/app_find.h"
#include "consumerd/apps/app_socket.h"
#include "consumerd/apps/app_wake.h"
#include "base/exit_status.h"
#include "base/escape.h"
#include "consumerd/host/lock.h"
#include "consumerd/host/proc_text.h"

/* All of them together may take so long to come, and then so long to say what they have. */
#define COME_MS   2000u
#define ANSWER_MS 1000u

/* How often it is looked whether all have come. */
#define LOOK_MS 5

/* Each is a file. */
#define LISTED_MAX 1000u

struct listing {
	bool events;
	const struct list_choice *choice;
	int sockets[LISTED_MAX];
	size_t nr;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static bool accept_one(struct listing *listing, int listener)
{
	int socket = listing->nr == LISTED_MAX
			     ? -1
			     : accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (socket < 0)
		return false;
	listing->sockets[listing->nr++] = socket;
	return true;
}

/* Has those that wait for a recorder come to us.  0 or -1. */
static int gather(struct listing *listing, struct strata_error *error)
{
	struct pollfd ready = { .fd = app_socket_open(error), .events = POLLIN };
	struct app_wake wake = { .child = 0 };
	uint64_t begin = now_ms();
	bool settled = false;

	if (ready.fd < 0)
		return -1;
	if (app_wake_begin(&wake, error)) {
		app_socket_close(ready.fd);
		return -1;
	}
	/* In this order: who has answered there waits to be accepted. */
	while (!settled && now_ms() - begin < COME_MS) {
		poll(&ready, 1, LOOK_MS);
		app_wake_tend(&wake);
		settled = app_wake_settled(&wake);
		while (accept_one(listing, ready.fd) && now_ms() - begin < COME_MS)
			;
	}
	app_wake_end(&wake);
	app_socket_close(ready.fd);
	return 0;
}

/* Hears of its events.  False: it does not tell them. */
static bool hear_all(struct app *app, uint64_t until_ms)
{
	struct pollfd ready = { .fd = app->socket, .events = POLLIN };
	struct strata_error ignored;
	enum app_news news = APP_NO_NEWS;

	while (news == APP_NO_NEWS) {
		uint64_t now = now_ms();

		if (poll(&ready, 1, now < until_ms ? (int)(until_ms - now) : 0) <= 0)
			return false;
		news = app_hear(app, &ignored);
	}
	return news == APP_READY;
}

static void list_one(const struct listing *listing, int socket, uint64_t until_ms)
{
	struct strata_error ignored;
	char name[STRATA_ESCAPED_BYTES(32)];
	struct app app;
	bool told;

	if (app_open(&app, socket, &ignored))
		return;
	told = hear_all(&app, until_ms);
	strata_escape_name(name, sizeof(name), app.comm);
	if (told)
		printf("  %-10d  %s: %zu events\n", app.pid, name, app.nr_events);
	else
		printf("  %-10d  %s: does not answer\n", app.pid, name);
	if (told && listing->events)
		list_kernel_events(app.events, app.nr_events, listing->choice);
	app_close(&app);
}

/* What can be seen of programs without a word from them.  Returns how many there are. */
static size_t list_waiting(void)
{
	struct app_page_place places[APP_PAGES_MAX];
	struct strata_error error;
	struct app_process *list;
	size_t nr, i, found = 0;
	char comm[32], name[STRATA_ESCAPED_BYTES(32)];

	if (app_find_processes(&list, &nr, &error))
		fprintf(stderr, "strata: %s\n", error.text);
	for (i = 0; i < nr; i++) {
		if (!app_find_pages(list[i].pid, places) ||
		    !proc_text_read(list[i].pid, "comm", comm, sizeof(comm)))
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		strata_escape_name(name, sizeof(name), comm);
		printf("  %-10d  %s\n", list[i].pid, name);
		found++;
	}
	free(list);
	return found;
}

int list_apps(bool events, const struct list_choice *choice)
{
	struct listing listing = { .events = events, .choice = choice };
	struct strata_error error;
	int lock = recorder_lock(&error);
	uint64_t until_ms;
	size_t i, nr;

	/* A recorder has the socket to which they would come. */
	if (lock < 0) {
		nr = list_waiting();
		fprintf(stderr, "strata: what events they have cannot be seen now: %s\n",
			error.text);
	} else if (gather(&listing, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		close(lock);
		return STRATA_STATUS_FAILED;
	} else {
		nr = listing.nr;
		until_ms = now_ms() + ANSWER_MS;
		for (i = 0; i < nr; i++)
			list_one(&listing, listing.sockets[i], until_ms);
		close(lock);
	}
	if (!nr)
		printf("no application that is linked with -lstrata runs here\n");
	return STRATA_STATUS_OK;
}
