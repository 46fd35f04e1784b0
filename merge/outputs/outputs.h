/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outputs.h - outputs of a merged timeline as a whole. */
#ifndef STRATA_MERGE_OUTPUTS_OUTPUTS_H
#define STRATA_MERGE_OUTPUTS_OUTPUTS_H

#include "host/host_check.h"

/* Statistics of a Trace Compass experiment; complete when it is finished. */
struct strata_trace_compass_result {
	uint64_t host_events;  /* events of the hypervisor that it contains */
	uint64_t guest_events; /* of kernels */
	uint64_t left_out;     /* of applications */
	uint64_t guests;       /* kernels with a trace, */
	uint64_t unknown;      /* of these, kernels that the analysis cannot identify */
	uint64_t odd;          /* records of vCPU numbers that Xen cannot have */
};

struct strata_trace_compass;

/*
 * Begins a directory of CTF 1.8 traces for Trace Compass's virtual machine analysis, which knows
 * hosts that run guests by KVM: the hypervisor as such a host, and each kernel as LTTng would have
 * traced it. See trace_compass.c.
 * @recording: must outlive it
 * @dir, @force: as in strata_output_directory()
 * @complain: receives a message for each trace that the analysis cannot use; may be NULL
 * @result:   OUT
 * NULL with the reason.
 */
struct strata_trace_compass *
strata_trace_compass_new(struct strata_recording_traces *recording, const char *dir, bool force,
			 strata_complain_fn *complain, void *complain_data,
			 struct strata_trace_compass_result *result, struct strata_error *error);

/* The observer that receives all events of a merge, in order; stops the merge if writing fails. */
struct strata_slice_sink *strata_trace_compass_observer(struct strata_trace_compass *compass);

/*
 * Writes the rest, after the merge of @set.
 * @last_ns: of the recording's events; @precision_ns: of their times
 * Returns 0 or -1.
 */
int strata_trace_compass_finish(struct strata_trace_compass *compass,
				const struct strata_trace_set *set, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error);

void strata_trace_compass_free(struct strata_trace_compass *compass);

struct json_object;

/* Returns the summary of a merge; the caller frees it. */
struct json_object *strata_summary_to_json(const struct strata_host_figures *figures);

/* Writes DIR/summary.json.  0 or -1. */
int strata_summary_save(const struct strata_host_figures *figures, const char *dir,
			struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_OUTPUTS_H */
