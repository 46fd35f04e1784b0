/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_program.h - how a structure's fields are printed, worked out once: most of what is
 * printed of them is the same each time, and their kinds do not change.
 *
 * It prints what a walk with text_fields.h prints, and leaves to that whatever is no plain
 * number or text.
 */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H
#define STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H

#include "outputs/text/text_fields.h"

struct strata_text_piece {
	char *before; /* "{ name = " or ", name = ", in whole blocks */
	uint32_t before_bytes;
	enum {
		STRATA_TEXT_UNSIGNED,
		STRATA_TEXT_SIGNED,
		STRATA_TEXT_STRING,
		STRATA_TEXT_CHARS,
		STRATA_TEXT_OTHER
	} kind;
	const struct strata_ctf_type *type;
};

struct strata_text_program {
	struct strata_text_piece *pieces; /* NULL: the structure is walked through */
	size_t nr;
};

/* Makes the program of a structure's fields; NULL: an empty program.  0, or -1: out of memory. */
int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_ctf_type *type);
void strata_text_program_clear(struct strata_text_program *program);

/* Prints the fields at the cursor, and moves behind them.  False: they do not fit. */
bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_text_fields *fields,
			     struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H */
