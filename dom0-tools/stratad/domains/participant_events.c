// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * participant_events.c - see participant_events.h.
 *
 * Probes are added one by one: a module executes one command at a time, and answers later.
 */
#include "stratad/domains/participant_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "stratad/domains/participant_commands.h"

static bool is_probe(const struct kernel_selection *selection)
{
	return select_is_probe(selection->kind);
}

/* "kprobe": the event's group and the word of the command. */
static const char *probe_kind(const struct kernel_selection *selection)
{
	return select_option_name(selection->kind) + 2;
}

static bool names(const struct kernel_selection *selection, const struct guest *guest)
{
	return select_matches_domain(selection, guest->domain, guest->name);
}

const char *participant_patterns(struct participants *all, const struct guest *guest, bool *named)
{
	const char *probes_only = NULL, *patterns = NULL;
	bool any = false;
	size_t i;

	*named = false;
	for (i = 0; i < all->nr_selections; i++) {
		struct kernel_selection *selection = &all->selections[i];

		any |= selection->kind == SELECT_EVENTS;
		if (!names(selection, guest))
			continue;
		selection->found = true;
		*named = true;
		if (selection->kind == SELECT_EVENTS && !patterns)
			patterns = selection->text;
		if (is_probe(selection))
			probes_only = "none";
	}
	if (patterns)
		return patterns;
	return any ? probes_only : "default";
}

int participant_choose_filter(struct participants *all, struct participant *one,
			      struct strata_error *error)
{
	size_t i;

	for (i = 0; i < all->nr_selections; i++) {
		const struct kernel_selection *selection = &all->selections[i];

		if ((selection->kind != SELECT_TID && selection->kind != SELECT_PID) ||
		    !names(selection, &one->guest))
			continue;
		if (one->filter)
			return strata_fail(error, "more than one of --tid and --pid names it");
		if (asprintf(&one->filter, "%s=%s", probe_kind(selection), selection->text) < 0) {
			one->filter = NULL;
			return strata_fail(error, "out of memory");
		}
	}
	return 0;
}

/* Called again when the table has grown: events are selected by their indices. */
static int choose_events(struct participants *all, struct participant *one,
			 struct strata_error *error)
{
	bool named;
	const char *patterns = participant_patterns(all, &one->guest, &named);
	struct select_filters filters = { .words = NULL };
	struct event_set events;
	size_t i;

	if (select_kernel_events(patterns ? patterns : "none", one->map.events, one->map.nr_events,
				 &events, error))
		return -1;
	if (all->without_probes)
		select_remove_probe_events(one->map.events, one->map.nr_events, &events);
	for (i = 0; i < one->map.nr_events; i++)
		if (event_set_has(&one->probes, i))
			event_set_add(&events, i);
	if (select_filters_choose(&filters, all->selections, all->nr_selections, one->guest.domain,
				  one->guest.name, one->map.events, one->map.nr_events, &events,
				  error)) {
		select_filters_clear(&filters);
		return -1;
	}
	select_filters_clear(&one->field_filters);
	one->field_filters = filters;
	one->events = events;
	return 0;
}

/*
 * The selected probe of a number; NULL: the number is beyond the last.  A selection that changes
 * while a module adds a probe changes the list, but no probe in it.
 */
static const struct kernel_selection *probe_at(const struct participants *all, size_t number)
{
	size_t i;

	for (i = 0; i < all->nr_selections; i++)
		if (is_probe(&all->selections[i]) && !number--)
			return &all->selections[i];
	return NULL;
}

int participant_next_probe(struct participants *all, struct participant *one,
			   struct strata_error *error)
{
	const struct kernel_selection *selection;
	struct guest_command command;

	for (; (selection = probe_at(all, one->next_probe)); one->next_probe++) {
		char name[STRATA_EVENT_NAME_BYTES];
		const struct guest_probe probe = { .kind = probe_kind(selection),
						   .name = name,
						   .place = select_probe_place(selection) };

		if (!names(selection, &one->guest))
			continue;
		select_probe_name(selection, name);
		one->sequence = all->sequence++;
		return guest_command_probe(&command, one->sequence, &probe, error) ||
				       participant_give(all, one, &command, error)
			       ? -1
			       : 1;
	}
	return choose_events(all, one, error);
}

int participant_take_probe(struct participants *all, struct participant *one,
			   const struct guest *now, struct strata_error *error)
{
	const struct kernel_selection *selection = probe_at(all, one->next_probe);
	char reason[STRATA_ESCAPED_BYTES(GUEST_REASON_BYTES)];

	if (!strcmp(now->state, "probed"))
		return guest_map_events_begin(&one->map, &one->guest, one->pages, error);
	if (now->reason[0])
		return strata_fail(error, "its module refuses %s %s: %s", probe_kind(selection),
				   selection->text,
				   strata_escape_name(reason, sizeof(reason), now->reason));
	return strata_fail(error,
			   "its module refuses %s %s (a symbol that its kernel or the file lacks, "
			   "a place that must not be probed, a pattern that matches no function or "
			   "too many, a wrong argument, or a kernel that is locked down?); its "
			   "kernel log says why",
			   probe_kind(selection), selection->text);
}

int participant_find_probe(struct participants *all, struct participant *one,
			   struct strata_error *error)
{
	const struct kernel_selection *selection = probe_at(all, one->next_probe++);
	bool found = false;
	size_t i;

	for (i = 0; i < one->map.nr_events; i++) {
		if (!select_probe_makes(selection, &one->map.events[i]))
			continue;
		event_set_add(&one->probes, i);
		found = true;
	}
	if (found)
		return 0;
	return strata_fail(error, "its module says that it probes %s, but its event table does not",
			   selection->text);
}

int participant_choose_again(struct participants *all, struct participant *one,
			     struct participant_choice *before, struct strata_error *error)
{
	*before = (struct participant_choice){ .events = one->events,
					       .filter = one->filter,
					       .field_filters = one->field_filters };
	one->filter = NULL;
	one->field_filters = (struct select_filters){ .words = NULL };
	if (!participant_choose_filter(all, one, error) && !choose_events(all, one, error))
		return 0;
	participant_choice_restore(one, before);
	return -1;
}

void participant_choice_restore(struct participant *one, struct participant_choice *before)
{
	free(one->filter);
	select_filters_clear(&one->field_filters);
	one->events = before->events;
	one->filter = before->filter;
	one->field_filters = before->field_filters;
}

void participant_choice_clear(struct participant_choice *before)
{
	free(before->filter);
	select_filters_clear(&before->field_filters);
}

const struct event_set *participant_records(const struct participant *one)
{
	/* The rings may contain events that an earlier recorder selected. */
	return one->flying ? NULL : &one->events;
}

void participant_known_events(const struct participants *all, const struct participant *one,
			      struct event_set *known)
{
	struct strata_source *source = &recorder_recording(all->recorder)->sources[one->source];
	size_t i;

	memset(known, 0, sizeof(*known));
	for (i = 0; i < one->map.nr_events; i++)
		if (strata_source_event(source, (uint32_t)i))
			event_set_add(known, i);
}
