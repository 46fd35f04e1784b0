// SPDX-License-Identifier: GPL-2.0-or-later
/* text_program.c - see text_program.h. */
#include "outputs/text/text_program.h"

#include <stdlib.h>

#define CHARS_MAX 4096u /* longer arrays of characters are not counted in `room` */

/* How a number is printed, if it may be in a run. */
static enum strata_text_kind number_kind(const struct strata_text_style *style,
					 const struct strata_ctf_type *type)
{
	return type->kind == STRATA_CTF_INTEGER && !type->is_bool && strata_ctf_is_whole_bytes(type)
		       ? style->integer(type)
		       : STRATA_TEXT_OTHER;
}

/* Whether strata_field_visit() shows the type as text. */
static bool is_chars(const struct strata_ctf_type *type)
{
	return (type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE) &&
	       type->encoding == STRATA_CTF_UTF8 && !type->is_blob && type->element->is_text &&
	       type->element->bits == 8 && type->element->align == 8 && type->align % 8 == 0;
}

/* Adds a field of known size to the run; starts a new run at @piece if the field cannot extend
 * it. */
static uint32_t add_to_run(struct strata_ctf_run **run, struct strata_text_piece *piece,
			   uint32_t bytes)
{
	const uint32_t align = piece->type->align / 8;

	if (!*run || !strata_ctf_run_takes(*run, align, bytes)) {
		*run = &piece->run;
		piece->run.align = align;
	}
	return strata_ctf_run_extend(*run, align, bytes);
}

/* Sets how the piece's value is read and printed. Returns the size of its text, if known.
 * @run: IN/OUT, the current run; NULL: none */
static size_t plan_value(const struct strata_text_style *style, struct strata_text_piece *piece,
			 struct strata_ctf_run **run)
{
	const struct strata_ctf_type *type = piece->type;

	piece->kind = number_kind(style, type);
	if (piece->kind != STRATA_TEXT_OTHER) {
		strata_ctf_number_init(&piece->number, type,
				       add_to_run(run, piece, type->bits / 8));
		return STRATA_PUT_BYTES;
	}
	if (is_chars(type) && type->kind == STRATA_CTF_ARRAY && type->length > 0 &&
	    type->length <= CHARS_MAX) {
		piece->kind = STRATA_TEXT_CHARS;
		piece->number.offset = add_to_run(run, piece, (uint32_t)type->length);
		return 4 * type->length + 2;
	}
	*run = NULL;
	if (type->kind == STRATA_CTF_STRING && type->encoding == STRATA_CTF_UTF8)
		piece->kind = STRATA_TEXT_STRING;
	else
		piece->kind = is_chars(type) ? STRATA_TEXT_SEQUENCE : STRATA_TEXT_OTHER;
	return 0;
}

/* Sets the text before the piece's value. Returns 0, or -1: out of memory. */
static int plan_before(const struct strata_text_style *style, struct strata_text_piece *piece,
		       const char *name, bool is_first)
{
	const char *lead = is_first ? style->first : style->next;
	char *out = strata_put_new_blocks(strlen(lead) + strlen(name) + strlen(style->equals));

	if (!out)
		return -1;
	piece->before = out;
	out = strata_put_text(out, lead);
	out = strata_put_text(out, name);
	out = strata_put_text(out, style->equals);
	piece->before_bytes = (uint32_t)(out - piece->before);
	return 0;
}

static void put_end(struct strata_text_program *program, const char *end)
{
	program->end_bytes = strnlen(end, sizeof(program->end));
	memcpy(program->end, end, program->end_bytes);
}

int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_text_style *style,
			     const struct strata_ctf_type *type)
{
	struct strata_ctf_run *run = NULL;

	memset(program, 0, sizeof(*program));
	program->style = style;
	program->room = STRATA_PUT_BLOCK;
	put_end(program, type && type->nr_fields ? style->end : style->empty);
	if (!type || type->nr_fields == 0)
		return 0;
	program->pieces = calloc(type->nr_fields, sizeof(*program->pieces));
	if (!program->pieces)
		return -1;
	for (; program->nr < type->nr_fields; program->nr++) {
		struct strata_text_piece *piece = &program->pieces[program->nr];

		if (plan_before(style, piece, type->fields[program->nr].name, program->nr == 0)) {
			strata_text_program_clear(program);
			return -1;
		}
		piece->type = type->fields[program->nr].type;
		program->room += piece->before_bytes + plan_value(style, piece, &run);
	}
	return 0;
}

void strata_text_program_clear(struct strata_text_program *program)
{
	size_t i;

	for (i = 0; i < program->nr; i++)
		free(program->pieces[i].before);
	free(program->pieces);
	memset(program, 0, sizeof(*program));
}

static inline char *put_quoted(const struct strata_text_style *style, char *out, const char *text,
			       size_t length)
{
	*out++ = '"';
	out = style->escape(out, text, length);
	*out++ = '"';
	return out;
}

/* Prints a field of any type. @out: end of the previous text. Returns the end of this text, where
 * there is room for the rest of the program; NULL: it exceeds the event, or out of memory. */
static char *put_any(const struct strata_text_program *program,
		     const struct strata_text_piece *piece, char *out, struct strata_buffer *buffer,
		     struct strata_ctf_cursor *cursor)
{
	const char *text;
	uint64_t length;

	strata_buffer_advance(buffer, out);
	switch (piece->kind) {
	case STRATA_TEXT_STRING:
		if (!strata_ctf_read_string(cursor, piece->type, &text, &length))
			return NULL;
		break;
	case STRATA_TEXT_SEQUENCE:
		if (!strata_ctf_read_length(cursor, piece->type, &length))
			return NULL;
		text = (const char *)cursor->bytes + cursor->at / 8;
		cursor->at += length * 8;
		length = strnlen(text, length);
		break;
	default:
		return program->style->other(buffer, piece->type, cursor)
			       ? strata_buffer_room(buffer, program->room)
			       : NULL;
	}
	out = strata_buffer_room(buffer, 4 * length + 2 + program->room);
	return out ? put_quoted(program->style, out, text, length) : NULL;
}

/* Prints a number of a run. */
static inline char *put_number(const struct strata_text_piece *piece, char *out, uint64_t value)
{
	if (piece->kind != STRATA_TEXT_HEX && value < STRATA_EIGHT_DIGITS)
		return strata_put_small(out, (uint32_t)value);
	if (piece->kind == STRATA_TEXT_UNSIGNED)
		return strata_put_decimal(out, value);
	return piece->kind == STRATA_TEXT_SIGNED ? strata_put_signed(out, (int64_t)value)
						 : strata_put_hex(out, value & piece->number.mask);
}

bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_buffer *buffer,
			     struct strata_ctf_cursor *cursor)
{
	const struct strata_text_piece *piece, *end = program->pieces + program->nr;
	const struct strata_text_style *style = program->style;
	const uint8_t *run = NULL;
	char *out = strata_buffer_room(buffer, program->room);

	if (!out || !strata_ctf_align(cursor, type->align))
		return false;
	for (piece = program->pieces; piece < end; piece++) {
		const struct strata_ctf_number *number = &piece->number;
		uint64_t value;

		if (piece->run.bytes && !(run = strata_ctf_run_enter(&piece->run, cursor)))
			return false;
		out = strata_put_blocks(out, piece->before, piece->before_bytes);
		switch (piece->kind) {
		case STRATA_TEXT_UNSIGNED:
		case STRATA_TEXT_SIGNED:
		case STRATA_TEXT_HEX:
			value = strata_ctf_number_load(run, number);
			if (number->slot >= 0)
				cursor->slots[number->slot] = value;
			out = put_number(piece, out, value);
			break;
		case STRATA_TEXT_CHARS:
			out = put_quoted(
				style, out, (const char *)run + number->offset,
				strnlen((const char *)run + number->offset, piece->type->length));
			break;
		default:
			out = put_any(program, piece, out, buffer, cursor);
			if (!out)
				return false;
		}
	}
	strata_buffer_advance(buffer, strata_put_blocks(out, program->end, program->end_bytes));
	return true;
}
