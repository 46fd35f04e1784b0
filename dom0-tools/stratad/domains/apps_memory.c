// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apps_memory.c - the memory for the rings, or tables, of each application: where the kernel's can
 * be had, another process makes it (memory_makers.h).
 *
 * The loop asks for it as soon as it knows whose the application is, so that the memory is there
 * when the events are.  Its user's share is claimed before, and given back when no process has the
 * memory any more (memory_return.h).  The loop closes none of it, because its user can make that
 * take long.
 *
 * Called by apps.c, apps_look.c, apps_talk.c and apps_leave.c.
 */
#include "stratad/domains/apps_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/apps/app_tables.h"

/* When an order is repeated that could not be obeyed, or for which there was no room; and how long
 * a program waits for room.  It costs nobody's share, so it is not done often. */
#define AGAIN_MS         50u
#define NO_ROOM_AGAIN_MS 250u
#define NO_ROOM_MS       3000u

static size_t bytes_max(const struct apps *apps)
{
	return apps->counting ? app_tables_bytes_max(&apps->counting->spec)
			      : app_rings_bytes_max(&apps->channel);
}

bool apps_needs_memory(const struct apps *apps, const struct application *one)
{
	return apps->has_kernel_memory &&
	       (apps->counting || !app_is_in_file(&one->app, &apps->channel));
}

int apps_claim_memory(const struct apps *apps, struct application *one, uint64_t bytes,
		      struct strata_error *error)
{
	if (one->memory_bytes)
		return 0;
	if (principal_claim(one->who, PRINCIPAL_MEMORY_BYTES, bytes, error))
		return apps->counting ? -1
				      : strata_fail_in(error, "--app-buffer makes rings smaller");
	one->memory_bytes = bytes;
	return 0;
}

/* Whether a selection may choose events of it. */
static bool is_asked_for(const struct apps *apps, const struct application *one)
{
	size_t i;

	for (i = 0; i < apps->nr_selections; i++)
		if (select_matches_app(&apps->selections[i], &one->app))
			return true;
	return false;
}

/* 0, or -1: its user's share has no room. */
static int order(struct apps *apps, struct application *one, struct strata_error *error)
{
	const size_t bytes = bytes_max(apps);

	if (!bytes)
		return strata_fail(error,
				   "its rings would take more than %llu MiB; make them smaller "
				   "with --app-buffer",
				   RING_FILE_BYTES_MAX >> 20);
	if (apps_claim_memory(apps, one, bytes, error))
		return -1;
	/* If too much is asked already, in another turn. */
	one->ordered = apps_ask_about(apps, one, bytes);
	return 0;
}

void apps_order_memory(struct apps *apps, struct application *one)
{
	struct strata_error later;

	if (is_asked_for(apps, one) && apps_needs_memory(apps, one) &&
	    principal_may_prepare_memory(one->who))
		order(apps, one, &later);
}

/* Gives memory up that no application has mapped: it counts until it is freed.  @who: NULL: it does
 * not count. */
static void give_up(struct apps *apps, const struct kernel_memory *memory, struct principal *who,
		    uint64_t claimed)
{
	memory_return_give(apps->returns, &(struct memory_to_return){ .fd = memory->fd,
								      .who = who,
								      .claimed = claimed,
								      .watch = -1,
								      .kernel_id = memory->id });
}

static struct application *find_ordered(const struct apps *apps, uint64_t number)
{
	size_t i;

	for (i = 0; i < apps->nr; i++)
		if (apps->list[i]->ordered == number)
			return apps->list[i];
	return NULL;
}

static bool is_for_later(int failed)
{
	return failed == EAGAIN || failed == EBUSY;
}

/* It is ordered again after a while, but not for long if there is no room for it. */
static void postpone(struct application *one, bool no_room)
{
	const uint64_t now_ms = apps_now_ms();

	one->order_from_ms = now_ms + (no_room ? NO_ROOM_AGAIN_MS : AGAIN_MS);
	if (!no_room)
		return;
	if (!one->no_room_ms)
		one->no_room_ms = now_ms;
	if (now_ms - one->no_room_ms > NO_ROOM_MS)
		one->refused = EBUSY;
}

/* Once. */
static void say_uncounted(struct apps *apps, const struct memory_order *made)
{
	if (!made->uncounted || apps->uncounted_said)
		return;
	apps->uncounted_said = true;
	fprintf(stderr,
		"strata: no control groups can be made for the memory of users' rings: is "
		"/sys/fs/cgroup read-only, or without the controller for memory?  What programs keep "
		"of it counts in no share\n");
}

static void take_one(struct apps *apps, const struct memory_order *made,
		     const struct application_look *asked)
{
	struct application *one = find_ordered(apps, made->number);

	if (!made->failed)
		asked->who->went_on_ms = apps_now_ms();
	if (one) {
		one->ordered = 0;
		one->app.ready = made->memory;
		if (is_for_later(made->failed))
			postpone(one, made->failed == EBUSY);
		else
			one->refused = made->failed;
		say_uncounted(apps, made);
	} else if (made->memory.fd >= 0) {
		give_up(apps, &made->memory, asked->who, asked->claimed);
	} else {
		principal_give_back(asked->who, PRINCIPAL_MEMORY_BYTES, asked->claimed);
	}
}

/* What the helper was to make is ordered again of another one. */
static void order_again(struct apps *apps)
{
	struct memory_order lost = { .failed = EAGAIN, .memory.fd = -1 };
	struct application_look asked;
	size_t i = 0;

	while (i < apps->nr_asked) {
		if (!apps->asked[i].of_memory) {
			i++;
			continue;
		}
		lost.number = apps->asked[i].number;
		apps_close_question(apps, lost.number, &asked);
		take_one(apps, &lost, &asked);
	}
}

/* See apps_replace_helper(). */
static int reopen(struct apps *apps, struct strata_error *error)
{
	memory_makers_close(apps->makers);
	order_again(apps);
	return memory_makers_open(apps->makers, error);
}

void apps_take_memory(struct apps *apps)
{
	struct application_look asked;
	struct memory_order made;
	bool ended;

	if (!apps->makers)
		return;
	while (memory_makers_answer(apps->makers, &made, &ended))
		if (apps_close_question(apps, made.number, &asked))
			take_one(apps, &made, &asked);
		else if (made.memory.fd >= 0)
			/* Made twice: the recorder's own group has paid for the first one. */
			give_up(apps, &made.memory, NULL, 0);
	if (ended || apps->makers->socket < 0)
		apps_replace_helper(apps, &apps->make_again_ms, &apps->makers->socket,
				    "makes memory", reopen);
}

static int fail_refused(const struct apps *apps, const struct application *one,
			struct strata_error *error)
{
	const unsigned long long kib = one->memory_bytes >> 10;
	const char *what = apps->counting ? "tables" : "rings";

	if (one->refused == EBUSY)
		return strata_fail(error,
				   "no memory for its %s, %llu KiB: programs of its user that have "
				   "ended still use theirs (in pipes, sockets or io_uring)",
				   what, kib);
	return strata_fail(error, "no memory for its %s, %llu KiB: %s", what, kib,
			   strerror(one->refused));
}

int apps_await_memory(struct apps *apps, struct application *one, struct strata_error *error)
{
	if (one->refused)
		return fail_refused(apps, one, error);
	if (one->ordered || apps_now_ms() < one->order_from_ms)
		return 0;
	return one->app.ready.fd < 0 ? order(apps, one, error) : 1;
}

int apps_seal_memory(const struct apps *apps, struct application *one, struct strata_error *error)
{
	int sealed;

	/* No process can take pages out of the kernel's memory. */
	if (one->app.memory.kernel_id) {
		app_memory_leave_unsealed(&one->app.memory);
		return 0;
	}
	/* Without a watch its share could not be given back once it is sealed. */
	one->watch = memory_return_watch(apps->returns, one->app.memory.given);
	if (one->watch < 0) {
		app_memory_leave_unsealed(&one->app.memory);
		return 0;
	}
	sealed = app_memory_seal(&one->app.memory, error);
	if (sealed <= 0) {
		memory_return_unwatch(apps->returns, one->watch);
		one->watch = -1;
	}
	return sealed < 0 ? -1 : 0;
}

bool apps_abandon_memory(struct apps *apps, struct application *one, struct principal *who)
{
	size_t i;

	for (i = 0; one->ordered && i < apps->nr_asked; i++)
		if (apps->asked[i].number == one->ordered) {
			apps->asked[i].claimed = one->memory_bytes;
			return true;
		}
	if (one->app.ready.fd < 0)
		return false;
	give_up(apps, &one->app.ready, who, one->memory_bytes);
	one->app.ready.fd = -1;
	return true;
}
