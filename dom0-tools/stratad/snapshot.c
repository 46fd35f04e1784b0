// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snapshot.c - see snapshot.h.
 *
 * Guests flush first and the hypervisor last, so that its records cover theirs.
 * A second recorder then drains the same rings once: in overwrite mode a reader
 * takes each sub-buffer out of the ring, so no two recorders meet in one. For the final events of
 * one domain it only copies the others' records.  To discard the contents, the recorder itself
 * takes them.
 */
#include "stratad/snapshot.h"

#include <stdio.h>
#include <time.h>

#include <strata/abi/app.h>

#include "stratad/domains/participant.h"
#include "stratad/domains/participant_commands.h"
#include "stratad/domains/participant_events.h"
#include "consumerd/sources.h"

/* How long guests have to flush.  The guest of interest may hang, and meanwhile an application that
 * starts waits for an answer: for STRATA_APP_WAIT_MS, if it was told nothing else. */
#define FLUSH_MS (STRATA_APP_WAIT_MS / 2u)
#define LOOK_NS  5000000

/* Whether an answer is waited for.  A guest that did not answer the last time is not. */
static bool is_awaited(struct participants *kernels)
{
	size_t nr = 0, i;

	for (i = 0; i < kernels->nr; i++)
		nr += !participant_flushed(kernels, &kernels->list[i]) &&
		      !kernels->list[i].unflushed;
	return nr != 0;
}

static void flush_guests(struct participants *kernels)
{
	uint64_t begin_ms = participants_now_ms(kernels);
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	size_t i;

	for (i = 0; i < kernels->nr; i++)
		participant_flush(kernels, &kernels->list[i]);
	while (is_awaited(kernels) && participants_now_ms(kernels) - begin_ms < FLUSH_MS) {
		nanosleep(&pause, NULL);
		participants_hear_flushed(kernels);
	}
	for (i = 0; i < kernels->nr; i++) {
		if (participant_flushed(kernels, &kernels->list[i]))
			continue;
		kernels->list[i].unflushed = true;
		fprintf(stderr,
			"strata: domain %u does not answer: its last packet is recorded up to the last committed record\n",
			kernels->list[i].domain);
	}
}

static int flush(struct participants *kernels, struct hypervisor *hypervisor,
		 struct strata_error *error)
{
	flush_guests(kernels);
	return hypervisor ? hypervisor_flush(hypervisor, error) : 0;
}

/* Adds a kernel's rings.  0; 1: its share has no room for them, which is printed; or -1. */
static int add_kernel(struct recorder *recorder, struct participants *kernels,
		      struct participant *one, enum recorder_begin begin,
		      struct strata_error *error)
{
	size_t index, next = 0;
	struct event_set known;
	int result;

	participant_known_events(kernels, one, &known);
	result = sources_begin_kernel(recorder, &one->guest, one->uuid, &one->map, &known, begin, 0,
				      &index, error);
	if (result == -2) {
		fprintf(stderr, "strata: domain %u is not in %s: %s\n", one->domain,
			recorder_dir(recorder)->path, error->text);
		return 1;
	}
	if (result || sources_add_rings(recorder, index, one->map.rings, one->map.nr_rings, &next,
					one->map.nr_rings, begin, error))
		return -1;
	recorder_recording(recorder)->sources[index].since_ticks =
		recorder_recording(kernels->recorder)->sources[one->source].since_ticks;
	return 0;
}

static const struct principal *owner_of(const struct participants *kernels,
					const struct participant *one)
{
	return principals_domain(recorder_principals(kernels->recorder), one->domain, one->uuid,
				 one->guest.name);
}

/* Whether a kernel is in the snapshot. */
static bool is_wanted(const struct participants *kernels, const struct participant *one,
		      const struct participant *died, enum recorder_copy extent)
{
	const struct principal *owner;

	if (one->step < PARTICIPANT_READY)
		return false;
	if (extent == RECORDER_COPY_ALL || one == died)
		return true;
	owner = owner_of(kernels, one);
	return owner && recorder_is_copied(owner, owner_of(kernels, died), extent);
}

/* @left_out: OUT, set if sources are left out because their principal's share has no room.  0 or
 * -1. */
static int add_sources(struct recorder *recorder, struct participants *kernels,
		       struct hypervisor *hypervisor, struct apps *apps,
		       const struct participant *died, enum recorder_copy extent, bool *left_out,
		       struct strata_error *error)
{
	const enum recorder_begin others = died ? RECORDER_PEEK : RECORDER_WITH_PAST;
	size_t i;
	int result;

	if (hypervisor && sources_add_hypervisor(recorder, hypervisor, others, error))
		return -1;
	for (i = 0; i < kernels->nr; i++) {
		struct participant *one = &kernels->list[i];

		if (!is_wanted(kernels, one, died, extent))
			continue;
		result = add_kernel(recorder, kernels, one,
				    one == died ? RECORDER_WITH_PAST : others, error);
		/* A snapshot of the one that died is nothing without it. */
		if (result < 0 || (result > 0 && one == died))
			return -1;
		*left_out |= result > 0;
	}
	return extent == RECORDER_COPY_ALL
		       ? apps_add_sources(apps, recorder, others, left_out, error)
		       : 0;
}

int snapshot_take(struct participants *kernels, struct hypervisor *hypervisor, struct apps *apps,
		  const struct participant *died, enum recorder_copy extent,
		  struct recorder *recorder, struct recorder_totals *totals,
		  struct strata_error *error)
{
	bool left_out = false;
	int result = -1;

	*totals = (struct recorder_totals){ 0 };
	sources_set_clock(recorder, kernels->tsc_khz);
	/* Files and tables first: packets without tables could not be read, and the hypervisor's
	 * clock records of the flush are soon overwritten. */
	if (add_sources(recorder, kernels, hypervisor, apps, died, extent, &left_out, error) ||
	    recorder_make_files(recorder, error) || recorder_save(recorder, error) ||
	    flush(kernels, hypervisor, error))
		recorder_abandon(recorder);
	else
		result = recorder_close(recorder, totals, error);
	apps_end_copy(apps);
	totals->was_shared |= left_out;
	return result;
}

int snapshot_clear(struct participants *kernels, struct hypervisor *hypervisor,
		   struct recorder *recorder, struct strata_error *error)
{
	return flush(kernels, hypervisor, error) ? -1 : recorder_clear(recorder, error);
}
