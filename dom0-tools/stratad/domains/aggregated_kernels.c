// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregated_kernels.c - see aggregated_kernels.h. */
#include "stratad/domains/aggregated_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/platform/user.h>

#include "base/escape.h"
#include "xen/domain_numbers.h"

/* How long a kernel may take to answer; a start attaches each probe. */
#define ANSWER_LOOKS 500u
#define LOOK_NS      20000000

static void complain(const struct aggregated_kernel *one, const char *what,
		     const struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(one->name))];

	strata_escape_name(name, sizeof(name), one->name);
	fprintf(stderr, "strata: domain %u (%s) %s: %s\n", one->domain, name, what, error->text);
}

/*
 * Sends a command and waits until the kernel answers with @word.
 * @interrupted: ends the wait; NULL: nothing does
 * 0 or -1.
 */
static int ask(const struct aggregated_kernels *all, const struct aggregated_kernel *one,
	       const struct guest_command *command, uint32_t sequence, const char *word,
	       const volatile sig_atomic_t *interrupted, struct guest *guest,
	       struct strata_error *error)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	unsigned int i;

	if (guest_tell(all->xenstore, one->domain, all->channel, command, error))
		return -1;
	for (i = 0; i < ANSWER_LOOKS; i++) {
		guest_look(all->xenstore, one->domain, all->channel, guest);
		if (guest->answered == sequence && !strcmp(guest->state, word))
			return 0;
		if (guest->answered == sequence)
			return strata_fail(error,
					   "it refuses: see the messages of its kernel (dmesg)");
		if (guest->module == GUEST_NO_MODULE)
			return strata_fail(error, "its module is gone");
		if (interrupted && *interrupted)
			return strata_fail(error, "interrupted before it answered");
		nanosleep(&pause, NULL);
	}
	return strata_fail(error, "it does not answer");
}

static uint32_t next_sequence(void)
{
	return (uint32_t)strata_clock() | 1u;
}

/* The id of an event with that name.  0 or -1. */
static int find_event(const struct guest_map *map, const char *name, uint32_t *id,
		      struct strata_error *error)
{
	size_t i;

	for (i = 0; i < map->nr_events; i++) {
		if (strcmp(map->events[i].name, name))
			continue;
		*id = (uint32_t)i;
		return 0;
	}
	return strata_fail(error, "it has no event \"%s\"; `strata list --events` shows them",
			   name);
}

/* Specifies what a kernel counts, and the events that it needs for that. 0 or -1. */
static int choose(struct aggregated_kernel *one, const struct aggregate_choice *what,
		  const char *patterns, struct event_set *events, struct strata_error *error)
{
	struct strata_aggregate_spec *spec = &one->spec;

	select_aggregate_kernel(what, spec);
	if (what->kind == STRATA_AGGREGATE_COUNT)
		return select_kernel_events(patterns, one->map.events, one->map.nr_events, events,
					    error);
	if (find_event(&one->map, what->begin, &spec->begin.value, error) ||
	    find_event(&one->map, what->end, &spec->end.value, error))
		return -1;
	event_set_add(events, spec->begin.value);
	event_set_add(events, spec->end.value);
	return 0;
}

/* Reads the event table, which channel 0 always has. */
static int read_events(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		       struct strata_error *error)
{
	struct guest guest;

	guest_look(all->xenstore, one->domain, 0, &guest);
	if (guest.module == GUEST_OTHER_ABI)
		return strata_fail(error,
				   "strata.ko uses interface version %u, this tool another: load "
				   "the module of this build",
				   guest.version);
	if (guest.module != GUEST_READY)
		return strata_fail(error, "no module: load strata.ko in it");
	return guest_map(&one->map, all->gnttab, &guest, false, error);
}

static int start_one(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		     const struct aggregate_choice *what, const char *patterns,
		     struct strata_error *error)
{
	struct event_set events = { { 0 } };
	const struct guest_start start = { .events = &events };
	struct guest_command command;
	struct guest guest;
	uint32_t sequence = next_sequence();

	if (read_events(all, one, error) || choose(one, what, patterns, &events, error))
		return -1;
	guest_command_aggregate(&command, sequence, &one->spec);
	one->asked = true;
	if (ask(all, one, &command, sequence, "aggregated", all->interrupted, &guest, error))
		return -1;
	one->counts = true;
	one->nonce = guest.nonce;
	guest_unmap(&one->map);
	if (guest_map_tables(&one->map, all->gnttab, &guest, &one->spec, &one->tables, error))
		return -1;
	sequence = next_sequence();
	return guest_command_start(&command, sequence, &start, error)
		       ? -1
		       : ask(all, one, &command, sequence, "started", all->interrupted, &guest,
			     error);
}

static const struct kernel_selection *selection_of(const struct kernel_selection *selections,
						   size_t nr, const struct guest *guest)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (select_matches_domain(&selections[i], guest->domain, guest->name))
			return &selections[i];
	return NULL;
}

static bool is_pattern(const char *domain)
{
	return strpbrk(domain, "*?[");
}

/* Ends what a kernel may have begun. */
static void end_one(const struct aggregated_kernels *all, struct aggregated_kernel *one)
{
	const uint32_t sequence = next_sequence();
	struct guest_command command;
	struct strata_error error;
	struct guest guest;

	guest_command_destroy(&command, sequence);
	if (one->counts) {
		if (ask(all, one, &command, sequence, "destroyed", NULL, &guest, &error))
			complain(one, "keeps its tables", &error);
	} else if (one->asked) {
		/* It did not answer, or could not be read: it is told, and not waited for. */
		guest_tell(all->xenstore, one->domain, all->channel, &command, &error);
	}
	guest_unmap(&one->map);
	free(one->tables.refs);
	aggregate_rows_clear(&one->rows[0]);
	aggregate_rows_clear(&one->rows[1]);
}

static int start_guest(struct aggregated_kernels *all, const struct aggregate_choice *what,
		       const struct kernel_selection *selection, const struct guest *guest,
		       struct strata_error *error)
{
	struct aggregated_kernel *one = &all->list[all->nr];

	*one = (struct aggregated_kernel){ .domain = guest->domain };
	snprintf(one->name, sizeof(one->name), "%s",
		 strata_domain_shown_name(guest->domain, guest->name));
	if (!start_one(all, one, what, selection->text, error)) {
		all->nr++;
		return 0;
	}
	complain(one, "is left out", error);
	end_one(all, one);
	return is_pattern(selection->domain)
		       ? 0
		       : strata_fail(error, "--kernel %s cannot count", selection->domain);
}

int aggregated_kernels_start(struct aggregated_kernels *all, const struct aggregate_choice *what,
			     const struct kernel_selection *selections, size_t nr_selections,
			     struct strata_error *error)
{
	struct guest *guests;
	size_t nr, i;
	int result = 0;

	if (guests_find(all->xenstore, all->channel, &guests, &nr, error))
		return -1;
	all->list = calloc(nr + 1, sizeof(*all->list));
	if (!all->list)
		result = strata_fail(error, "out of memory");
	for (i = 0; !result && i < nr; i++) {
		const struct kernel_selection *selection =
			selection_of(selections, nr_selections, &guests[i]);

		/* A pattern means those that can. */
		if (selection && is_pattern(selection->domain) &&
		    guests[i].module == GUEST_NO_MODULE)
			continue;
		if (selection)
			result = start_guest(all, what, selection, &guests[i], error);
	}
	free(guests);
	if (!result && !all->nr)
		result = strata_fail(error,
				     "no kernel that --kernel names can count; `strata list` shows "
				     "which have strata.ko loaded");
	return result;
}

static int read_one(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		    struct strata_error *error)
{
	struct guest guest;

	guest_look(all->xenstore, one->domain, all->channel, &guest);
	if (guest.module != GUEST_READY || guest.nonce != one->nonce)
		return strata_fail(error, "its module or its domain is gone");
	return guest_tables_read(all->gnttab, one->domain, &one->tables, &one->spec,
				 &one->rows[!one->newest], error);
}

void aggregated_kernels_read(struct aggregated_kernels *all)
{
	struct strata_error error;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct aggregated_kernel *one = &all->list[i];

		if (!one->counts)
			continue;
		if (!read_one(all, one, &error)) {
			one->newest = !one->newest;
			continue;
		}
		complain(one, "counts no more", &error);
		one->counts = false;
	}
}

void aggregated_kernels_stop(struct aggregated_kernels *all)
{
	struct strata_error error;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		const uint32_t sequence = next_sequence();
		struct guest_command command;
		struct guest guest;

		if (!all->list[i].counts)
			continue;
		guest_command_stop(&command, sequence);
		if (ask(all, &all->list[i], &command, sequence, "stopped", NULL, &guest, &error))
			complain(&all->list[i], "did not stop", &error);
	}
}

void aggregated_kernels_end(struct aggregated_kernels *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		end_one(all, &all->list[i]);
	free(all->list);
	all->list = NULL;
	all->nr = 0;
}
