// SPDX-License-Identifier: GPL-2.0-or-later
/* sources.c - see sources.h. */
#include "sources.h"

#include <stdio.h>
#include <sys/random.h>

#include "host_clock.h"
#include "source_name.h"

#define DOMID_XEN_NUMBER 0x7ff2u

/* The pair of clocks that gives ticks a date. */
void sources_set_clock(struct recorder *recorder, uint32_t tsc_khz)
{
	struct strata_recording *recording = recorder_recording(recorder);
	struct host_clock now = host_clock_read(CLOCK_REALTIME);

	recording->tsc_khz = tsc_khz;
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
		return strata_fail(error, "no random numbers for an UUID");
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
	if (identify(source, STRATA_LAYER_XEN, DOMID_XEN_NUMBER, "xen", error))
		return -1;
	rings = hypervisor_rings(hypervisor, &nr);
	return add_rings(recorder, recording->nr_sources - 1, rings, nr, begin, error);
}

static size_t nr_streams(const struct strata_recording *recording)
{
	size_t nr = 0, i;

	for (i = 0; i < recording->nr_sources; i++)
		nr += recording->sources[i].nr_streams;
	return nr;
}

/* What a recording may hold, or a merge would refuse all of it. */
static int check_limits(const struct strata_recording *recording, size_t nr_rings,
			struct strata_error *error)
{
	if (recording->nr_sources >= STRATA_SOURCES_MAX ||
	    nr_streams(recording) + nr_rings > STRATA_STREAMS_MAX)
		return strata_fail(error,
				   "the recording has %zu sources with %zu streams, and at most %u "
				   "with %u can be; begin another recording for what comes now",
				   recording->nr_sources, nr_streams(recording), STRATA_SOURCES_MAX,
				   STRATA_STREAMS_MAX);
	return 0;
}

int sources_add_kernel(struct recorder *recorder, const struct guest *guest, struct guest_map *map,
		       const struct event_set *events, enum recorder_begin begin,
		       uint64_t came_ticks, size_t *index, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	char name[sizeof(recording->sources->name)];
	struct strata_source *source;
	size_t i;

	if (check_limits(recording, map->nr_rings, error))
		return -2;
	source_name(recording, guest->domain, guest->name, name, sizeof(name));
	source = strata_recording_add_source(recording, name);
	if (!source) {
		strata_fail(error, "out of memory");
		return -2;
	}
	*index = recording->nr_sources - 1;
	source->since_ticks = begin == RECORDER_FROM_NOW ? strata_clock() : 0;
	source->came_ticks = came_ticks;
	source->form = map->form;
	if (identify(source, STRATA_LAYER_KERNEL, guest->domain, guest->name, error))
		return -1;
	/* What it does not record would only make the metadata long. */
	for (i = 0; i < map->nr_events; i++)
		if ((!events || event_set_has(events, i)) &&
		    strata_source_add_event(source, &map->events[i], error))
			return strata_fail_in(error, "its event table");
	return add_rings(recorder, *index, map->rings, map->nr_rings, begin, error);
}

int sources_add_app(struct recorder *recorder, struct app *app, enum recorder_begin begin,
		    size_t *index, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recorder);
	char name[sizeof(recording->sources->name)], wish[sizeof(app->comm) + 4];
	struct strata_source *source;

	if (check_limits(recording, app->nr_rings, error))
		return -2;
	snprintf(wish, sizeof(wish), "app-%s", app->comm);
	source_name(recording, (uint32_t)app->pid, wish, name, sizeof(name));
	source = strata_recording_add_source(recording, name);
	if (!source) {
		strata_fail(error, "out of memory");
		return -2;
	}
	*index = recording->nr_sources - 1;
	source->since_ticks = source->came_ticks = strata_clock();
	source->pid = app->pid;
	source->uid = app->uid;
	source->migrates = app->mode != STRATA_APP_SINGLE_STORE;
	source->form = app->form;
	if (identify(source, STRATA_LAYER_APP, 0, app->comm, error))
		return -1;
	return add_rings(recorder, *index, app->rings, app->nr_rings, begin, error);
}
