// SPDX-License-Identifier: GPL-2.0-or-later
/* list_app.c - see list_app.h; list_request.c calls it. */
#include "stratad/listing/list_app.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#include "consumerd/apps/app_socket.h"
#include "consumerd/apps/app_wake.h"
#include "consumerd/host/file_limit.h"
#include "consumerd/host/hang_up.h"
#include "consumerd/host/own_proc.h"
#include "consumerd/host/recorder_number.h"
#include "consumerd/host/run_lock.h"
#include "consumerd/host/proc_text.h"
#include "control/sibling.h"
#include "stratad/listing/list_hear.h"
#include "stratad/listing/list_json.h"

/* Time limit for all applications together to connect, and then to answer. */
#define COME_MS   2000u
#define ANSWER_MS 1000u

/* How often to check whether all have connected. */
#define LOOK_MS 5

struct listing {
	const struct list_choice *choice;
	struct json_object *json; /* an array */
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
	uint64_t begin = clock_now_ms(CLOCK_MONOTONIC);
	bool settled = false;

	if (ready.fd < 0)
		return -1;
	if (app_wake_begin(&wake, error)) {
		app_socket_close(ready.fd, number);
		return -1;
	}
	/* Accept after this check: a program that has answered there already waits to be
	 * accepted. */
	while (!settled && clock_now_ms(CLOCK_MONOTONIC) - begin < COME_MS) {
		poll(&ready, 1, LOOK_MS);
		app_wake_tend(&wake);
		settled = app_wake_settled(&wake);
		while (accept_one(listing, ready.fd) &&
		       clock_now_ms(CLOCK_MONOTONIC) - begin < COME_MS)
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

/* Adds a program to the array.  @name: NULL: unknown */
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
	struct json_object *json;
	struct event_listing events;
	size_t i;

	if (one->state == LISTED_UNIDENTIFIED)
		return;
	if (one->state == LISTED_CONNECTED) {
		describe(listing->json, app->pid, NULL);
		return;
	}
	json = describe(listing->json, app->pid, app->comm);
	json_object_object_add(json, "uid", json_object_new_int64(app->uid));
	json_object_object_add(json, "answers", json_object_new_boolean(told));
	if (!told)
		return;
	json_object_object_add(json, "nr_events", json_object_new_uint64(app->nr_events));
	if (!listing->choice->events)
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
	const uint64_t until_ms = clock_now_ms(CLOCK_MONOTONIC) + ANSWER_MS;
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

/* Limit of programs that are listed without their cooperation. */
#define FOUND_MAX 65536u

/* Those that were found, in memory that the child shares that looks for them. */
struct found {
	uint32_t nr;
	struct {
		pid_t pid;
		char comm[32];
	} programs[FOUND_MAX];
};

static struct found *found;

/* Whether a process runs a program of this build. */
static bool runs_sibling(pid_t pid, const char *program)
{
	char link[64], path[PATH_MAX], sibling[PATH_MAX];
	struct strata_error ignored;

	snprintf(link, sizeof(link), "%d/exe", pid);
	return own_proc_link(link, path, sizeof(path)) &&
	       !sibling_path(program, sibling, &ignored) && strcmp(path, sibling) == 0;
}

/* A recorder maps the pages of the programs that it calls, but has no such page itself. */
static bool is_recorder(const struct app_process *process)
{
	return runs_sibling(process->pid, "strata") ||
	       runs_sibling(process->pid, "strata-consumerd") ||
	       runs_sibling(process->pid, "stratad");
}

/* A child that is killed here leaves the number as it was. */
static void find_process(const struct app_process *process)
{
	const uint32_t nr = found->nr;
	char *comm = found->programs[nr % FOUND_MAX].comm;

	if (nr == FOUND_MAX || is_recorder(process) ||
	    !proc_text_read(process->pid, "comm", comm, sizeof(found->programs[nr].comm)))
		return;
	comm[strcspn(comm, "\n")] = '\0';
	found->programs[nr].pid = process->pid;
	/* Release: the entry is complete before the number counts it, wherever this child is
	 * killed. */
	strata_store_release(&found->nr, nr + 1);
}

/* Has a child find what is visible of programs without their cooperation.  0 or -1. */
static int find_waiting(struct strata_error *error)
{
	struct app_wake wake = { .lists = find_process };

	if (app_wake_begin(&wake, error))
		return -1;
	while (!app_wake_settled(&wake)) {
		poll(NULL, 0, LOOK_MS);
		app_wake_tend(&wake);
	}
	app_wake_end(&wake);
	return 0;
}

static int list_waiting(struct json_object *array, struct strata_error *error)
{
	int failed;
	uint32_t i;

	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (found == MAP_FAILED)
		return strata_fail(error, "no memory for a list of programs: %s", strerror(errno));
	failed = find_waiting(error);
	for (i = 0; i < found->nr; i++)
		describe(array, found->programs[i].pid, found->programs[i].comm);
	if (found->nr == FOUND_MAX)
		fprintf(stderr, "strata: only %u applications are listed\n", FOUND_MAX);
	munmap(found, sizeof(*found));
	return failed;
}

/* Lists programs and their events, as recorder @number.  0 or -1. */
static int list_as_recorder(struct listing *listing, unsigned int number,
			    struct strata_error *error)
{
	int failed = peer_looks_open(&listing->looks, 0, error) || gather(listing, number, error);

	if (!failed)
		list_all(listing);
	peer_looks_close(&listing->looks);
	return failed ? -1 : 0;
}

int list_apps(const struct list_choice *choice, struct json_object *json,
	      struct strata_error *error)
{
	struct listing listing = { .choice = choice, .principals = principals_new() };
	struct strata_error busy = { "" };
	unsigned int number;
	int lock, failed;

	if (!listing.principals)
		return strata_fail(error, "out of memory");
	principals_set_total(listing.principals, PRINCIPAL_CONNECTIONS, LISTED_MAX);
	principals_lower_total(listing.principals, PRINCIPAL_CONNECTIONS, file_limit_raise() / 2);
	listing.json = list_json_array(json, "applications");
	lock = recorder_number_take_briefly("lists programs", &number, &busy);
	if (lock < 0) {
		/* Without a number they have no channel for us. */
		fprintf(stderr, "strata: their events cannot be listed now: %s\n", busy.text);
		failed = list_waiting(listing.json, error);
	} else {
		failed = list_as_recorder(&listing, number, error);
		run_lock_release(lock);
	}
	principals_sum_up(listing.principals);
	principals_free(listing.principals);
	return failed;
}
