/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_report.h - the messages of `strata merge`: warnings, the summary, the verdict. */
#ifndef STRATA_STRATA_MERGE_REPORT_H
#define STRATA_STRATA_MERGE_REPORT_H

#include <stdio.h>

#include "analyses/clock_proof.h"
#include "host/host_check.h"

/* Prints the summary: the events by source, and how well their order is proven. */
void merge_report_print(const struct strata_host_figures *figures, FILE *out);

/* Prints the clocks as estimated from causes and effects alone, and whether the exact ones
 * agree. */
void merge_report_clock_proof(struct strata_clock_proof *proof,
			      const struct strata_host_figures *figures, FILE *out);

/* Reports if they do not; returns the exit status. */
int merge_report_clock_verdict(const struct strata_clock_proof *proof);

/*
 * Prints all of this as JSON: the contents of summary.json, and
 *     by_causes.clocks[]    domain, domain_name, vcpu, pairs, events, outside, unproven; if pairs
 *                           bound the clock anywhere, least_, mean_ and greatest_bound_ns
 *     by_causes.breaches[]  clock, against, kind (step, false_pair, drift, wander,
 *                           unexplained), size (ns, ns, ppb, ppt/s, ns), from and to (readings of
 *                           the clock)
 * 0, or -1 with the reason.
 */
int merge_report_json(struct strata_clock_proof *proof, const struct strata_host_figures *figures,
		      FILE *out, struct strata_error *error);

/* Reports violations, and summarises them in a last sentence; returns the exit status. */
int merge_report_verdict(const struct strata_host_figures *figures);

#endif /* STRATA_STRATA_MERGE_REPORT_H */
