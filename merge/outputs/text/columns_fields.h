/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns_fields.h - the fields of an event in text_columns.c: NAME=VALUE. */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_COLUMNS_FIELDS_H
#define STRATA_MERGE_OUTPUTS_TEXT_COLUMNS_FIELDS_H

#include "outputs/text/text_lines.h"
#include "outputs/text/text_program.h"

enum strata_colour {
	STRATA_COLOUR_TIME,
	STRATA_COLOUR_EVENT,
	STRATA_COLOUR_NAME,
	STRATA_COLOUR_UNORDERED,
	STRATA_COLOUR_NONE
};

extern const char *const strata_colour_escapes[];

static inline char *strata_put_colour(char *out, bool colours, enum strata_colour colour)
{
	return colours ? strata_put_text(out, strata_colour_escapes[colour]) : out;
}

#define STRATA_COLUMNS_CONTEXTS (STRATA_SHOWN_TYPES - 1) /* the types before the payload */

/*
 * Appends an event's contexts, each in brackets.
 * @source: the event's; NULL: unknown
 * @shows_places: omits fields of contexts that only repeat the place
 * @cursor: at the first context; is moved behind them
 * False: they exceed the event.
 */
bool strata_columns_put_contexts(struct strata_buffer *buffer,
				 const struct strata_text_options *options,
				 const struct strata_shown_source *source, bool shows_places,
				 const struct strata_shown_event *event,
				 struct strata_ctf_cursor *cursor);

/* The style of the fields after the contexts. */
const struct strata_text_style *strata_columns_style(bool colours);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_COLUMNS_FIELDS_H */
