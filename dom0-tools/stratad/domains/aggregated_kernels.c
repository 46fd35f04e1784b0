// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregated_kernels.c - see aggregated_kernels.h. */
#include "stratad/domains/aggregated_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/platform/user.h>

#include "base/escape.h"
#include "stratad/domains/aggregate_totals.h"
#include "stratad/domains/kernel_steps.h"
#include "xen/domain_numbers.h"

static void complain(const struct aggregated_kernel *one, const char *what,
		     const struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(one->name))];

	strata_escape_name(name, sizeof(name), one->name);
	fprintf(stderr, "strata: domain %u (%s) %s: %s\n", one->domain, name, what, error->text);
}

/* The id of an event with that name.  0 or -1. */
static int find_event(const struct aggregated_kernels *all, const struct guest_map *map,
		      const char *name, uint32_t *id, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < map->nr_events; i++) {
		if (strcmp(map->events[i].name, name) ||
		    (all->without_probes && select_is_probe_event(&map->events[i])))
			continue;
		*id = (uint32_t)i;
		return 0;
	}
	return strata_fail(error, "it has no event \"%s\"; `strata list --events` shows them",
			   name);
}

/* Chooses the events that a kernel counts.  0 or -1. */
static int choose_counted(const struct aggregated_kernels *all, const struct aggregated_kernel *one,
			  struct event_set *events, struct strata_error *error)
{
	const struct guest_map *map = &one->map;

	if (select_kernel_events(one->selection->text, map->events, map->nr_events, events, error))
		return -1;
	if (all->without_probes)
		select_remove_probe_events(map->events, map->nr_events, events);
	return 0;
}

/* Specifies what a kernel counts, and the events that it needs for that. 0 or -1. */
static int choose(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		  struct event_set *events, struct strata_error *error)
{
	const struct aggregate_choice *what = all->what;
	struct strata_aggregate_spec *spec = &one->spec;

	select_aggregate_kernel(what, spec);
	if (what->kind == STRATA_AGGREGATE_COUNT)
		return choose_counted(all, one, events, error);
	if (find_event(all, &one->map, what->begin, &spec->begin.value, error) ||
	    find_event(all, &one->map, what->end, &spec->end.value, error))
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

/* Starts the first step: it makes tables. */
static int begin_one(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		     struct strata_error *error)
{
	const uint32_t sequence = kernel_sequence();
	struct event_set events = { { 0 } };
	struct guest_command command;

	if (read_events(all, one, error) || choose(all, one, &events, error))
		return -1;
	guest_command_aggregate(&command, sequence, &one->spec);
	one->asked = true;
	return kernel_tell(all, one, &command, sequence, "aggregated", error);
}

/* It has tables: starts the second step. */
static int start_one(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		     const struct guest *guest, struct strata_error *error)
{
	const uint32_t sequence = kernel_sequence();
	struct event_set events = { { 0 } };
	struct select_filters filters = { .words = NULL };
	struct guest_start start = { .events = &events };
	struct guest_command command;
	int result = -1;

	one->has_tables = true;
	one->nonce = guest->nonce;
	guest_unmap(&one->map);
	if (!guest_map_tables(&one->map, all->gnttab, guest, &one->spec, &one->tables, error) &&
	    !choose(all, one, &events, error) &&
	    !select_filters_choose(&filters, all->selections, all->nr_selections, one->domain,
				   one->own_name, one->map.events, one->map.nr_events, &events,
				   error)) {
		start.field_filters = filters.words;
		result = guest_command_start(&command, sequence, &start, error);
	}
	select_filters_clear(&filters);
	return result ? -1 : kernel_tell(all, one, &command, sequence, "started", error);
}

static int begun(const struct aggregated_kernels *all, struct aggregated_kernel *one,
		 const struct guest *guest, struct strata_error *error)
{
	if (!one->has_tables)
		return start_one(all, one, guest, error);
	one->counts = true;
	one->start_ticks = one->rows[0].ticks = one->rows[1].ticks = strata_clock();
	return 0;
}

/* It is told to free what it may have or may yet make, and not waited for. */
static void is_left_out(const struct aggregated_kernels *all, struct aggregated_kernel *one,
			const struct strata_error *error)
{
	const uint32_t sequence = kernel_sequence();
	struct guest_command command;
	struct strata_error ignored;

	complain(one, "is left out", error);
	guest_command_destroy(&command, sequence);
	if (one->asked)
		kernel_tell(all, one, &command, sequence, "destroyed", &ignored);
	one->awaited = NULL;
	one->asked = false;
}

static const struct kernel_selection *selection_of(const struct kernel_selection *selections,
						   size_t nr, const struct guest *guest)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (selections[i].kind == SELECT_EVENTS &&
		    select_matches_domain(&selections[i], guest->domain, guest->name))
			return &selections[i];
	return NULL;
}

static bool is_pattern(const char *domain)
{
	return strpbrk(domain, "*?[");
}

static void add(struct aggregated_kernels *all, const struct kernel_selection *selection,
		const struct guest *guest)
{
	struct aggregated_kernel *one = &all->list[all->nr++];
	struct strata_error error;

	*one = (struct aggregated_kernel){ .domain = guest->domain, .selection = selection };
	snprintf(one->name, sizeof(one->name), "%s",
		 strata_domain_shown_name(guest->domain, guest->name));
	snprintf(one->own_name, sizeof(one->own_name), "%s", guest->name);
	if (begin_one(all, one, &error))
		is_left_out(all, one, &error);
}

/* Fails if a filter matches no kernel that counts: its events would be counted unfiltered. */
static int check_filters(const struct aggregated_kernels *all, struct strata_error *error)
{
	size_t i, j;

	for (i = 0; i < all->nr_selections; i++) {
		const struct kernel_selection *selection = &all->selections[i];

		if (selection->kind != SELECT_FILTER)
			continue;
		for (j = 0; j < all->nr; j++)
			if (select_matches_domain(selection, all->list[j].domain,
						  all->list[j].own_name))
				break;
		if (j == all->nr)
			return strata_fail(error,
					   "--kernel-filter %s: no kernel of that name counts; "
					   "--kernel selects kernels and their events",
					   selection->domain);
	}
	return 0;
}

int aggregated_kernels_start(struct aggregated_kernels *all, const struct aggregate_choice *what,
			     const struct kernel_selection *selections, size_t nr_selections,
			     struct strata_error *error)
{
	const struct kernel_step step = { begun, is_left_out, all->interrupted };
	struct guest *guests;
	size_t nr, i;

	if (guests_find(all->xenstore, all->channel, &guests, &nr, error))
		return -1;
	all->what = what;
	all->selections = selections;
	all->nr_selections = nr_selections;
	all->list = calloc(nr + 1, sizeof(*all->list));
	for (i = 0; all->list && i < nr; i++) {
		const struct kernel_selection *selection =
			selection_of(selections, nr_selections, &guests[i]);

		/* A pattern means those that can. */
		if (selection && is_pattern(selection->domain) &&
		    guests[i].module == GUEST_NO_MODULE)
			continue;
		if (selection)
			add(all, selection, &guests[i]);
	}
	free(guests);
	if (!all->list)
		return strata_fail(error, "out of memory");
	kernels_hear(all, &step);
	if (all->interrupted && *all->interrupted)
		return strata_fail(error, "interrupted while kernels started to count");
	if (!all->nr)
		return strata_fail(error,
				   "no kernel that --kernel names can count; `strata list` shows "
				   "which have strata.ko loaded");
	return check_filters(all, error);
}

size_t aggregated_kernels_counting(const struct aggregated_kernels *all)
{
	size_t i, nr = 0;

	for (i = 0; i < all->nr; i++)
		nr += all->list[i].counts;
	return nr;
}

void aggregated_kernels_name_left_out(const struct aggregated_kernels *all)
{
	struct strata_error why;
	size_t i;

	strata_fail(&why, "earlier messages say why");
	for (i = 0; i < all->nr; i++)
		if (!all->list[i].counts)
			complain(&all->list[i], "is not counted", &why);
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
			aggregate_rows_settle(&one->spec, &one->rows[one->newest]);
			continue;
		}
		complain(one, "counts no more", &error);
		one->counts = false;
	}
}

static void did_not_stop(const struct aggregated_kernels *all, struct aggregated_kernel *one,
			 const struct strata_error *error)
{
	(void)all;
	complain(one, "did not stop", error);
}

void aggregated_kernels_stop(struct aggregated_kernels *all)
{
	const struct kernel_step step = { NULL, did_not_stop, NULL };
	struct strata_error error;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		const uint32_t sequence = kernel_sequence();
		struct guest_command command;

		if (!all->list[i].counts)
			continue;
		guest_command_stop(&command, sequence);
		if (kernel_tell(all, &all->list[i], &command, sequence, "stopped", &error))
			did_not_stop(all, &all->list[i], &error);
	}
	kernels_hear(all, &step);
}

static void keeps_its_tables(const struct aggregated_kernels *all, struct aggregated_kernel *one,
			     const struct strata_error *error)
{
	(void)all;
	complain(one, "keeps its tables", error);
}

/* Has all kernels free their tables.  Those that were silent are told, and not waited for. */
static void destroy_all(struct aggregated_kernels *all)
{
	const struct kernel_step step = { NULL, keeps_its_tables, NULL };
	struct strata_error error;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct aggregated_kernel *one = &all->list[i];
		const uint32_t sequence = kernel_sequence();
		struct guest_command command;

		if (!one->asked)
			continue;
		guest_command_destroy(&command, sequence);
		if (kernel_tell(all, one, &command, sequence, "destroyed", &error))
			keeps_its_tables(all, one, &error);
		if (one->silent)
			one->awaited = NULL;
	}
	kernels_hear(all, &step);
}

bool aggregated_kernels_end(struct aggregated_kernels *all)
{
	bool left_out = false;
	size_t i;

	destroy_all(all);
	for (i = 0; i < all->nr; i++) {
		struct aggregated_kernel *one = &all->list[i];

		left_out = left_out || !one->start_ticks;
		guest_unmap(&one->map);
		free(one->tables.refs);
		aggregate_rows_clear(&one->rows[0]);
		aggregate_rows_clear(&one->rows[1]);
	}
	free(all->list);
	all->list = NULL;
	all->nr = 0;
	return left_out;
}
