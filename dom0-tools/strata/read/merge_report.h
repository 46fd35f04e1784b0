/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_report.h - what `strata merge` says: complaints, progress, the summary, the verdict. */
#ifndef STRATA_STRATA_MERGE_REPORT_H
#define STRATA_STRATA_MERGE_REPORT_H

#include <stdio.h>

#include "analyses/clock_proof.h"
#include "host/host_check.h"

/* The summary: how much, of what, and how well the order is proven. */
void merge_report_print(const struct strata_host_figures *figures, FILE *out);

/* What the clocks are by causes and effects alone, and whether the exact ones agree. */
void merge_report_clock_proof(struct strata_clock_proof *proof,
			      const struct strata_host_figures *figures, FILE *out);

/* Says if they do not: the exit status. */
int merge_report_clock_verdict(const struct strata_clock_proof *proof);

/*
 * All of that for programs: what summary.json says of a merge, and
 *     by_causes.clocks[]    domain, domain_name, vcpu, pairs, events, outside, unproven; of those
 *                           that pairs bound somewhere least_, mean_ and greatest_bound_ns
 *     by_causes.breaches[]  clock, against, kind (step, false_pair, drift, wander,
 *                           unexplained), size (ns, ns, ppb, ppt/s, ns), from and to (readings of
 *                           the clock)
 * 0, or -1 with the reason.
 */
int merge_report_json(struct strata_clock_proof *proof, const struct strata_host_figures *figures,
		      FILE *out, struct strata_error *error);

/* Names violations, says in a last sentence what is not as it should be; the exit status. */
int merge_report_verdict(const struct strata_host_figures *figures);

#endif /* STRATA_STRATA_MERGE_REPORT_H */
