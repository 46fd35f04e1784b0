// SPDX-License-Identifier: GPL-2.0-or-later
/* participants.c - see participants.h. */
#include "participants.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "escape.h"

#define ANSWER_TIMEOUT_MS 10000

/* One deadline for all who were told. */
static struct guest_patience patience(const struct participants *all)
{
	return (struct guest_patience){ .deadline_ms = guest_clock_ms() + ANSWER_TIMEOUT_MS,
					.meanwhile = all->meanwhile,
					.data = all->data };
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

/* The selection that names this domain; NULL: none does.  @everything if none was given. */
static const char *patterns_for(const struct guest *guest, struct kernel_selection *selections,
				size_t nr)
{
	size_t i;

	if (!nr)
		return "all";
	for (i = 0; i < nr; i++) {
		if (!select_matches_domain(&selections[i], guest->domain, guest->name))
			continue;
		selections[i].found = true;
		return selections[i].events;
	}
	return NULL;
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
	for (i = 0; i < one->map.nr_events; i++)
		if (strata_source_add_event(source, &one->map.events[i], error))
			return strata_fail_in(error, "its event table");
	for (i = 0; i < one->map.nr_rings; i++)
		if (recorder_add_ring(recorder, one->source, &one->map.rings[i], error))
			return -1;
	return 0;
}

/* Checks names before they are matched: they come from the guest. */
static int choose_events(struct participant *one, const char *patterns, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < one->map.nr_events; i++)
		one->map.events[i].name[STRATA_EVENT_NAME_BYTES - 1] = '\0';
	return select_kernel_events(patterns, one->map.events, one->map.nr_events, &one->mask,
				    error);
}

static int take_in(struct participants *all, struct participant *one, const char *patterns,
		   struct recorder *recorder, struct strata_error *error)
{
	struct guest_patience wait = patience(all);

	one->port = -1;
	if (one->guest.module == GUEST_OTHER_ABI)
		return strata_fail(error,
				   "its strata.ko speaks version %u, and this tool %u; load the "
				   "module of these sources",
				   one->guest.version, 1u);
	if (one->guest.module == GUEST_BROKEN)
		return strata_fail(error, "what its module publishes in xenstore is incomplete; "
					  "reload strata.ko there");
	if (guest_map(&one->map, all->gnttab, &one->guest, true, error))
		return -1;
	if (choose_events(one, patterns, error))
		return -1;
	/* An earlier recorder may have died: the rings are to be still before we begin. */
	if (strcmp(one->guest.state, "started") == 0 &&
	    (tell_stop(all, one, error) ||
	     guest_await(all->xenstore, &one->guest, "stopped", one->sequence, &wait, error)))
		return -1;
	if (add_source(one, recorder, error))
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
			return strata_fail(error,
					   "--kernel: no domain \"%s\" runs here; `strata list` "
					   "shows them",
					   selections[i].domain);
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
		const char *patterns = patterns_for(&guests[i], selections, nr_selections);
		struct participant *one = &all->list[all->nr];
		struct strata_error why = { "" };

		if (!patterns)
			continue;
		if (guests[i].module == GUEST_NO_MODULE) {
			if (!nr_selections)
				continue;
			strata_fail(&why, "no strata.ko is loaded in it");
			leave_out(all, &guests[i], &why);
			continue;
		}
		one->guest = guests[i];
		if (take_in(all, one, patterns, recorder, &why)) {
			leave_out(all, &guests[i], &why);
			/* Rings that the recorder knows stay mapped; they are never started. */
			one->mask = 0;
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

		if (!one->mask)
			continue;
		one->sequence = all->sequence++;
		/* Even if no answer comes in time it may start later: it is stopped in any case. */
		one->started = !guest_tell_start(all->xenstore, &one->guest, one->sequence,
						 one->mask, &why);
		if (!one->started)
			leave_out(all, &one->guest, &why);
	}
	wait = patience(all);
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
	wait = patience(all);
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
	}
	free(all->list);
	all->list = NULL;
	all->nr = 0;
}
