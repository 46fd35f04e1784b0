/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_text.h - an event as a line of text, for the text timeline and for
 * excerpts of it.
 */
#ifndef STRATA_MERGE_EVENT_TEXT_H
#define STRATA_MERGE_EVENT_TEXT_H

#include "host/merger.h"

/* No line is longer: payloads are bounded, and so are names. */
#define STRATA_EVENT_TEXT_BYTES 32768u

/* The heading over the columns, without newline. */
#define STRATA_EVENT_TEXT_HEADING                                                           \
	"#       time [s]   +delta [s]  layer  pCPU dom/vCPU   event                      " \
	" fields"

/*
 * Writes the columns: seconds since @first_ns, seconds since @previous_ns, layer,
 * physical CPU, domain/vCPU, event, fields.  Every string of the event is
 * escaped.  No newline, no zero byte at the end.
 * @out: room for STRATA_EVENT_TEXT_BYTES
 * Returns where the line ends.
 */
char *strata_event_text(char *out, const struct strata_merge *merge,
			const struct strata_timeline_event *event, uint64_t first_ns,
			uint64_t previous_ns);

#endif /* STRATA_MERGE_EVENT_TEXT_H */
