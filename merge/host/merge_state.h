/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_state.h - what merger.c, merge_event.c and merge_order.c share; nobody else's. */
#ifndef STRATA_MERGE_MERGE_STATE_H
#define STRATA_MERGE_MERGE_STATE_H

#include "host/recording_traces.h"
#include "host/merger.h"
#include "base/progress.h"
#include "timeline/trace_set.h"

struct merge_stream {
	struct strata_merge_stream seen; /* what consumers see */
	struct strata_vcpu *vcpu;        /* of a kernel or an application */
	uint64_t early_ticks;            /* its times may be early by as much */
	uint32_t context_bytes;
	/* Where its last event was: the reading of its own counter is read against that. */
	bool in_packet;
	uint64_t packet_offset;
	uint64_t reading;
	/* Classes by the metadata's index of an event; NULL: not asked for yet. */
	const struct strata_event_class **classes;
	const struct strata_ctf_kind_of_stream *kind; /* that these are of */
	bool was_named; /* as one with events that the table does not describe */
};

struct strata_merge {
	struct strata_slice_sink slice;
	struct strata_merge_options options;
	struct strata_recording_traces *traces;
	struct strata_recorded_host *host;  /* of these */
	const struct strata_trace_set *set; /* that it watches */
	struct strata_order_check *check;
	struct strata_event_classes *classes; /* of each source */
	uint32_t nr_classes;

	struct merge_stream *streams; /* as the host's */
	size_t nr_streams;
	struct merge_stream **of_set; /* by index in the set; NULL: another's */
	struct strata_sink *const *sinks;
	size_t nr_sinks;

	uint64_t began_ns; /* the first event that counts for the duration; 0: none yet */
	struct strata_merge_result result;
};

/* Tells the user; @options.complain may be NULL. */
void merge_complain(const struct strata_merge *merge, const char *message);

/* Sets where an event happened, and asks the order check whether it can have happened there. */
void merge_check_event(struct strata_merge *merge, const struct merge_stream *stream,
		       struct strata_timeline_event *event);

/* The slice sink of a merge: struct strata_slice_sink says how they are called. */
int merge_take(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
	       const struct strata_lane_event *events, size_t nr, struct strata_error *error);
int merge_lose(struct strata_slice_sink *slice, size_t at, struct strata_ctf_reader *reader,
	       const struct strata_loss *loss, struct strata_error *error);

#endif /* STRATA_MERGE_MERGE_STATE_H */
