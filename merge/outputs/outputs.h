/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outputs.h - what a merged timeline can be written as. */
#ifndef STRATA_MERGE_OUTPUTS_OUTPUTS_H
#define STRATA_MERGE_OUTPUTS_OUTPUTS_H

#include "host/host_check.h"

/* What a Trace Compass experiment was made from; complete when it is finished. */
struct strata_trace_compass_result {
	uint64_t host_events;  /* of the hypervisor, that it was made from */
	uint64_t guest_events; /* of kernels */
	uint64_t left_out;     /* of applications */
	uint64_t guests;       /* kernels that have a trace, */
	uint64_t unknown;      /* of them: the analysis will not know whose they are */
	uint64_t odd;          /* records of vCPUs that Xen cannot have */
};

struct strata_trace_compass;

/*
 * Begins a directory of CTF 1.8 traces for Trace Compass's virtual machine analysis, which knows
 * hosts that run guests by KVM: the hypervisor as such a host, and each kernel as LTTng would
 * have traced it.  See trace_compass.c.
 * @recording: what is shown, which outlives it
 * @dir, @force: as strata_output_directory() has them
 * @complain: told of each trace that the analysis will not know what to do with; may be NULL
 * @result:   OUT
 * NULL with the reason.
 */
struct strata_trace_compass *
strata_trace_compass_new(struct strata_recording_traces *recording, const char *dir, bool force,
			 strata_complain_fn *complain, void *complain_data,
			 struct strata_trace_compass_result *result, struct strata_error *error);

/* Takes in all events of a merge, in order; stops it when writing fails. */
struct strata_slice_sink *strata_trace_compass_observer(struct strata_trace_compass *compass);

/*
 * Writes what is left, after the merge of @set.
 * @last_ns: of the recording's events; @precision_ns: of their times
 * 0 or -1.
 */
int strata_trace_compass_finish(struct strata_trace_compass *compass,
				const struct strata_trace_set *set, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error);

void strata_trace_compass_free(struct strata_trace_compass *compass);

struct json_object;

/* The summary of a merge; the caller's. */
struct json_object *strata_summary_to_json(const struct strata_host_figures *figures);

/* Writes DIR/summary.json.  0 or -1. */
int strata_summary_save(const struct strata_host_figures *figures, const char *dir,
			struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_OUTPUTS_H */
