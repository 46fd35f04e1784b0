/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_program.h - prints the fields of a structure from a list that is compiled once: the text
 * before each value, and the value's position.
 *
 * The output equals that of a walk with text_fields.h, which prints everything that is neither a
 * plain number nor text.
 */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H
#define STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H

#include "ctf/values/ctf_program.h"
#include "outputs/text/text_fields.h"

struct strata_text_piece {
	char *before; /* "{ name = " or ", name = ", padded to whole blocks (STRATA_PUT_BLOCK) */
	uint32_t before_bytes;
	enum {
		STRATA_TEXT_UNSIGNED, /* in a run */
		STRATA_TEXT_SIGNED,
		STRATA_TEXT_CHARS,
		STRATA_TEXT_STRING,
		STRATA_TEXT_SEQUENCE, /* of characters */
		STRATA_TEXT_OTHER
	} kind;
	struct strata_ctf_run run; /* the run that begins here; 0 bytes: none does */
	struct strata_ctf_number number;
	const struct strata_ctf_type *type;
};

struct strata_text_program {
	struct strata_text_piece *pieces; /* NULL: the structure is walked instead */
	size_t nr;
	size_t room; /* largest size of the text, without values of variable length */
};

/* Compiles the program of a structure's fields; NULL: an empty program. Returns 0, or -1: out of
 * memory. */
int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_ctf_type *type);
void strata_text_program_clear(struct strata_text_program *program);

/* Prints the fields at the cursor, and advances it. False: they exceed the event. */
bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_buffer *buffer,
			     struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H */
