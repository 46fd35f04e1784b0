/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock_report.h - reports on clocks that were tied by causes and effects. */
#ifndef STRATA_STRATA_CLOCK_REPORT_H
#define STRATA_STRATA_CLOCK_REPORT_H

#include <stdio.h>

#include "clock_sync/clock_sync_report.h"

/* Prints in one line where and how a clock violated the assumptions about it. */
void clock_report_breach(const struct strata_clock_sync_report *report,
			 const struct strata_clock_breach *breach, FILE *out);

#endif /* STRATA_STRATA_CLOCK_REPORT_H */
