/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_print.h - prints reports as text, JSON and CSV, both of traces and of recordings in
 * progress. */
#ifndef STRATA_STRATA_REPORT_PRINT_H
#define STRATA_STRATA_REPORT_PRINT_H

#include <json-c/json.h>

#include "analyses/report.h"
#include "strata/read/state_options.h"

#define REPORT_KINDS_MAX 32u

enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_options {
	const struct strata_report_kind *kinds[REPORT_KINDS_MAX];
	size_t nr_kinds;
	enum report_form form;
	size_t rows; /* limit for each table, in text */
	struct state_options state;
	bool of_path;              /* options of the critical path: */
	const char *kernel, *task; /* patterns; NULL: any */
	bool live;                 /* follows a recording: */
	/* Length of the windows and interval between them; 0: not given. */
	uint64_t window_ms, every_ms;
};

/* Whether the traces have the events that a report needs. */
bool report_has_needed(const struct strata_report_kind *kind,
		       const struct strata_state_facts *facts);

/* Prints which events to record for a report. */
void report_say_missing(const struct strata_report_kind *kind, FILE *out);

/* Prints the reports, in the order of the kinds, and what they lack. @is_range: they cover only a
 * part of the traces. Returns 0, or -1: out of memory. */
int report_print_text(struct strata_report *const *reports, const struct report_options *options,
		      const struct strata_state_facts *facts, bool is_range, FILE *out);
int report_print_csv(struct strata_report *report, FILE *out);
/* Adds a key for each table, and the facts, to @root. */
int report_add_json(struct strata_report *const *reports, const struct report_options *options,
		    const struct strata_state_facts *facts, struct json_object *root);

#endif /* STRATA_STRATA_REPORT_PRINT_H */
