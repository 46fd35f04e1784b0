/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_proof.h - estimates the clocks of guests a second time, from causes and effects alone, as
 * if the hypervisor had recorded no clock maps, and so measures how exact that would be.
 *
 * A vCPU's kernel records events only while the hypervisor runs that vCPU: after the start of a
 * stretch of running and before its end, on the host's clock. Each such pair bounds the vCPU's
 * clock (clock_sync.h). The recording is merged twice: the first pass collects the pairs, the
 * second checks for each event whether the exact time lies within the bound.
 *
 * The merged order decides to which stretch an event belongs. So this shows whether a clock of
 * steady rate explains all pairs, and how narrow its bound is; order_check.h proves that the order
 * is right.
 */
#ifndef STRATA_MERGE_ANALYSES_CLOCK_PROOF_H
#define STRATA_MERGE_ANALYSES_CLOCK_PROOF_H

#include "clock_sync/clock_sync_report.h"
#include "host/recording_traces.h"

struct strata_clock_proof;

/* Of one vCPU. */
struct strata_proven_clock {
	uint16_t domain;
	uint16_t vcpu;
	uint64_t pairs;   /* pairs that bound its clock */
	uint64_t events;  /* events compared */
	uint64_t outside; /* of these, events whose exact time was not within the bound */
	/* Events not compared: nothing bounds the clock there, or the clock was set. */
	uint64_t unproven;
	uint64_t least_bound_ns, greatest_bound_ns; /* of the compared events */
	__uint128_t sum_of_bounds_ns;
};

/* @host: the host whose vCPUs to check; must outlive the proof. NULL: out of memory. */
struct strata_clock_proof *strata_clock_proof_new(const struct strata_recorded_host *host);
void strata_clock_proof_free(struct strata_clock_proof *proof);

/* The observer for the first merge, which collects pairs. */
struct strata_slice_sink *strata_clock_proof_collector(struct strata_clock_proof *proof);

/* To be called between the two merges: makes the maps. Returns 0, or -1, also if collecting
 * failed. */
int strata_clock_proof_solve(struct strata_clock_proof *proof, struct strata_error *error);

/* The observer for the second merge, of the same set, which compares. */
struct strata_slice_sink *strata_clock_proof_comparer(struct strata_clock_proof *proof);

/* Returns the result for a vCPU; NULL past the last. */
const struct strata_proven_clock *strata_clock_proof_of(const struct strata_clock_proof *proof,
							size_t at);

/* Returns the data from which the maps were made, and where the assumptions failed. NULL: out of
 * memory. */
const struct strata_clock_sync_report *strata_clock_proof_report(struct strata_clock_proof *proof,
								 struct strata_error *error);

#endif /* STRATA_MERGE_ANALYSES_CLOCK_PROOF_H */
