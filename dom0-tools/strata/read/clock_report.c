// SPDX-License-Identifier: GPL-2.0-or-later
/* clock_report.c - see clock_report.h; also contains the functions of merge_report.h about
 * clocks. */
#include "strata/read/clock_report.h"

#include "base/exit_status.h"
#include "strata/read/merge_report.h"

void clock_report_breach(const struct strata_clock_sync_report *report,
			 const struct strata_clock_breach *breach, FILE *out)
{
	static const char *const kinds[] = {
		[STRATA_BREACH_STEP] = "was set by %lld ns",
		[STRATA_BREACH_FALSE_PAIR] = "has a pair that is false by %lld ns",
		[STRATA_BREACH_DRIFT] = "drifts by %lld ppb more than assumed",
		[STRATA_BREACH_WANDER] = "changes its rate by %lld ppt/s faster than assumed",
		[STRATA_BREACH_UNEXPLAINED] = "contradicts itself by %lld ns",
	};

	fprintf(out, "Clocks:   %s against %s: ", report->clocks[breach->clock].name,
		report->clocks[breach->other].name);
	fprintf(out, kinds[breach->kind], (long long)breach->size);
	fprintf(out, "\n");
}

static void print_clock(const struct strata_proven_clock *clock,
			const struct strata_host_figures *figures, FILE *out)
{
	char name[STRATA_DOMAIN_TEXT_BYTES];

	fprintf(out, "Pairs:    %s/%u: %llu causes and effects ",
		strata_recorded_domain_text(figures->host, clock->domain, name), clock->vcpu,
		(unsigned long long)clock->pairs);
	if (clock->events == 0) {
		fprintf(out, "do not bound its clock: it has no steady rate\n");
		return;
	}
	fprintf(out,
		"alone bound its clock to %.3f us (%.3f at best, %.3f at worst), and the exact "
		"one is within that at %llu of %llu events",
		(double)(clock->sum_of_bounds_ns / clock->events) / 1e3,
		(double)clock->least_bound_ns / 1e3, (double)clock->greatest_bound_ns / 1e3,
		(unsigned long long)(clock->events - clock->outside),
		(unsigned long long)clock->events);
	if (clock->unproven)
		fprintf(out, ", and is unknown at %llu", (unsigned long long)clock->unproven);
	fprintf(out, "\n");
}

void merge_report_clock_proof(struct strata_clock_proof *proof,
			      const struct strata_host_figures *figures, FILE *out)
{
	struct strata_error error;
	const struct strata_clock_sync_report *report = strata_clock_proof_report(proof, &error);
	const struct strata_proven_clock *clock;
	size_t i;

	for (i = 0; (clock = strata_clock_proof_of(proof, i)); i++)
		print_clock(clock, figures, out);
	for (i = 0; report && i < report->nr_breaches; i++)
		clock_report_breach(report, &report->breaches[i], out);
}

int merge_report_clock_verdict(const struct strata_clock_proof *proof)
{
	const struct strata_proven_clock *clock;
	uint64_t outside = 0;
	size_t i;

	for (i = 0; (clock = strata_clock_proof_of(proof, i)); i++)
		outside += clock->outside;
	if (outside == 0)
		return STRATA_STATUS_OK;
	fflush(stdout);
	fprintf(stderr,
		"strata: merge: at %llu events the exact clock is not within the bound of causes "
		"and effects: it had no steady rate there, which the bound assumes\n",
		(unsigned long long)outside);
	return STRATA_STATUS_PARTIAL;
}
