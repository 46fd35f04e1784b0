// SPDX-License-Identifier: GPL-2.0-or-later
/* app_search.c - see app_search.h; app_wake.c calls it. */
#include "consumerd/apps/app_search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define SLICE_NS 5000000u
#define NONE     ((size_t)-1)

struct user {
	uint32_t uid;
	size_t next;          /* process in the list, or NONE */
	struct app_maps maps; /* of it, if they are open */
	uint64_t used_ns;
};

struct walk {
	const struct app_search *search;
	struct app_process *list;
	size_t *behind; /* of each process: the next one of its user, or NONE */
	size_t nr;
	struct user *users; /* by number */
	size_t nr_users;
};

static int by_uid(const void *a, const void *b)
{
	const struct user *one = a, *other = b;

	return one->uid < other->uid ? -1 : one->uid > other->uid;
}

/* Makes a list of users and of each one's processes.  0 or -1. */
static int make_lists(struct walk *walk, struct strata_error *error)
{
	size_t i;

	/* The first process of each user comes first in the list, by user. */
	while (walk->nr_users < walk->nr && walk->list[walk->nr_users].turn == 0)
		walk->nr_users++;
	walk->users = calloc(walk->nr_users + 1, sizeof(*walk->users));
	walk->behind = calloc(walk->nr + 1, sizeof(*walk->behind));
	if (!walk->users || !walk->behind)
		return strata_fail(error, "out of memory");
	for (i = 0; i < walk->nr_users; i++)
		walk->users[i] = (struct user){ .uid = walk->list[i].uid, .next = NONE };
	for (i = walk->nr; i-- > 0;) {
		const struct user wanted = { .uid = walk->list[i].uid };
		struct user *user =
			bsearch(&wanted, walk->users, walk->nr_users, sizeof(*walk->users), by_uid);

		walk->behind[i] = user->next;
		user->next = i;
	}
	return 0;
}

/* Reads the mappings of a user's process for a slice of time, and continues with the next process
 * at their end. */
static void read_slice(struct walk *walk, struct user *user)
{
	const struct app_search *search = walk->search;
	const struct app_process *process = &walk->list[user->next];
	const uint64_t begin = clock_now_ns(CLOCK_MONOTONIC);
	bool done = search->is_skipped(search->data, process);
	size_t i;

	if (!done) {
		search->reads(search->data, process);
		if (!user->maps.file)
			app_maps_open(&user->maps, process->pid);
		while (!done && clock_now_ns(CLOCK_MONOTONIC) - begin < SLICE_NS)
			done = app_maps_read(&user->maps);
		for (i = 0; done && i < user->maps.nr; i++)
			search->finds(search->data, process, &user->maps.places[i]);
	}
	if (done) {
		app_maps_close(&user->maps);
		user->next = walk->behind[user->next];
	}
	user->used_ns += clock_now_ns(CLOCK_MONOTONIC) - begin;
	if (user->next == NONE || user->used_ns / 1000000u < search->user_ms)
		return;
	app_maps_close(&user->maps);
	user->next = NONE;
	search->gives_up(search->data, user->uid);
}

/* The user who has had the least time, of those that come last or of the others; NULL: all their
 * processes are read. */
static struct user *next_user(const struct walk *walk, bool last)
{
	struct user *next = NULL;
	size_t i;

	for (i = 0; i < walk->nr_users; i++) {
		struct user *user = &walk->users[i];

		if (user->next != NONE && (!next || user->used_ns < next->used_ns) &&
		    walk->search->comes_last(walk->search->data, user->uid) == last)
			next = user;
	}
	return next;
}

/* Gives slices to the users that come last, or to the others, until all processes are read.  The
 * kernel may take far longer for one call than a slice: a user who lets it do so is read later. */
static void read_all(struct walk *walk, bool last)
{
	struct user *user;

	while ((user = next_user(walk, last)))
		read_slice(walk, user);
}

int app_search_run(const struct app_search *search, struct strata_error *error)
{
	struct walk walk = { .search = search };
	int result;

	result = app_find_processes(&walk.list, &walk.nr, error);
	if (!result)
		result = make_lists(&walk, error);
	if (!result) {
		read_all(&walk, false);
		read_all(&walk, true);
	}
	free(walk.users);
	free(walk.behind);
	free(walk.list);
	return result;
}
