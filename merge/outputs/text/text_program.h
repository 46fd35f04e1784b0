/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_program.h - prints the fields of a structure from a list that is compiled once: the text
 * before each value, and the value's position.
 *
 * A style tells the text between the values. The output equals that of a walk with the style's
 * visitor, which prints everything that is neither a plain number nor text.
 */
#ifndef STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H
#define STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H

#include "ctf/values/ctf_program.h"
#include "outputs/event_writer.h"

enum strata_text_kind {
	STRATA_TEXT_UNSIGNED, /* in a run */
	STRATA_TEXT_SIGNED,
	STRATA_TEXT_HEX,
	STRATA_TEXT_CHARS,
	STRATA_TEXT_STRING,
	STRATA_TEXT_SEQUENCE, /* of characters */
	STRATA_TEXT_OTHER
};

/* How a form of text prints the fields of a structure; immutable. */
struct strata_text_style {
	const char *first, *next; /* before the name of the first field, and of each other one */
	const char *equals;       /* between name and value */
	const char *end;          /* after the last value, and of a structure without fields: */
	const char *empty;        /* fewer bytes than STRATA_PUT_BLOCK */
	/* How it prints an integer of whole bytes, without labels: one of the first three, or
	 * STRATA_TEXT_OTHER. */
	enum strata_text_kind (*integer)(const struct strata_ctf_type *type);
	/* Escapes text in quotes. @out: room for four times @length. Returns its end. */
	char *(*escape)(char *out, const char *text, size_t length);
	/* Prints the value of any field at the cursor. False: it exceeds the event. */
	bool (*other)(struct strata_buffer *buffer, const struct strata_ctf_type *type,
		      struct strata_ctf_cursor *cursor);
};

struct strata_text_piece {
	char *before; /* "{ name = " or ", name = ", padded to whole blocks (STRATA_PUT_BLOCK) */
	uint32_t before_bytes;
	enum strata_text_kind kind;
	struct strata_ctf_run run; /* the run that begins here; 0 bytes: none does */
	struct strata_ctf_number number;
	const struct strata_ctf_type *type;
};

struct strata_text_program {
	const struct strata_text_style *style;
	struct strata_text_piece *pieces; /* NULL: the structure has no fields */
	size_t nr;
	char end[STRATA_PUT_BLOCK]; /* the text after the last value */
	size_t end_bytes;
	size_t room; /* largest size of the text, without values of variable length */
};

/* Compiles the program of a structure's fields; NULL: an empty program. @style must outlive it.
 * Returns 0, or -1: out of memory. */
int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_text_style *style,
			     const struct strata_ctf_type *type);
void strata_text_program_clear(struct strata_text_program *program);

/* Prints the fields at the cursor, and advances it. False: they exceed the event. */
bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_buffer *buffer,
			     struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_OUTPUTS_TEXT_PROGRAM_H */
