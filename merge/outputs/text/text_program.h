/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_program.h - prints the fields of a structure by a list that is made once: the text before
 * each value, and where the value lies.
 *
 * It prints the same as a walk with text_fields.h, and leaves to that whatever is neither a plain
 * number nor text.
 */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H
#define STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H

#include "ctf/values/ctf_program.h"
#include "outputs/text/text_fields.h"

struct strata_text_piece {
	char *before; /* "{ name = " or ", name = ", in whole blocks (STRATA_PUT_BLOCK) */
	uint32_t before_bytes;
	enum {
		STRATA_TEXT_UNSIGNED, /* in a run */
		STRATA_TEXT_SIGNED,
		STRATA_TEXT_CHARS,
		STRATA_TEXT_STRING,
		STRATA_TEXT_SEQUENCE, /* of characters */
		STRATA_TEXT_OTHER
	} kind;
	struct strata_ctf_run run; /* it begins here; 0 bytes: none does */
	struct strata_ctf_number number;
	const struct strata_ctf_type *type;
};

struct strata_text_program {
	struct strata_text_piece *pieces; /* NULL: the structure is walked through */
	size_t nr;
	size_t room; /* bytes of text at most, without what is of any length */
};

/* Makes the program of a structure's fields; NULL: an empty program.  0, or -1: out of memory. */
int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_ctf_type *type);
void strata_text_program_clear(struct strata_text_program *program);

/* Prints the fields at the cursor, and moves behind them.  False: they do not fit. */
bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_buffer *buffer,
			     struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H */
