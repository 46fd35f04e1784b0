/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - makes a source of a recording from mapped rings, for the recording in progress and
 * for its snapshots.
 */
#ifndef STRATA_CONSUMERD_SOURCES_H
#define STRATA_CONSUMERD_SOURCES_H

#include "consumerd/apps/app.h"
#include "consumerd/xen/guest.h"
#include "consumerd/xen/guest_map.h"
#include "consumerd/xen/hypervisor.h"
#include "consumerd/recorder.h"

/* Sets the frequency of the host's TSC, and the date of one of its ticks. */
void sources_set_clock(struct recorder *recorder, uint32_t tsc_khz);

/* Adds the hypervisor's rings, which must exist. 0 or -1. */
int sources_add_hypervisor(struct recorder *recorder, struct hypervisor *hypervisor,
			   enum recorder_begin begin, struct strata_error *error);

/* Adds the rings of CPUs that were added to the host since then.  0, or -1: some are not added. */
int sources_follow_hypervisor(struct recorder *recorder, struct hypervisor *hypervisor,
			      struct strata_error *error);

/*
 * Begins a kernel's source, if the recording and its domain's share have room for its rings, which
 * are not added yet.
 * @uuid:       of its domain
 * @events:     that its records can be of; NULL: all of its table
 * @came_ticks: when it came into the recording; 0: it was there at the start
 * @index:      OUT: of the source, also if it exists but could not be filled
 * 0, -1, or -2: nothing was added.
 */
int sources_begin_kernel(struct recorder *recorder, const struct guest *guest,
			 const uint8_t uuid[PRINCIPAL_UUID_BYTES], const struct guest_map *map,
			 const struct event_set *events, enum recorder_begin begin,
			 uint64_t came_ticks, size_t *index, struct strata_error *error);

/* Adds event classes that a kernel's source lacks, for its domain's share.  @events: as above.
 * 0, or -1: some are not added. */
int sources_add_events(struct recorder *recorder, size_t index, const struct guest_map *map,
		       const struct event_set *events, struct strata_error *error);

/* Begins an application's source, charged to @who, without events and rings yet. @index and the
 * result as above. */
int sources_begin_app(struct recorder *recorder, struct principal *who, const struct app *app,
		      size_t *index, struct strata_error *error);

/* Rings of one source that are added in a turn: each is a file.  Fewer where guests of few rings
 * are to be added over several turns, as in tests/fuzz. */
#ifndef SOURCES_RINGS_PER_TURN
#define SOURCES_RINGS_PER_TURN 16u
#endif

/* Adds rings of a source, of @nr from @next on, @most of them, and moves @next.  0 or -1. */
int sources_add_rings(struct recorder *recorder, size_t index, struct ring *rings, size_t nr,
		      size_t *next, size_t most, enum recorder_begin begin,
		      struct strata_error *error);

#endif /* STRATA_CONSUMERD_SOURCES_H */
