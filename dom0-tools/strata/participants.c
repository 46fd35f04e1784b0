// SPDX-License-Identifier: GPL-2.0-or-later
/* participants.c - see participants.h. */
#include "participants.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "escape.h"

/* A kernel patches itself for each event that it begins or ends to record, and tells all of its
 * CPUs: seconds, for hundreds of events where CPUs wait for one another. */
#define ANSWER_TIMEOUT_MS       10000
#define ANSWER_TIMEOUT_EVENT_MS 100

/* One deadline for all who were told, none of whom changes more than @nr_events. */
static struct guest_patience patience(const struct participants *all, size_t nr_events)
{
	return (struct guest_patience){
		.deadline_ms = guest_clock_ms() + ANSWER_TIMEOUT_MS +
			       (int64_t)nr_events * ANSWER_TIMEOUT_EVENT_MS,
		.meanwhile = all->meanwhile,
		.data = all->data,
	};
}

static struct guest_patience patience_with_all(const struct participants *all)
{
	size_t most = 0, i;

	for (i = 0; i < all->nr; i++) {
		size_t nr = event_set_count(&all->list[i].events);

		if (nr > most)
			most = nr;
	}
	return patience(all, most);
}

static int tell_stop(struct participants *all, struct participant *one, struct strata_error *error)
{
	one->sequence = all->sequence++;
	return guest_tell_stop(all->xenstore, &one->guest, one->sequence, error);
}

static void leave_out(struct participants *all, const struct guest *guest,
		      const struct strata_error *why)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(guest->name))];

	strata_escape_name(name, sizeof(name), guest->name);
	fprintf(stderr, "strata: domain %u (%s) is left out: %s\n", guest->domain, name, why->text);
	all->left_out++;
}

static bool is_probe(const struct kernel_selection *selection)
{
	return selection->kind == SELECT_KPROBE || selection->kind == SELECT_KRETPROBE;
}

/*
 * The events that are asked of this domain, but for its probes; NULL: it does not
 * take part.  Without any --kernel all domains do; else one that only a probe
 * names has no other event.
 * @named: OUT, whether the user named it
 */
static const char *patterns_for(const struct guest *guest, struct kernel_selection *selections,
				size_t nr, bool *named)
{
	const char *probes_only = NULL, *patterns = NULL;
	bool any = false;
	size_t i;

	*named = false;
	for (i = 0; i < nr; i++) {
		any |= selections[i].kind == SELECT_EVENTS;
		if (!select_matches_domain(&selections[i], guest->domain, guest->name))
			continue;
		selections[i].found = true;
		*named = true;
		if (selections[i].kind == SELECT_EVENTS && !patterns)
			patterns = selections[i].text;
		if (is_probe(&selections[i]))
			probes_only = "none";
	}
	if (patterns)
		return patterns;
	return any ? probes_only : "default";
}

/* A directory's name from a domain's, which may hold anything. */
static void name_source(const struct strata_recording *recording, const struct guest *guest,
			char *name, size_t bytes)
{
	bool taken = false;
	size_t i, length;

	snprintf(name, bytes, "%s", guest->domain ? guest->name : "dom0");
	for (i = 0; name[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
			    name[i]))
			name[i] = '_';
	taken = !name[0] || !strcmp(name, "xen") || (guest->domain && !strcmp(name, "dom0"));
	for (i = 0; i < recording->nr_sources; i++)
		taken |= !strcmp(recording->sources[i].name, name);
	if (!taken)
		return;
	length = strnlen(name, bytes - 12);
	snprintf(name + length, bytes - length, "-%u", guest->domain);
}

static int add_source(struct participant *one, struct recorder *recorder,
		      struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	struct strata_source *source;
	char name[sizeof(source->name)];
	size_t i;

	name_source(recording, &one->guest, name, sizeof(name));
	source = strata_recording_add_source(recording, name);
	if (!source)
		return strata_fail(error, "out of memory");
	one->source = recording->nr_sources - 1;
	source->layer = STRATA_LAYER_KERNEL;
	source->domain = one->guest.domain;
	snprintf(source->domain_name, sizeof(source->domain_name), "%s", one->guest.name);
	if (getrandom(source->uuid, sizeof(source->uuid), 0) != (ssize_t)sizeof(source->uuid))
		return strata_fail(error, "no random numbers for an UUID");
	/* What it does not record would only make the metadata long. */
	for (i = 0; i < one->map.nr_events; i++)
		if (event_set_has(&one->events, i) &&
		    strata_source_add_event(source, &one->map.events[i], error))
			return strata_fail_in(error, "its event table");
	for (i = 0; i < one->map.nr_rings; i++)
		if (recorder_add_ring(recorder, one->source, &one->map.rings[i], error))
			return -1;
	return 0;
}

/* Has the module add an event for a --kprobe or --kretprobe, and finds it in the new table. */
static int add_probe(struct participants *all, struct participant *one,
		     const struct kernel_selection *selection, struct event_set *probes,
		     struct strata_error *error)
{
	struct guest_patience wait = patience(all, 1);
	char name[STRATA_EVENT_NAME_BYTES];
	const struct guest_probe probe = { .kind = select_option_name(selection->kind) + 2,
					   .name = name,
					   .place = selection->text };
	size_t i;

	select_probe_name(selection, name);
	one->sequence = all->sequence++;
	if (guest_tell_probe(all->xenstore, &one->guest, one->sequence, &probe, error) ||
	    guest_await(all->xenstore, &one->guest, "probed", one->sequence, &wait, error))
		return strata_fail_in(error,
				      "%s %s (a symbol that its kernel lacks, or forbids to "
				      "probe?)",
				      probe.kind, selection->text);
	if (guest_map_events_again(&one->map, &one->guest, error))
		return -1;
	for (i = 0; i < one->map.nr_events; i++) {
		if (strcmp(one->map.events[i].name, name) ||
		    strcmp(one->map.events[i].group, probe.kind))
			continue;
		event_set_add(probes, i);
		return 0;
	}
	return strata_fail(error, "its module says that it probes %s, but its event table does not",
			   selection->text);
}

static int choose_events(struct participants *all, struct participant *one, const char *patterns,
			 const struct kernel_selection *selections, size_t nr,
			 struct strata_error *error)
{
	struct event_set probes = { { 0 } };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (is_probe(&selections[i]) &&
		    select_matches_domain(&selections[i], one->guest.domain, one->guest.name) &&
		    add_probe(all, one, &selections[i], &probes, error))
			return -1;
	}
	if (select_kernel_events(patterns, one->map.events, one->map.nr_events, &one->events,
				 error))
		return -1;
	for (i = 0; i < one->map.nr_events; i++) {
		if (event_set_has(&probes, i))
			event_set_add(&one->events, i);
	}
	return 0;
}

/* Leaves in one->filter what --tid or --pid ask of this domain.  0 or -1. */
static int choose_filter(struct participant *one, const struct kernel_selection *selections,
			 size_t nr, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		enum select_kind kind = selections[i].kind;

		if ((kind != SELECT_TID && kind != SELECT_PID) ||
		    !select_matches_domain(&selections[i], one->guest.domain, one->guest.name))
			continue;
		if (one->filter)
			return strata_fail(error, "more than one of --tid and --pid names it");
		if (asprintf(&one->filter, "%s=%s", select_option_name(kind) + 2,
			     selections[i].text) < 0) {
			one->filter = NULL;
			return strata_fail(error, "out of memory");
		}
	}
	return 0;
}

static int take_in(struct participants *all, struct participant *one, const char *patterns,
		   const struct kernel_selection *selections, size_t nr_selections,
		   struct recorder *recorder, struct strata_error *error)
{
	struct guest_patience wait;

	one->port = -1;
	if (one->guest.module == GUEST_OTHER_ABI)
		return strata_fail(error,
				   "its strata.ko speaks version %u, and this tool %u; load the "
				   "module of these sources",
				   one->guest.version, STRATA_GUEST_ABI_VERSION);
	if (one->guest.module == GUEST_BROKEN)
		return strata_fail(error, "what its module publishes in xenstore is incomplete; "
					  "reload strata.ko there");
	if (guest_map(&one->map, all->gnttab, &one->guest, true, error))
		return -1;
	if (choose_filter(one, selections, nr_selections, error))
		return -1;
	wait = patience(all, one->map.nr_events);
	/* An earlier recorder may have died: the rings are to be still before we begin. */
	if (guest_may_record(&one->guest) &&
	    (tell_stop(all, one, error) ||
	     guest_await(all->xenstore, &one->guest, "stopped", one->sequence, &wait, error)))
		return -1;
	if (choose_events(all, one, patterns, selections, nr_selections, error) ||
	    add_source(one, recorder, error))
		return -1;
	if (all->evtchn)
		one->port =
			xenevtchn_bind_interdomain(all->evtchn, one->guest.domain, one->guest.port);
	if (one->port < 0)
		fprintf(stderr, "strata: domain %u is polled: its event channel cannot be bound\n",
			one->guest.domain);
	return 0;
}

static int check_all_found(const struct kernel_selection *selections, size_t nr,
			   struct strata_error *error)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!selections[i].found && strcmp(selections[i].domain, "none"))
			return strata_fail(
				error, "%s: no domain \"%s\" runs here; `strata list` shows them",
				select_option_name(selections[i].kind), selections[i].domain);
	return 0;
}

int participants_gather(struct participants *all, struct recorder *recorder,
			struct kernel_selection *selections, size_t nr_selections,
			struct strata_error *error)
{
	struct guest *guests;
	size_t nr_guests, i;

	/* Commands of different recorders must not be taken for one another. */
	all->sequence = (uint32_t)time(NULL);
	if (guests_find(all->xenstore, &guests, &nr_guests, error))
		return -1;
	/* The recorder keeps pointers to rings, so the list must not move. */
	all->list = calloc(nr_guests ? nr_guests : 1, sizeof(*all->list));
	if (!all->list) {
		free(guests);
		return strata_fail(error, "out of memory");
	}
	for (i = 0; i < nr_guests; i++) {
		bool named;
		const char *patterns = patterns_for(&guests[i], selections, nr_selections, &named);
		struct participant *one = &all->list[all->nr];
		struct strata_error why = { "" };

		if (!patterns)
			continue;
		if (guests[i].module == GUEST_NO_MODULE) {
			if (!named)
				continue;
			strata_fail(&why, "no strata.ko is loaded in it");
			leave_out(all, &guests[i], &why);
			continue;
		}
		one->guest = guests[i];
		if (take_in(all, one, patterns, selections, nr_selections, recorder, &why)) {
			leave_out(all, &guests[i], &why);
			/* Rings that the recorder knows stay mapped; they are never started. */
			memset(&one->events, 0, sizeof(one->events));
			if (!one->map.nr_rings)
				continue;
		}
		all->nr++;
	}
	free(guests);
	return check_all_found(selections, nr_selections, error);
}

void participants_start(struct participants *all)
{
	struct guest_patience wait;
	struct strata_error why = { "" };
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];

		if (event_set_count(&one->events) == 0)
			continue;
		one->sequence = all->sequence++;
		/* Even if no answer comes in time it may start later: it is stopped in any case. */
		one->started = !guest_tell_start(all->xenstore, &one->guest, one->sequence,
						 &one->events, one->filter, &why);
		if (!one->started)
			leave_out(all, &one->guest, &why);
	}
	wait = patience_with_all(all);
	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];

		if (one->started &&
		    guest_await(all->xenstore, &one->guest, "started", one->sequence, &wait, &why))
			leave_out(all, &one->guest, &why);
	}
}

static void did_not_stop(struct participants *all, struct participant *one,
			 const struct strata_error *why)
{
	fprintf(stderr, "strata: the last sub-buffers of domain %u are not in the recording: %s\n",
		one->guest.domain, why->text);
	one->started = false;
	all->left_out++;
}

void participants_stop(struct participants *all)
{
	struct guest_patience wait;
	struct strata_error why = { "" };
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].started && tell_stop(all, &all->list[i], &why))
			did_not_stop(all, &all->list[i], &why);
	wait = patience_with_all(all);
	for (i = 0; i < all->nr; i++) {
		struct participant *one = &all->list[i];

		if (!one->started)
			continue;
		if (guest_await(all->xenstore, &one->guest, "stopped", one->sequence, &wait, &why))
			did_not_stop(all, one, &why);
		one->started = false;
	}
}

void participants_release(struct participants *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->evtchn && all->list[i].port >= 0)
			xenevtchn_unbind(all->evtchn, (evtchn_port_t)all->list[i].port);
		guest_unmap(&all->list[i].map);
		free(all->list[i].filter);
	}
	free(all->list);
	all->list = NULL;
	all->nr = 0;
}
