// SPDX-License-Identifier: GPL-2.0-or-later
/* loss_report.c - see loss_report.h. */
#include "strata/read/loss_report.h"

#include <inttypes.h>
#include <stdio.h>

void loss_report_add(struct loss_report *report, uint64_t discarded, uint64_t missing)
{
	report->discarded += discarded;
	report->discarding_streams += discarded > 0;
	report->missing += missing;
	report->missing_streams += missing > 0;
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

void loss_report_print(const struct loss_report *report, const char *verb)
{
	if (report->discarded)
		fprintf(stderr,
			"strata: %s: %" PRIu64 " event%s discarded in %u stream%s; `strata stat` "
			"shows where\n",
			verb, report->discarded, report->discarded == 1 ? " was" : "s were",
			report->discarding_streams, plural(report->discarding_streams));
	if (report->missing)
		fprintf(stderr,
			"strata: %s: %" PRIu64
			" packet%s missing from %u stream%s: overwritten, or not "
			"recorded\n",
			verb, report->missing, report->missing == 1 ? " is" : "s are",
			report->missing_streams, plural(report->missing_streams));
}
