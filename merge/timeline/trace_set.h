/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_set.h - several CTF traces as one timeline: all their streams, side by
 * side, and the merge of them from one time to another.
 *
 * A merge may be cut into slices of time, which several threads merge at once: the slices are
 * adjacent, and the consumer of the events joins their results.
 */
#ifndef STRATA_MERGE_TRACE_SET_H
#define STRATA_MERGE_TRACE_SET_H

#include <stdatomic.h>

#include "ctf/reader/ctf_index.h"
#include "ctf/reader/ctf_reader.h"
#include "timeline/set_filter.h"

struct strata_set_stream {
	const struct strata_ctf_stream *stream;
	size_t trace;                  /* index of its trace */
	struct strata_ctf_index index; /* if has_index */
	struct strata_ctf_tally tally; /* of all that was read of it */
};

struct strata_progress;

struct strata_trace_set {
	struct strata_ctf_trace **traces;
	size_t nr_traces;
	/* Sorted by trace, then name; this order decides between equal times. */
	struct strata_set_stream *streams;
	size_t nr_streams;
	bool has_index;
	uint64_t bytes;
	/* bound to it: selects the events of merges; NULL: everything */
	const struct strata_set_filter *filter;
	struct strata_progress *progress; /* notified of what merges read; NULL: none */
	/* When it becomes true, merges fail with "interrupted"; a signal handler may set it. NULL:
	 * none. */
	const atomic_bool *stop;
};

/* Zero-initialised is empty.  Adds an open trace, which then belongs to the set, also when this
 * fails: 0, or -1: out of memory. */
int strata_trace_set_add(struct strata_trace_set *set, struct strata_ctf_trace *trace,
			 struct strata_error *error);

/* Makes the index of each stream, unless the set has it. Returns 0 or -1. */
int strata_trace_set_make_index(struct strata_trace_set *set, struct strata_error *error);

/*
 * Call it after a merge of everything: reports streams with fewer packets than in their recording's
 * table and no bad packet.  A file truncated between two packets looks whole.
 * Returns the number of such streams.
 */
size_t strata_trace_set_name_cut(const struct strata_trace_set *set);

/* Whether a stream is one of these. */
static inline bool strata_set_stream_is_cut(const struct strata_set_stream *stream)
{
	return !stream->tally.bad_packets && stream->tally.packets < stream->stream->packets;
}

void strata_trace_set_clear(struct strata_trace_set *set);

/* The consumer of a slice of the timeline. */
struct strata_slice_sink {
	/*
	 * Takes a run of events of one stream, in order. They are in @reader's batch, which may
	 * contain further events that are not passed on.
	 * Returns 0; -1 with @error; 1: stop.
	 */
	int (*take)(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_lane_event *events, size_t nr, struct strata_error *error);
	/*
	 * Takes a loss of a stream, after the last event before it; returns as take(). May be NULL.
	 * Losses are passed on if the filter can match events of that stream.
	 */
	int (*lose)(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_loss *loss, struct strata_error *error);
	/*
	 * Takes all of a batch that take() will get in runs, or the loss that lose() will get, as
	 * soon as it is read: in the order of its stream, but not of the timeline. May be NULL.
	 * @loss: NULL for events
	 * Returns as take(); after 1 the merge cannot go on.
	 */
	int (*read)(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_lane_event *events, size_t nr,
		    const struct strata_loss *loss, struct strata_error *error);
	/* Of an observer (in_order.h): take() and lose() are called in the order of each stream
	 * only, with whole batches, which costs less than single events; they return 0 or -1. */
	bool by_stream;
};

/*
 * Merges all events from @from_ns on and before @to_ns (UINT64_MAX: to the end).
 * @sink: takes them
 * @tallies: OUT, of each stream; added to
 * An index is used if there is one and @from_ns is not 0.
 * Returns 0, or -1; 1: the sink stopped the merge.
 */
int strata_trace_set_merge(const struct strata_trace_set *set, uint64_t from_ns, uint64_t to_ns,
			   struct strata_slice_sink *sink, struct strata_ctf_tally *tallies,
			   struct strata_error *error);

/*
 * The same merge in steps, for callers that pull events: it pauses where
 * the sink's take() or lose() returns 1. That run stays in the reader's batch until the merge
 * continues.
 *
 *     strata_set_merge_begin  opens the streams; NULL with @error. @set and @sink must outlive it
 *     strata_set_merge_go_on  continues it. Returns 0: at its end; 1: paused; -1 with @error
 *     strata_set_merge_tally  adds what it has read so far, of each stream
 *     strata_set_merge_end    closes the streams; @tallies: as above, or NULL
 */
struct strata_set_merge;

struct strata_set_merge *strata_set_merge_begin(const struct strata_trace_set *set,
						uint64_t from_ns, uint64_t to_ns,
						struct strata_slice_sink *sink,
						struct strata_error *error);
int strata_set_merge_go_on(struct strata_set_merge *merge, struct strata_error *error);
void strata_set_merge_tally(const struct strata_set_merge *merge, struct strata_ctf_tally *tallies);
void strata_set_merge_end(struct strata_set_merge *merge, struct strata_ctf_tally *tallies);

/* Finds the time of the very first event, whatever the filter. Returns 0; 1: no event; -1 with
 * @error. */
int strata_trace_set_first(const struct strata_trace_set *set, uint64_t *ns,
			   struct strata_error *error);

/* Finds the time of the last event of a stream, whatever the filter; with the set's index, without
 * reading the whole stream. Returns 0; 1: no event; -1 with @error. */
int strata_trace_set_last(const struct strata_trace_set *set, size_t stream, uint64_t *ns,
			  struct strata_error *error);

/* Returns the approximate size in bytes of the events from one time to another: all bytes if there
 * is no index. */
uint64_t strata_trace_set_bytes(const struct strata_trace_set *set, uint64_t from_ns,
				uint64_t to_ns);

/* Returns the size in bytes of what the set's packets contain and the disk holds; needs an index.
 * Bytes outside of packets, padding and holes do not count, because no events are read there. */
uint64_t strata_trace_set_data_bytes(const struct strata_trace_set *set);

/*
 * Finds times that cut the set into about @nr slices of equal size in such bytes; needs an index.
 * @cuts: OUT, room for @nr - 1, ascending; slice i is from cuts[i - 1] on and before cuts[i]
 * Returns the number of cuts; 0 if a stream cannot be read from the middle.
 */
size_t strata_trace_set_cut(const struct strata_trace_set *set, size_t nr, uint64_t from_ns,
			    uint64_t to_ns, uint64_t *cuts);

#endif /* STRATA_MERGE_TRACE_SET_H */
