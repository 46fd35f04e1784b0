/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracks.h - the model of tracks (track.h): listens to the spans of the state of hosts
 * (state/span.h) and passes slices on named tracks to sinks. It takes one pass, and memory only for
 * tracks and names.
 *
 *     strata_tracks_new
 *     strata_tracks_listener   must receive all spans
 *     strata_tracks_observer   must see all events in order, for losses and messages
 *     strata_tracks_finish     after the last span: names and order of all tracks
 *     strata_tracks_free
 */
#ifndef STRATA_MERGE_TRACKS_TRACKS_H
#define STRATA_MERGE_TRACKS_TRACKS_H

#include "outputs/shown.h"
#include "state/host_state.h"
#include "tracks/names.h"
#include "tracks/track.h"

/* A hostile trace may need more: beyond the share of its domain or user, which is half of them
 * if no other has many, they are not shown. */
#define STRATA_TRACKS_MAX 65536u

struct strata_tracks_options {
	uint64_t from_ns, to_ns; /* slices are clipped to this range; UINT64_MAX: to the end */
	/* Patterns (strata/glob.h) of the domains to show; 0: all. Physical CPUs are always
	 * shown. */
	const char *const *domains;
	size_t nr_domains;
	bool with_messages; /* those of strata_printf() are slices of length zero */
};

/* Spans that did not become slices. */
struct strata_tracks_facts {
	uint64_t slices, arrows, losses;
	uint64_t of_others;         /* slices of unwanted domains */
	uint64_t not_shown;         /* slices of tracks beyond STRATA_TRACKS_MAX */
	uint64_t first_ns, last_ns; /* of slices */
};

/* Sinks may read this; only tracks.c, labels.c and tree.c change it. */
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
 * @shown, @options, @sinks: must outlive the tracks
 * Returns NULL if out of memory.
 */
struct strata_tracks *strata_tracks_new(const struct strata_shown *shown,
					const struct strata_tracks_options *options,
					struct strata_track_sink *const *sinks, size_t nr_sinks);

struct strata_span_listener *strata_tracks_listener(struct strata_tracks *tracks);
struct strata_slice_sink *strata_tracks_observer(struct strata_tracks *tracks);

/*
 * Ends the pass: gives tracks their final names.
 * @order: OUT, their ids in drawing order, parents before children; the caller frees it
 * Returns 0, or -1: out of memory, now or earlier.
 */
int strata_tracks_finish(struct strata_tracks *tracks, uint32_t **order,
			 struct strata_error *error);

void strata_tracks_free(struct strata_tracks *tracks);

#endif /* STRATA_MERGE_TRACKS_TRACKS_H */
