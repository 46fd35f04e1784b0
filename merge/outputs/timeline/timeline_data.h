/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_data.h - the contents of a timeline, shared by the files that write it. Internal. */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_DATA_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_DATA_H

#include "base/fair_share.h"
#include "outputs/timeline/bounds.h"
#include "outputs/timeline/latencies.h"
#include "outputs/timeline/levels.h"
#include "outputs/timeline/timeline.h"

/* Losses beyond an owner's share of these are joined with the previous one of their track. */
#define STRATA_TIMELINE_LOSSES 65536u

/* One of the longest requests. */
struct strata_timeline_slow {
	uint32_t track;
	uint64_t from_ns, length_ns; /* since the timeline's beginning */
	char *why;                   /* NULL: not set */
};

struct strata_timeline {
	struct strata_track_sink sink;
	struct strata_slice_sink observer;
	const struct strata_shown *shown;
	const struct strata_timeline_options *options;
	struct strata_chunk_store *store;
	struct strata_levels levels;
	struct strata_arrow_writer arrows[STRATA_LEVELS]; /* by length */
	struct strata_latencies requests;
	/* Waits of tasks for a CPU, by the parent of the task's track. */
	struct strata_latencies waits;
	struct strata_bounds **bounds; /* by trace */
	struct strata_track_loss *losses;
	size_t nr_losses, losses_room, joined_losses;
	struct strata_shares loss_shares;      /* by the tracks' owners */
	uint32_t last_loss[STRATA_TRACKS_MAX]; /* by track: its last loss, counted from 1 */
	struct strata_timeline_slow slowest[STRATA_TIMELINE_SLOWEST];
	size_t nr_slowest;
	uint64_t slices, last_ns;
	bool is_full, no_memory;
	struct strata_buffer meta;
};

/* Writes the description into ->meta. */
void strata_timeline_describe(struct strata_timeline *timeline, const struct strata_tracks *tracks,
			      const uint32_t *order, const struct strata_state_facts *facts);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_DATA_H */
