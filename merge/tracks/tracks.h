/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracks.h - the model of tracks (track.h): listens to the spans of the state of hosts
 * (state/span.h) and hands slices on named tracks to sinks, in one pass, in memory for tracks and
 * names only.
 *
 *     strata_tracks_new
 *     strata_tracks_listener   to be told of all spans
 *     strata_tracks_observer   to be handed all events in order: it takes in losses
 *     strata_tracks_finish     after them: names and order of all tracks
 *     strata_tracks_free
 */
#ifndef STRATA_MERGE_TRACKS_TRACKS_H
#define STRATA_MERGE_TRACKS_TRACKS_H

#include "outputs/shown.h"
#include "state/host_state.h"
#include "tracks/names.h"
#include "tracks/track.h"

#define STRATA_TRACKS_MAX 65536u /* what a hostile trace would have beyond is not shown */

struct strata_tracks_options {
	uint64_t from_ns, to_ns; /* slices are cut to this; UINT64_MAX: to the end */
	/* Patterns (filter_glob.h) of the domains that are wanted; 0: all.  Physical CPUs always
	 * are. */
	const char *const *domains;
	size_t nr_domains;
};

/* What did not become slices. */
struct strata_tracks_facts {
	uint64_t slices, arrows, losses;
	uint64_t of_others;         /* slices of domains that are not wanted */
	uint64_t not_shown;         /* slices of tracks beyond STRATA_TRACKS_MAX */
	uint64_t first_ns, last_ns; /* of slices */
};

/* Readable by sinks; changed by tracks.c, labels.c and tree.c only. */
struct strata_tracks {
	const struct strata_shown *shown;
	struct strata_track **all; /* by id */
	size_t nr;
	struct strata_names names;
	struct strata_track_category *categories; /* by number */
	size_t nr_categories;
	struct strata_tracks_facts facts;
};

/*
 * @shown, @options, @sinks: outlive it
 * NULL: out of memory.
 */
struct strata_tracks *strata_tracks_new(const struct strata_shown *shown,
					const struct strata_tracks_options *options,
					struct strata_track_sink *const *sinks, size_t nr_sinks);

struct strata_span_listener *strata_tracks_listener(struct strata_tracks *tracks);
struct strata_slice_sink *strata_tracks_observer(struct strata_tracks *tracks);

/*
 * Ends the pass: tracks get their last names.
 * @order: OUT, their ids in the order to be drawn, parents before children; the caller's
 * 0, or -1: out of memory, now or before.
 */
int strata_tracks_finish(struct strata_tracks *tracks, uint32_t **order,
			 struct strata_error *error);

void strata_tracks_free(struct strata_tracks *tracks);

#endif /* STRATA_MERGE_TRACKS_TRACKS_H */
