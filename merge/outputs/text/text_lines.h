/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_lines.h - writers of a line of text for each event. */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_LINES_H
#define STRATA_MERGE_OUTPUTS_TEXT_LINES_H

#include "outputs/event_writer.h"

struct strata_text_options {
	bool gmt;     /* times of day in UTC, not in the local time zone */
	bool date;    /* preceded by the date */
	bool seconds; /* seconds since 1970 instead of both */
	bool colours; /* only for columns: escape sequences of terminals */
};

/* Writes a time as the options require. */
static inline char *strata_text_put_time(char *out, const struct strata_text_options *options,
					 struct strata_put_clock *clock, uint64_t ns)
{
	return options->seconds ? strata_put_seconds(out, ns)
				: strata_put_date(out, clock, ns, options->gmt, options->date);
}

/*
 * Writes a line for a loss; the same in both formats:
 *
 *     [22:13:20.000000113 - 22:13:21.000000000] 123 events discarded: buffer full; SOURCE, stream
 *     channel_0, CPU 1
 */
void strata_text_put_loss(const struct strata_text_options *options, struct strata_buffer *buffer,
			  const struct strata_shown_loss *lost);

/* Writes lines like babeltrace2's. NULL: out of memory. */
struct strata_event_writer *strata_text_babeltrace_new(const struct strata_text_options *options);

/* Writes aligned columns, for people. NULL: out of memory. */
struct strata_event_writer *strata_text_columns_new(const struct strata_text_options *options);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_LINES_H */
