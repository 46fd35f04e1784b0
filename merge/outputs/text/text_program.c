// SPDX-License-Identifier: GPL-2.0-or-later
/* text_program.c - see text_program.h. */
#include "outputs/text/text_program.h"

#include <stdlib.h>

#define BLOCK 16u /* bytes that are copied at once */

static int kind_of(const struct strata_ctf_type *type)
{
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
		if (type->base != 10 || type->is_bool)
			return STRATA_TEXT_OTHER;
		return type->is_signed ? STRATA_TEXT_SIGNED : STRATA_TEXT_UNSIGNED;
	case STRATA_CTF_STRING:
		return type->encoding == STRATA_CTF_UTF8 ? STRATA_TEXT_STRING : STRATA_TEXT_OTHER;
	case STRATA_CTF_ARRAY:
		/* What strata_field_visit() shows as text, wherever it lies. */
		return type->element->is_text && type->element->bits == 8 &&
				       type->element->align == 8 && type->align % 8 == 0
			       ? STRATA_TEXT_CHARS
			       : STRATA_TEXT_OTHER;
	default:
		return STRATA_TEXT_OTHER;
	}
}

static int make_piece(struct strata_text_piece *piece, const struct strata_ctf_field *field,
		      bool is_first)
{
	const size_t length = strlen(field->name);
	char *out = calloc((length + 5) / BLOCK + 1, BLOCK);

	if (!out)
		return -1;
	piece->before = out;
	out = strata_put_bytes(out, is_first ? "{ " : ", ", 2);
	out = strata_put_bytes(out, field->name, length);
	out = strata_put_bytes(out, " = ", 3);
	piece->before_bytes = (uint32_t)(out - piece->before);
	piece->kind = kind_of(field->type);
	piece->type = field->type;
	return 0;
}

int strata_text_program_make(struct strata_text_program *program,
			     const struct strata_ctf_type *type)
{
	size_t i;

	memset(program, 0, sizeof(*program));
	if (!type || type->nr_fields == 0)
		return 0;
	program->pieces = calloc(type->nr_fields, sizeof(*program->pieces));
	if (!program->pieces)
		return -1;
	for (i = 0; i < type->nr_fields; i++) {
		if (make_piece(&program->pieces[i], &type->fields[i], i == 0))
			break;
		program->nr++;
	}
	if (i == type->nr_fields)
		return 0;
	strata_text_program_clear(program);
	return -1;
}

void strata_text_program_clear(struct strata_text_program *program)
{
	size_t i;

	for (i = 0; i < program->nr; i++)
		free(program->pieces[i].before);
	free(program->pieces);
	memset(program, 0, sizeof(*program));
}

/* What comes before a value; room for @bytes behind it.  NULL: out of memory. */
static inline char *put_before(struct strata_buffer *buffer, const struct strata_text_piece *piece,
			       size_t bytes)
{
	char *out = strata_buffer_room(buffer, piece->before_bytes + BLOCK + bytes);
	uint32_t at = 0;

	if (!out)
		return NULL;
	do {
		memcpy(out + at, piece->before + at, BLOCK);
		at += BLOCK;
	} while (at < piece->before_bytes);
	return out + piece->before_bytes;
}

static bool put_text(struct strata_buffer *buffer, const struct strata_text_piece *piece,
		     const char *text, size_t length)
{
	char *out = put_before(buffer, piece, 4 * length + 2);

	if (!out)
		return false;
	*out++ = '"';
	out = strata_text_escape(out, text, length, true);
	*out++ = '"';
	strata_buffer_advance(buffer, out);
	return true;
}

static bool put_chars(struct strata_buffer *buffer, const struct strata_text_piece *piece,
		      struct strata_ctf_cursor *cursor)
{
	const char *text;
	uint64_t length;

	if (!strata_ctf_read_length(cursor, piece->type, &length))
		return false;
	text = (const char *)cursor->bytes + cursor->at / 8;
	cursor->at += length * 8;
	return put_text(buffer, piece, text, strnlen(text, length));
}

static inline bool put_piece(struct strata_text_fields *fields,
			     const struct strata_text_piece *piece,
			     struct strata_ctf_cursor *cursor)
{
	struct strata_buffer *buffer = fields->buffer;
	const char *text;
	uint64_t value;
	char *out;

	switch (piece->kind) {
	case STRATA_TEXT_UNSIGNED:
	case STRATA_TEXT_SIGNED:
		out = put_before(buffer, piece, STRATA_PUT_BYTES);
		if (!out || !strata_ctf_read_number(cursor, piece->type, &value))
			return false;
		out = piece->kind == STRATA_TEXT_SIGNED ? strata_put_signed(out, (int64_t)value)
							: strata_put_decimal(out, value);
		strata_buffer_advance(buffer, out);
		return true;
	case STRATA_TEXT_STRING:
		return strata_ctf_read_string(cursor, piece->type, &text, &value) &&
		       put_text(buffer, piece, text, value);
	case STRATA_TEXT_CHARS:
		return put_chars(buffer, piece, cursor);
	case STRATA_TEXT_OTHER:
		break;
	}
	out = put_before(buffer, piece, 0);
	if (!out)
		return false;
	strata_buffer_advance(buffer, out);
	fields->depth = 0;
	return strata_field_visit(&fields->visitor, NULL, piece->type, cursor);
}

bool strata_text_program_put(const struct strata_text_program *program,
			     const struct strata_ctf_type *type, struct strata_text_fields *fields,
			     struct strata_ctf_cursor *cursor)
{
	size_t i;

	fields->depth = 0;
	if (!program->pieces)
		return strata_field_visit(&fields->visitor, NULL, type, cursor);
	if (!strata_ctf_align(cursor, type->align))
		return false;
	for (i = 0; i < program->nr; i++) {
		if (!put_piece(fields, &program->pieces[i], cursor))
			return false;
	}
	strata_buffer_put(fields->buffer, " }", 2);
	return true;
}
