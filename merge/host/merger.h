/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merger.h - what the hypervisor's records of one host prove and tell of a merge: that the order is
 * right, by how much times may be off, what is lost; and each event as its recording describes it,
 * for analyses.
 *
 * It is an observer of a merge (timeline/in_order.h) of a set that has the recording's traces:
 *
 *     strata_merge_of        of a recording whose traces are opened by somebody else
 *     strata_merge_watch     when they are in a set
 *     strata_merge_observer  to be handed all events of that
 *     strata_merge_finish    after them
 *     strata_merge_close
 */
#ifndef STRATA_MERGE_MERGER_H
#define STRATA_MERGE_MERGER_H

#include <strata/clock.h>

#include "host/order_check.h"
#include "host/recording_traces.h"
#include "ctf/reader/ctf_reader.h"
#include "recording/recording.h"
#include "host/timeline.h"

/* What a merge found out; complete after strata_merge_run(). */
struct strata_merge_result {
	uint64_t events;
	/* What was lost, damaged or clamped, by the readers of its streams; bad packets also those
	 * that the recorder refused, and files that are missing or end early. */
	struct strata_ctf_tally tally;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t duration_ns;      /* by the hypervisor's records, if there are any */
	uint64_t left_out_sources; /* their clocks cannot be ordered */
	uint64_t assumed_clocks;   /* streams whose clock was not recorded: taken as the host's */
	/* The largest error of any event's time: of its clock's conversion and of the skew. */
	uint64_t bound_ticks;
	uint64_t bound_ns;
	uint64_t app_bound_ns; /* of applications' times, which the two above leave out; 0: none */
	uint64_t skew_ticks;   /* by how much the physical CPUs' counters differ at most */
	uint64_t pcpus;        /* that have events */
	uint64_t unmeasured_pcpus; /* of them: their skew is taken as none */
	struct strata_order_result order;
};

struct strata_merge_options {
	/* Told of each thing that is wrong but not the end, and of what could be better; may be
	 * NULL.
	 */
	void (*complain)(void *data, const char *message);
	void (*remark)(void *data, const char *message);
	void *data;
};

/* NULL: out of memory. @traces must outlive it. */
struct strata_merge *strata_merge_of(struct strata_recording_traces *traces,
				     const struct strata_merge_options *options,
				     struct strata_error *error);

/* Each event goes to each of the sinks, too; they are the caller's.  0, or -1: out of memory. */
int strata_merge_watch(struct strata_merge *merge, const struct strata_trace_set *set,
		       struct strata_sink *const *sinks, size_t nr_sinks,
		       struct strata_error *error);

/* Takes in events and losses; those of other recordings and traces it passes over. */
struct strata_slice_sink *strata_merge_observer(struct strata_merge *merge);

/* Sums up, when the set's tallies are complete, and finishes the sinks.  0, or -1. */
int strata_merge_finish(struct strata_merge *merge, struct strata_error *error);

void strata_merge_close(struct strata_merge *merge);

/*
 * The clock of a stream as it is when its first event is to be converted; it is
 * the merge's in what it points to.  False: there is no such stream.
 */
bool strata_merge_stream_clock(const struct strata_merge *merge, size_t source_index, uint32_t cpu,
			       struct strata_stream_clock *clock);

/* Whether VM entries of a domain's vCPUs were recorded; none are of a PV guest, which has none. */
bool strata_merge_has_guest_mode(const struct strata_merge *merge, uint16_t domain);

/* Whether returns from PV guests' hypercalls were recorded. */
bool strata_merge_has_hypercall_returns(const struct strata_merge *merge);

/* By how many ticks the physical CPUs' counters differ at most. */
uint64_t strata_merge_skew_ticks(const struct strata_merge *merge);

const struct strata_recording *strata_merge_recording(const struct strata_merge *merge);
const struct strata_merge_result *strata_merge_result(const struct strata_merge *merge);
const struct strata_timebase *strata_merge_timebase(const struct strata_merge *merge);

/* All streams, in the order that ties are decided by. */
size_t strata_merge_nr_streams(const struct strata_merge *merge);
const struct strata_merge_stream *strata_merge_stream(const struct strata_merge *merge,
						      size_t index);

/* The name to show for a domain's number: a source's, or NULL. */
const char *strata_merge_domain_name(const struct strata_merge *merge, uint16_t domain);

#endif /* STRATA_MERGE_MERGER_H */
