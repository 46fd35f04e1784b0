/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_check.h - proves from the hypervisor's records of one host that a merge is right: that its
 * order is right, how large the errors of times may be, what is lost. All reports of these figures
 * (`strata merge`, its --check, summary.json, `strata stat --json`) use this.
 *
 * It observes a merge (timeline/in_order.h) of a set that contains the recording's traces.
 */
#ifndef STRATA_MERGE_HOST_CHECK_H
#define STRATA_MERGE_HOST_CHECK_H

#include "host/order_check.h"
#include "host/recording_traces.h"

/* Of a stream.  The error of its times is at most bound_ticks, ... */
struct strata_stream_figures {
	uint64_t events;
	uint64_t lost; /* all streams in the recording's table */
	uint64_t bound_ticks;
	uint64_t unsure;   /* ... except these events, whose hypervisor records are missing */
	uint64_t doubtful; /* events that may lie before or after a step back of their counter; */
	uint64_t firm_bound_ticks; /* the largest bound of the others */
};

/* Complete after strata_host_check_finish(). */
struct strata_host_figures {
	const struct strata_recorded_host *host;
	struct strata_stream_figures *streams; /* as the host's */
	uint64_t events;
	/* What was lost, damaged or clamped, by the readers of its streams.  Bad packets include
	 * those that the recorder refused, and files that are missing or end early. */
	struct strata_ctf_tally tally;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t duration_ns;      /* by the hypervisor's records, if it was recorded */
	uint64_t left_out_sources; /* their clocks cannot be ordered */
	/* The largest error of any event's time: of its clock's conversion and of the skew. */
	uint64_t bound_ticks;
	uint64_t bound_ns;
	uint64_t app_bound_ns; /* bound of applications' times, which the two above omit; 0: no
				  applications */
	uint64_t skew_ticks;   /* the largest difference between the physical CPUs' counters */
	struct strata_order_result order;
};

struct strata_host_check;

/*
 * Begins a check.  @traces: of the recording; these and @set, which has those that could be opened,
 * outlive the check.  NULL: out of memory.
 */
struct strata_host_check *strata_host_check_new(struct strata_recording_traces *traces,
						const struct strata_trace_set *set,
						struct strata_error *error);

/* Observes events and losses; ignores those of other recordings and traces. */
struct strata_slice_sink *strata_host_check_observer(struct strata_host_check *check);

/* Sums up, once, when the set's tallies are complete. */
void strata_host_check_finish(struct strata_host_check *check);

const struct strata_host_figures *strata_host_check_figures(const struct strata_host_check *check);

void strata_host_check_free(struct strata_host_check *check);

#endif /* STRATA_MERGE_HOST_CHECK_H */
