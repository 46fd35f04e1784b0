/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_put.h - numbers and texts of the timeline's JSON, appended to a buffer. */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_JSON_PUT_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_JSON_PUT_H

#include "outputs/json/json_text.h"

/* Appends a prefix, then a number. */
static inline void strata_json_number(struct strata_buffer *out, const char *before, uint64_t value)
{
	char *end = strata_buffer_room(out, strlen(before) + STRATA_PUT_BYTES);

	if (end)
		strata_buffer_advance(out, strata_put_decimal(strata_put_text(end, before), value));
}

/* Appends a prefix, then a text in quotes. */
static inline void strata_json_string(struct strata_buffer *out, const char *before,
				      const char *text)
{
	const size_t length = strlen(text);
	char *end = strata_buffer_room(out, strlen(before) + STRATA_JSON_BYTES(length) + 2);

	if (!end)
		return;
	end = strata_put_text(strata_put_text(end, before), "\"");
	end = strata_put_text(strata_json_put_text(end, text, length), "\"");
	strata_buffer_advance(out, end);
}

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_JSON_PUT_H */
