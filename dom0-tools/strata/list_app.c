// SPDX-License-Identifier: GPL-2.0-or-later
/* list_app.c - see list_app.h; cmd_list.c calls it. */
#include "strata/list_app.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumerd/apps/app_socket.h"
#include "consumerd/apps/app_wake.h"
#include "base/exit_status.h"
#include "base/escape.h"
#include "consumerd/host/file_limit.h"
#include "consumerd/host/hang_up.h"
#include "consumerd/host/own_proc.h"
#include "consumerd/host/recorder_number.h"
#include "consumerd/host/run_lock.h"
#include "consumerd/host/proc_text.h"
#include "strata/list_hear.h"
#include "strata/list_json.h"

/* Time limit for all applications together to connect, and then to answer. */
#define COME_MS   2000u
#define ANSWER_MS 1000u

/* How often to check whether all have connected. */
#define LOOK_MS 5

struct listing {
	bool events;
	const struct list_choice *choice;
	struct json_object *json; /* an array; NULL: text */
	struct listed *list[LISTED_MAX];
	size_t nr;
	struct principals *principals;
	struct peer_looks looks;
};

/* Whether another program of that user may be listed. If not, reports whose programs are too
 * many. */
static bool has_share(struct listing *listing, struct listed *one)
{
	struct strata_error why = { "" };
	struct principal *who = principals_user(listing->principals, one->app.uid);

	if (!who)
		return false;
	one->who = who;
	if (!principal_claim(who, PRINCIPAL_CONNECTIONS, 1, &why))
		return true;
	principal_complain(who, "an application is not listed: %s", why.text);
	return false;
}

static void add(struct listing *listing, struct listed *one)
{
	size_t i;

	one->number = listing->nr;
	for (i = 0; i < listing->nr; i++)
		one->turn += listing->list[i]->who == one->who;
	listing->list[listing->nr++] = one;
}

static bool accept_one(struct listing *listing, int listener)
{
	int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct listed *one;
	struct strata_error ignored;

	if (socket < 0)
		return false;
	one = listing->nr < LISTED_MAX ? calloc(1, sizeof(*one)) : NULL;
	if (!one) {
		hang_up(socket);
		return true;
	}
	if (!app_accept(&one->app, socket, &ignored) && has_share(listing, one)) {
		add(listing, one);
		return true;
	}
	app_close(&one->app);
	free(one);
	return true;
}

/* Makes all programs connect to this process, as to recorder @number. Returns 0 or -1. */
static int gather(struct listing *listing, unsigned int number, struct strata_error *error)
{
	struct pollfd ready = { .fd = app_socket_open(number, error), .events = POLLIN };
	struct app_wake wake = { .names_blocked = true };
	uint64_t begin = list_now_ms();
	bool settled = false;

	if (ready.fd < 0)
		return -1;
	if (app_wake_begin(&wake, error)) {
		app_socket_close(ready.fd, number);
		return -1;
	}
	/* Accept after this check: a program that has answered there already waits to be
	 * accepted. */
	while (!settled && list_now_ms() - begin < COME_MS) {
		poll(&ready, 1, LOOK_MS);
		app_wake_tend(&wake);
		settled = app_wake_settled(&wake);
		while (accept_one(listing, ready.fd) && list_now_ms() - begin < COME_MS)
			;
	}
	if (!settled)
		fprintf(stderr,
			"strata: not all running applications answered in %u s: some may not be "
			"listed\n",
			COME_MS / 1000);
	app_wake_end(&wake);
	app_socket_close(ready.fd, number);
	return 0;
}

/* Adds a program to the array. */
static struct json_object *describe(struct json_object *array, pid_t pid, const char *name)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int(pid));
	if (name)
		list_json_text(object, "name", name);
	json_object_array_add(array, object);
	return object;
}

static void list_one(struct listing *listing, struct listed *one)
{
	const bool told = one->state == LISTED_READY;
	struct app *app = &one->app;
	struct json_object *json = NULL;
	char name[STRATA_ESCAPED_BYTES(32)];
	struct event_listing events;
	size_t i;

	if (one->state == LISTED_UNIDENTIFIED)
		return;
	if (one->state == LISTED_CONNECTED) {
		if (listing->json)
			describe(listing->json, app->pid, NULL);
		else
			printf("  %-10d  (the look at its process does not end)\n", app->pid);
		return;
	}
	strata_escape_name(name, sizeof(name), app->comm);
	if (listing->json) {
		json = describe(listing->json, app->pid, app->comm);
		json_object_object_add(json, "uid", json_object_new_int64(app->uid));
		json_object_object_add(json, "answers", json_object_new_boolean(told));
		if (told)
			json_object_object_add(json, "nr_events",
					       json_object_new_uint64(app->nr_events));
	} else if (told) {
		printf("  %-10d  %s: %zu events\n", app->pid, name, app->nr_events);
	} else {
		printf("  %-10d  %s: does not answer\n", app->pid, name);
	}
	if (!told || !listing->events)
		return;
	list_events_begin(&events, listing->choice, json);
	for (i = 0; i < app->nr_events; i++)
		list_events_next(&events, app->events[i]);
	list_events_end(&events);
}

/* Each user's first program, then each user's second one: a user with many programs does not use up
 * the time of the looks at another user's. */
static int compare_turns(const void *first, const void *second)
{
	const struct listed *one = *(struct listed *const *)first;
	const struct listed *other = *(struct listed *const *)second;

	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static void list_all(struct listing *listing)
{
	const uint64_t until_ms = list_now_ms() + ANSWER_MS;
	size_t i;

	qsort(listing->list, listing->nr, sizeof(struct listed *), compare_turns);
	list_hear(listing->list, listing->nr, &listing->looks, until_ms);
	for (i = 0; i < listing->nr; i++)
		list_one(listing, listing->list[i]);
	for (i = 0; i < listing->nr; i++) {
		app_close(&listing->list[i]->app);
		free(listing->list[i]);
	}
}

/* A recorder maps the pages of the programs that it calls, but has no such page itself. */
static bool is_recorder(const struct app_process *process)
{
	char link[64], path[PATH_MAX], own_path[PATH_MAX];

	snprintf(link, sizeof(link), "%d/exe", process->pid);
	return own_proc_link(link, path, sizeof(path)) &&
	       own_proc_link("self/exe", own_path, sizeof(own_path)) && strcmp(path, own_path) == 0;
}

static bool list_process(const struct app_process *process)
{
	char comm[32], name[STRATA_ESCAPED_BYTES(32)];

	if (is_recorder(process) || !proc_text_read(process->pid, "comm", comm, sizeof(comm)))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	strata_escape_name(name, sizeof(name), comm);
	printf("  %-10d  %s\n", process->pid, name);
	fflush(stdout);
	return true;
}

/* Lists what is visible of programs without their cooperation. Returns their number. */
static size_t list_waiting(void)
{
	struct app_wake wake = { .lists = list_process };
	struct strata_error error;
	size_t nr;

	/* Otherwise the child would print the buffered output again. */
	fflush(stdout);
	if (app_wake_begin(&wake, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		return 0;
	}
	while (!app_wake_settled(&wake)) {
		poll(NULL, 0, LOOK_MS);
		app_wake_tend(&wake);
	}
	nr = app_wake_listed(&wake);
	app_wake_end(&wake);
	return nr;
}

int list_apps(bool events, const struct list_choice *choice, struct json_object *json)
{
	struct listing listing = { .events = events,
				   .choice = choice,
				   .json = json ? list_json_array(json, "applications") : NULL,
				   .principals = principals_new() };
	struct strata_error error = { "" };
	unsigned int number;
	int lock = recorder_number_take_briefly("lists programs", &number, &error);
	size_t nr;

	if (!listing.principals) {
		fprintf(stderr, "strata: out of memory\n");
		return STRATA_STATUS_FAILED;
	}
	principals_set_total(listing.principals, PRINCIPAL_CONNECTIONS, LISTED_MAX);
	principals_lower_total(listing.principals, PRINCIPAL_CONNECTIONS, file_limit_raise() / 2);
	/* Without a number they have no channel for us, and a child prints what can be seen. */
	if (lock < 0 && json) {
		fprintf(stderr,
			"strata: programs cannot be listed as JSON now: %s; without --json, their "
			"names can\n",
			error.text);
		principals_free(listing.principals);
		return STRATA_STATUS_FAILED;
	}
	if (lock < 0) {
		nr = list_waiting();
		fprintf(stderr, "strata: their events cannot be listed now: %s\n", error.text);
	} else if (peer_looks_open(&listing.looks, 0, &error) || gather(&listing, number, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		peer_looks_close(&listing.looks);
		run_lock_release(lock);
		return STRATA_STATUS_FAILED;
	} else {
		nr = listing.nr;
		list_all(&listing);
		peer_looks_close(&listing.looks);
		run_lock_release(lock);
	}
	principals_sum_up(listing.principals);
	principals_free(listing.principals);
	if (!nr && !json)
		printf("no running application is linked with -lstrata\n");
	return STRATA_STATUS_OK;
}
