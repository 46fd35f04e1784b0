/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_proof.h - the clocks of guests once more, from causes and effects alone, as if
 * the hypervisor had recorded no maps: how well they would be known then.
 *
 * What a vCPU's kernel recorded it recorded while the hypervisor ran that vCPU: after
 * the start of such a stretch and before its end, on the host's clock.  Each such pair
 * bounds the vCPU's clock (clock_sync.h).  The recording is merged twice: the first time
 * the pairs are collected, the second time it is asked at each event whether the exact
 * answer lies within the bound.
 *
 * Which stretch an event lies in is taken from the merged order.  So this says whether a
 * clock of steady rate explains all pairs, and how narrow the bound is that it gives; that
 * the order is right, order_check.h proves.
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
	uint64_t pairs;    /* that bound its clock */
	uint64_t events;   /* that were compared */
	uint64_t outside;  /* of them, the exact answer was not within the bound */
	uint64_t unproven; /* not compared: nothing bounds the clock there, or it was set */
	uint64_t least_bound_ns, greatest_bound_ns; /* of the events that were compared */
	__uint128_t sum_of_bounds_ns;
};

/* @host: whose vCPUs are looked at, which outlives the proof.  NULL: out of memory. */
struct strata_clock_proof *strata_clock_proof_new(const struct strata_recorded_host *host);
void strata_clock_proof_free(struct strata_clock_proof *proof);

/* Observes the first merge, and collects. */
struct strata_slice_sink *strata_clock_proof_collector(struct strata_clock_proof *proof);

/* Between the two: makes the maps.  0, or -1, also if collecting failed. */
int strata_clock_proof_solve(struct strata_clock_proof *proof, struct strata_error *error);

/* Observes the second merge, of the same set, and compares. */
struct strata_slice_sink *strata_clock_proof_comparer(struct strata_clock_proof *proof);

/* What came of it; NULL past the last. */
const struct strata_proven_clock *strata_clock_proof_of(const struct strata_clock_proof *proof,
							size_t at);

/* What the maps were made from, and where the assumptions failed.  NULL: out of memory. */
const struct strata_clock_sync_report *strata_clock_proof_report(struct strata_clock_proof *proof,
								 struct strata_error *error);

#endif /* STRATA_MERGE_ANALYSES_CLOCK_PROOF_H */
