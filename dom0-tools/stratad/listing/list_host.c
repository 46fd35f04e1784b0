// SPDX-License-Identifier: GPL-2.0-or-later
/* list_host.c - see list_host.h; list_request.c calls it. */
#include "stratad/listing/list_host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/recorder_number.h"
#include "consumerd/host/run_lock.h"
#include "consumerd/xen/guest_map.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/listing/list_json.h"
#include "stratad/select/select_kernel.h"
#include "stratad/select/select_xen.h"
#include "xen/domain_numbers.h"

static const char *state_name(uint32_t state)
{
	switch (state) {
	case STRATA_HV_IDLE:
		return "idle";
	case STRATA_HV_STOPPED:
		return "rings made, not recording";
	case STRATA_HV_STARTED:
		return "recording";
	default:
		return "in a state that this tool does not know";
	}
}

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

/* Adds what Xen calls its version, unless it says none. */
static void add_version(struct json_object *json)
{
	static const char *const parts[] = { "major", "minor", "extra" };
	char text[256] = "";
	unsigned int i;

	for (i = 0; i < 3; i++) {
		char path[64], part[64] = "";
		const size_t used = strlen(text);
		FILE *file;

		snprintf(path, sizeof(path), "/sys/hypervisor/version/%s", parts[i]);
		file = fopen(path, "re");
		if (!file)
			break;
		if (!fgets(part, sizeof(part), file))
			part[0] = '\0';
		fclose(file);
		part[strcspn(part, "\n")] = '\0';
		snprintf(text + used, sizeof(text) - used, "%s%s", i == 1 ? "." : "", part);
	}
	list_json_text(json, "version", text);
}

static struct json_object *describe_channel(uint32_t number, const char *state, const char *owner)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "channel", number);
	list_json_text(object, "state", state);
	list_json_text(object, "owner", owner);
	return object;
}

/* Adds a channel of the hypervisor's, unless it is free. */
static void list_channel(const struct strata_hv_op *query, struct json_object *array)
{
	const char *const state = query->u.query.flags & STRATA_HV_AGGREGATES
					  ? "counting"
					  : state_name(query->u.query.state);
	struct json_object *object;

	if (query->u.query.state == STRATA_HV_IDLE)
		return;
	object = describe_channel(query->channel, state, query->u.query.owner);
	add_number(object, "refused", query->u.query.refused);
	json_object_array_add(array, object);
}

/* Adds what the hypervisor is, and its channels.  0 or -1. */
static int list_channels(struct hypervisor *hypervisor, const struct list_choice *choice,
			 struct json_object *json, struct strata_error *error)
{
	struct json_object *array = NULL;
	struct strata_hv_op query;
	uint32_t channel;

	for (channel = 0; channel < STRATA_HV_CHANNELS; channel++) {
		hypervisor_use_channel(hypervisor, channel);
		if (hypervisor_query(hypervisor, &query, error))
			return -1;
		if (channel == 0) {
			add_version(json);
			add_number(json, "abi", query.abi_version);
			add_number(json, "cpus", query.u.query.nr_cpus);
			add_number(json, "tsc_khz", query.u.query.tsc_khz);
			array = list_json_array(json, "channels");
		}
		if (!choice->for_member)
			list_channel(&query, array);
	}
	return 0;
}

static void add_class(void *array, const char *name, const char *what)
{
	struct json_object *object = json_object_new_object();

	list_json_text(object, "name", name);
	list_json_text(object, "what", what);
	json_object_array_add(array, object);
}

struct xen_events {
	struct json_object *array;
	bool fields;
};

static void add_event(void *data, const char *class, const struct strata_event_desc *event)
{
	const struct xen_events *events = data;

	json_object_array_add(events->array, list_json_event(event, class, events->fields));
}

static void list_xen_events(const struct list_choice *choice, struct json_object *json)
{
	struct xen_events events = { .fields = choice->fields };

	select_xen_each_class(add_class, list_json_array(json, "classes"));
	events.array = list_json_array(json, "events");
	select_xen_each_event(choice->patterns, choice->nr_patterns, add_event, &events);
}

static int list_hypervisor(const struct list_choice *choice, struct json_object *root,
			   struct strata_error *error)
{
	struct json_object *json = json_object_new_object();
	struct hypervisor *hypervisor;
	int result = -1;

	if (hypervisor_open(&hypervisor, error) == HYPERVISOR_OK)
		result = list_channels(hypervisor, choice, json, error);
	hypervisor_close(hypervisor);
	if (result) {
		json_object_put(json);
		return -1;
	}
	if (choice->events)
		list_xen_events(choice, json);
	json_object_object_add(root, "hypervisor", json);
	return 0;
}

static const char *guest_state_name(const struct guest *guest)
{
	if (!strcmp(guest->state, "started") || !strcmp(guest->state, "flushed"))
		return state_name(STRATA_HV_STARTED);
	return state_name(STRATA_HV_STOPPED);
}

/* The channels in which a kernel records, or has rings other than those of channel 0. */
static void list_guest_channels(struct xs_handle *xenstore, uint32_t domain,
				struct json_object *json)
{
	struct json_object *array = list_json_array(json, "channels");
	uint32_t number;

	for (number = 0; number < STRATA_GUEST_CHANNELS_MAX; number++) {
		char owner[RUN_LOCK_HOLDER_BYTES];
		const char *state;
		struct guest guest;

		guest_look(xenstore, domain, number, &guest);
		if (guest.module != GUEST_READY || (!number && !guest_may_record(&guest)))
			continue;
		recorder_number_owner(number, owner);
		state = recorder_number_counts(owner) ? "counting" : guest_state_name(&guest);
		json_object_array_add(array, describe_channel(number, state, owner));
	}
}

/* Says of a domain why it cannot be recorded. */
static void __attribute__((format(printf, 2, 3)))
say_why_not(struct json_object *json, const char *format, ...)
{
	char text[sizeof(((struct strata_error *)NULL)->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	list_json_text(json, "why_not", text);
}

static size_t count_events(const struct guest_map *map, const struct list_choice *choice)
{
	size_t nr = 0, i;

	for (i = 0; i < map->nr_events; i++)
		nr += list_events_may_list(choice, &map->events[i]);
	return nr;
}

static void list_kernel(struct xs_handle *xenstore, const struct guest *guest,
			const struct guest_map *map, const struct list_choice *choice,
			struct json_object *json)
{
	struct event_listing events;
	size_t i;

	add_number(json, "version", guest->version);
	list_json_text(json, "state", guest->state);
	add_number(json, "rings", map->nr_granted_rings);
	add_number(json, "ring_bytes", strata_buffer_bytes(map->geometry));
	add_number(json, "nr_events", count_events(map, choice));
	if (!choice->for_member)
		list_guest_channels(xenstore, guest->domain, json);
	if (!choice->events)
		return;
	list_events_begin(&events, choice, json);
	for (i = 0; i < map->nr_events; i++)
		list_events_next(&events, &map->events[i]);
	list_events_end(&events);
}

static void list_guest(struct xs_handle *xenstore, xengnttab_handle *gnttab,
		       const struct guest *guest, const struct list_choice *choice,
		       struct json_object *json)
{
	struct strata_error error = { "" };
	struct guest_map map;

	add_number(json, "domain", guest->domain);
	list_json_text(json, "name", strata_domain_shown_name(guest->domain, guest->name));
	switch (guest->module) {
	case GUEST_NO_MODULE:
		say_why_not(json, "no module: load strata.ko in it to record its kernel");
		return;
	case GUEST_OTHER_ABI:
		say_why_not(json,
			    "strata.ko uses interface version %u, this tool another: load the "
			    "module of this build",
			    guest->version);
		return;
	case GUEST_BROKEN:
		say_why_not(json, "strata.ko publishes invalid data: reload it");
		return;
	case GUEST_READY:
	case GUEST_NO_RINGS: /* not of channel 0 */
		break;
	}
	if (!gnttab) {
		say_why_not(json, "strata.ko is loaded, but /dev/xen/gntdev is missing: load "
				  "xen-gntdev");
		return;
	}
	/* Without its rings: a list has no share of the pages that dom0 can map. */
	if (guest_map(&map, gnttab, guest, false, &error)) {
		say_why_not(json, "strata.ko is loaded, but cannot be mapped: %s", error.text);
		return;
	}
	list_kernel(xenstore, guest, &map, choice, json);
	guest_unmap(&map);
}

/* @domain: only this one; NULL: all.  0 or -1. */
static int list_guests(const struct kernel_selection *domain, const struct list_choice *choice,
		       struct json_object *root, struct strata_error *error)
{
	struct json_object *array = list_json_array(root, "domains"), *json;
	struct xs_handle *xenstore = xs_open(0);
	xengnttab_handle *gnttab;
	struct guest *guests;
	size_t nr, i, listed = 0;

	if (!xenstore)
		return strata_fail(error, "xenstore cannot be reached: %s; is xenstored running?",
				   strerror(errno));
	if (guests_find(xenstore, 0, &guests, &nr, error)) {
		xs_close(xenstore);
		return -1;
	}
	gnttab = xengnttab_open(NULL, 0);
	for (i = 0; i < nr; i++) {
		if (domain && !select_matches_domain(domain, guests[i].domain, guests[i].name))
			continue;
		json = json_object_new_object();
		list_guest(xenstore, gnttab, &guests[i], choice, json);
		json_object_array_add(array, json);
		listed++;
	}
	if (gnttab)
		xengnttab_close(gnttab);
	free(guests);
	xs_close(xenstore);
	if (listed || !domain)
		return 0;
	return strata_fail(error, "no domain \"%s\" runs here; `strata list` shows them",
			   domain->domain);
}

int list_host(const char *target, const struct list_choice *choice, struct json_object *json,
	      struct strata_error *error)
{
	struct kernel_selection domain;
	struct strata_error of_guests = { "" };
	int failed;

	if (target && strcmp(target, "xen"))
		return select_parse_kernel(SELECT_EVENTS, target, &domain, error) ||
				       list_guests(&domain, choice, json, error)
			       ? -1
			       : 0;
	failed = list_hypervisor(choice, json, error);
	/* Guests can be listed wherever Xen runs, with Strata in it or without. */
	if (target || (failed && access("/dev/xen/privcmd", R_OK | W_OK)))
		return failed;
	if (!list_guests(NULL, choice, json, &of_guests))
		return failed;
	if (failed)
		fprintf(stderr, "strata: %s\n", of_guests.text);
	else
		*error = of_guests;
	return -1;
}
