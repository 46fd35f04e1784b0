/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - the state with which spans become tracks: tracks.c sorts spans and calls the sinks,
 * slices.c makes slices, messages.c those of messages, arrows.c arrows. Internal to tracks.
 */
#ifndef STRATA_MERGE_TRACKS_RECORDER_H
#define STRATA_MERGE_TRACKS_RECORDER_H

#include "tracks/detail.h"
#include "tracks/labels.h"
#include "tracks/tree.h"

/* If the options ask for messages: */
struct strata_messages {
	struct strata_shown_view view;
	bool has_view;
	bool *may_have; /* for each trace: some class has a format */
	struct strata_buffer detail;
};

struct strata_recorder {
	struct strata_tracks tracks; /* visible to sinks */
	struct strata_span_listener listener;
	struct strata_slice_sink observer;
	const struct strata_tracks_options *options;
	struct strata_track_sink *const *sinks;
	size_t nr_sinks;
	struct strata_tree tree;
	struct strata_labels labels;
	struct strata_detail_behind behind; /* vCPUs that ran during the current wait */
	struct strata_messages messages;
};

/* Pass a slice or an arrow to all sinks, and count it. */
void strata_recorder_tell_slice(struct strata_recorder *recorder,
				const struct strata_track_slice *slice);
void strata_recorder_tell_arrow(struct strata_recorder *recorder,
				const struct strata_track_arrow *arrow);

/* Makes a slice from a span of a kind that has tracks. Returns the track of the slice; NULL: it is
 * not shown. */
struct strata_track *strata_slices_take(struct strata_recorder *recorder,
					const struct strata_span *span);

/* Places a slice on its track, or on an overflow track if that is not free, and counts it.
 * @track: NULL: it is not shown, for the tree's reason
 * Returns the track of the slice; NULL: it is not shown. */
struct strata_track *strata_slices_place(struct strata_recorder *recorder,
					 struct strata_track *track,
					 struct strata_track_slice *slice);

/* Returns 0, or -1: out of memory. */
int strata_messages_init(struct strata_recorder *recorder);
void strata_messages_clear(struct strata_recorder *recorder);

/* Makes slices from the messages in a run of a stream's events, none of which is behind the shown
 * range. */
void strata_messages_take(struct strata_recorder *recorder, size_t stream,
			  struct strata_ctf_reader *reader, const struct strata_lane_event *events,
			  size_t nr);

/* Makes an arrow from a span of kind BEHIND, WAKEUP or EVTCHN. */
void strata_arrows_take(struct strata_recorder *recorder, const struct strata_span *span);

/* Makes an arrow from an upcall to the interrupt handler that it called.
 * @span: of kind IRQ; @track: the handler's */
void strata_arrows_take_handler(struct strata_recorder *recorder, const struct strata_span *span,
				const struct strata_track *track);

#endif /* STRATA_MERGE_TRACKS_RECORDER_H */
