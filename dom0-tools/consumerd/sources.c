// SPDX-License-Identifier: GPL-2.0-or-later
/* sources.c - see sources.h. */
#include "consumerd/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/escape.h"
#include "consumerd/host/host_clock.h"
#include "consumerd/host/proc_text.h"
#include "consumerd/source_name.h"
#include "recording/guest_numbers.h"

#define DOMID_XEN_NUMBER 0x7ff2u

/* Says which boot this is; without it other recordings of the boot are not on one timeline.  The
 * file is read before the recording: others may delay who opens it for a snapshot (own_proc.h). */
static void set_boot(struct strata_recording *recording)
{
	static char text[STRATA_UUID_TEXT_BYTES];
	static bool is_read;

	if (!is_read)
		proc_text_at("sys/kernel/random/boot_id", text, sizeof(text));
	is_read = true;
	if (!strata_uuid_parse(recording->boot, text))
		memset(recording->boot, 0, sizeof(recording->boot));
}

/* The pair of clocks that gives ticks a date. */
void sources_set_clock(struct recorder *recorder, uint32_t tsc_khz)
{
	struct strata_recording *recording = recorder_recording(recorder);
	struct host_clock now = host_clock_read(CLOCK_REALTIME);

	recording->tsc_khz = tsc_khz;
	set_boot(recording);
	recorder_set_of_now(recorder);
	recording->anchor_ticks = now.ticks;
	recording->anchor_realtime_ns = now.ns;
}

static int identify(struct strata_source *source, enum strata_layer layer, uint32_t domain,
		    const char *domain_name, struct strata_error *error)
{
	source->layer = layer;
	source->domain = domain;
	snprintf(source->domain_name, sizeof(source->domain_name), "%s", domain_name);
	if (getrandom(source->uuid, sizeof(source->uuid), 0) != (ssize_t)sizeof(source->uuid))
		return strata_fail(error, "no random numbers for a UUID");
	return 0;
}

static int add_rings(struct recorder *recorder, size_t source, struct ring *rings, size_t nr,
		     enum recorder_begin begin, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (recorder_add_ring(recorder, source, &rings[i], begin, error))
			return -1;
	return 0;
}

int sources_add_hypervisor(struct recorder *recorder, struct hypervisor *hypervisor,
			   enum recorder_begin begin, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	struct strata_source *source = strata_recording_add_source(recording, "xen");
	struct ring *rings;
	size_t nr;

	if (!source)
		return strata_fail(error, "out of memory");
	if (identify(source, STRATA_LAYER_XEN, DOMID_XEN_NUMBER, "xen", error) ||
	    strata_source_limit_guests(source, error))
		return -1;
	rings = hypervisor_rings(hypervisor, &nr);
	return add_rings(recorder, recording->nr_sources - 1, rings, nr, begin, error);
}

int sources_follow_hypervisor(struct recorder *recorder, struct hypervisor *hypervisor,
			      struct strata_error *error)
{
	const struct strata_recording *recording = recorder_recording(recorder);
	size_t before, nr, source = 0;
	struct ring *rings;
	int result;

	while (source < recording->nr_sources &&
	       recording->sources[source].layer != STRATA_LAYER_XEN)
		source++;
	if (source == recording->nr_sources)
		return strata_fail(error, "the recording has no source for Xen");
	hypervisor_rings(hypervisor, &before);
	result = hypervisor_map_new(hypervisor, error);
	rings = hypervisor_rings(hypervisor, &nr);
	/* All of their contents belong to the recording: they were created during it. */
	if (add_rings(recorder, source, &rings[before], nr - before, RECORDER_WITH_PAST, error))
		return -1;
	return result;
}

static int compare_names(const void *a, const void *b)
{
	const struct strata_event_desc *const *one = a, *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

/* A name selects one event: a name that a guest gives to several would select them all. */
static int check_names(const struct strata_event_desc *events, size_t nr,
		       struct strata_error *error)
{
	const struct strata_event_desc **sorted = calloc(nr + 1, sizeof(*sorted));
	size_t i;
	int result = 0;

	if (!sorted)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++)
		sorted[i] = &events[i];
	qsort(sorted, nr, sizeof(*sorted), compare_names);
	for (i = 1; i < nr && !result; i++)
		if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
			result = strata_fail(
				error,
				"its events %u and %u have the same name; names must be unique",
				sorted[i - 1]->id, sorted[i]->id);
	free(sorted);
	return result;
}

int sources_add_events(struct recorder *recorder, size_t index, const struct guest_map *map,
		       const struct event_set *events, struct strata_error *error)
{
	struct strata_source *source = &recorder_recording(recorder)->sources[index];
	size_t i;

	for (i = 0; i < map->nr_events; i++)
		if ((!events || event_set_has(events, i)) &&
		    !strata_source_event(source, (uint32_t)i) &&
		    recorder_add_event(recorder, index, &map->events[i], error))
			return strata_fail_in(error, "its event table");
	return 0;
}

int sources_begin_kernel(struct recorder *recorder, const struct guest *guest,
			 const uint8_t uuid[PRINCIPAL_UUID_BYTES], const struct guest_map *map,
			 const struct event_set *events, enum recorder_begin begin,
			 uint64_t came_ticks, size_t *index, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	struct principal *who =
		principals_domain(recorder_principals(recorder), guest->domain, uuid, guest->name);
	char name[sizeof(recording->sources->name)];
	struct strata_source *source;
	uint32_t described = 0;
	size_t i;

	if (!who) {
		strata_fail(error, "out of memory");
		return -2;
	}
	if (check_names(map->events, map->nr_events, error))
		return -2;
	source_name(recording, guest->domain, guest->name, name, sizeof(name));
	for (i = 0; i < map->nr_events; i++)
		if (!events || event_set_has(events, i))
			described += strata_event_packed_bytes(&map->events[i]);
	if (recorder_begin_source(recorder, who, name, map->nr_rings, described, index, error))
		return -2;
	source = &recording->sources[*index];
	source->since_ticks = begin == RECORDER_FROM_NOW ? strata_clock() : 0;
	source->came_ticks = came_ticks;
	source->form = map->form;
	source->contexts = map->contexts;
	source->counters = map->counter_fields;
	if (identify(source, STRATA_LAYER_KERNEL, guest->domain, guest->name, error))
		return -1;
	/* Unrecorded events would only lengthen the metadata. */
	return sources_add_events(recorder, *index, map, events, error);
}

int sources_begin_app(struct recorder *recorder, struct principal *who, const struct app *app,
		      size_t *index, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	char name[sizeof(recording->sources->name)], wish[sizeof(app->comm) + 4];
	struct strata_source *source;
	uint32_t described = 0;
	size_t i;

	snprintf(wish, sizeof(wish), "app-%s", app->comm);
	source_name(recording, (uint32_t)app->pid, wish, name, sizeof(name));
	for (i = 0; i < app->nr_events; i++)
		described += strata_event_packed_bytes(app->events[i]);
	if (recorder_begin_source(recorder, who, name, app->nr_rings, described, index, error))
		return -2;
	source = &recording->sources[*index];
	source->since_ticks = source->came_ticks = strata_clock();
	source->pid = app->pid;
	source->uid = app->uid;
	source->migrates = app->mode != STRATA_APP_SINGLE_STORE;
	source->form = app->form;
	return identify(source, STRATA_LAYER_APP, 0, app->comm, error);
}

int sources_add_rings(struct recorder *recorder, size_t index, struct ring *rings, size_t nr,
		      size_t *next, size_t most, enum recorder_begin begin,
		      struct strata_error *error)
{
	const size_t now = nr - *next < most ? nr - *next : most;

	if (add_rings(recorder, index, &rings[*next], now, begin, error))
		return -1;
	*next += now;
	return 0;
}
