/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss_report.h - reports at the end of a verb what is missing from the streams that it read. */
#ifndef STRATA_STRATA_LOSS_REPORT_H
#define STRATA_STRATA_LOSS_REPORT_H

#include <stdint.h>

/* All-zero: nothing is missing. */
struct loss_report {
	uint64_t discarded; /* events */
	uint64_t missing;   /* packets */
	unsigned int discarding_streams, missing_streams;
};

/* Adds a stream. */
void loss_report_add(struct loss_report *report, uint64_t discarded, uint64_t missing);

/* Reports losses on standard error, if any. */
void loss_report_print(const struct loss_report *report, const char *verb);

#endif /* STRATA_STRATA_LOSS_REPORT_H */
