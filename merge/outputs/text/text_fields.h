/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_fields.h - fields of events as babeltrace2 prints them (text_babeltrace.c). */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_FIELDS_H
#define STRATA_MERGE_OUTPUTS_TEXT_FIELDS_H

#include "outputs/event_writer.h"

/* Fields being written into a buffer. At depth 0 a value stands alone, without its name. */
struct strata_text_fields {
	struct strata_field_visitor visitor;
	struct strata_buffer *buffer;
	unsigned int depth;
	struct {
		bool is_array;
		uint64_t nr; /* number of its members so far */
	} levels[STRATA_CTF_DEPTH_MAX + 2];
};

void strata_text_fields_init(struct strata_text_fields *fields, struct strata_buffer *buffer);

/*
 * Writes text so that a terminal does not interpret it.
 * @out: room for four times @length
 * @in_quotes: false for names, in which quotes are not escaped
 */
char *strata_text_escape(char *out, const char *text, size_t length, bool in_quotes);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_FIELDS_H */
