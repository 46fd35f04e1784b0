// SPDX-License-Identifier: GPL-2.0-or-later
/* value.c - see value.h. */
#include "sql/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "ctf/values/ctf_access.h"
#include "outputs/json/json_text.h"

void sql_result_u64(sqlite3_context *context, uint64_t value)
{
	char text[STRATA_PUT_BYTES];

	if (value <= INT64_MAX)
		sqlite3_result_int64(context, (sqlite3_int64)value);
	else
		sqlite3_result_text(context, text, (int)(strata_put_decimal(text, value) - text),
				    SQLITE_TRANSIENT);
}

void sql_result_bound(sqlite3_context *context, uint64_t bound_ns)
{
	if (bound_ns != UINT64_MAX)
		sql_result_u64(context, bound_ns);
}

void sql_result_u32(sqlite3_context *context, uint32_t value)
{
	if (value != STRATA_SHOWN_UNKNOWN)
		sqlite3_result_int64(context, value);
}

char *sql_valid_text(char *out, const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes) {
		uint32_t code;
		const size_t length = strata_utf8_read(text + i, bytes - i, &code);

		out = length ? strata_put_bytes(out, text + i, length)
			     : strata_put_bytes(out, "\xef\xbf\xbd", 3);
		i += length ? length : 1;
	}
	return out;
}

/* Sets a text that is not entirely valid UTF-8. */
static void result_repaired(sqlite3_context *context, const char *text, size_t bytes)
{
	char *valid = malloc(3 * bytes + 1);

	if (valid)
		sqlite3_result_text64(context, valid,
				      (sqlite3_uint64)(sql_valid_text(valid, text, bytes) - valid),
				      free, SQLITE_UTF8);
	else
		sqlite3_result_error_nomem(context);
}

void sql_result_text(sqlite3_context *context, const char *text, size_t bytes)
{
	size_t i = 0;
	uint32_t code;

	if (!text)
		return;
	while (i < bytes) {
		const size_t length = (unsigned char)text[i] < 0x80
					      ? 1
					      : strata_utf8_read(text + i, bytes - i, &code);

		if (!length) {
			result_repaired(context, text, bytes);
			return;
		}
		i += length;
	}
	sqlite3_result_text64(context, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void sql_result_buffer(sqlite3_context *context, struct strata_buffer *buffer)
{
	if (buffer->no_memory)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text64(context, buffer->bytes ? buffer->bytes : "", buffer->used,
				      SQLITE_TRANSIENT, SQLITE_UTF8);
	buffer->no_memory = false;
	buffer->used = 0;
}

/* A field being converted; of a structure or an array only the name of the first number. */
struct field {
	struct strata_field_visitor visitor;
	sqlite3_context *context;
	bool is_name;
	bool is_composed;
	unsigned int depth;
	bool has_result;
};

static void result_name(struct field *field, const struct strata_ctf_type *type, uint64_t value)
{
	const char *name = field->visitor.value_name, *flag;
	sqlite3_str *flags;
	size_t at = 0;

	if (field->has_result)
		return;
	field->has_result = true;
	if (type->is_bit_map) {
		flags = sqlite3_str_new(NULL);
		while ((flag = strata_bit_map_next_flag(type, value, &at)))
			sqlite3_str_appendf(flags, "%s%s", sqlite3_str_length(flags) ? "," : "",
					    flag);
		if (sqlite3_str_length(flags))
			sql_result_text(field->context, sqlite3_str_value(flags),
					(size_t)sqlite3_str_length(flags));
		sqlite3_free(sqlite3_str_finish(flags));
		return;
	}
	if (strata_ctf_has_labels(type))
		name = strata_enum_label(type, value);
	sql_result_text(field->context, name, name ? strlen(name) : 0);
}

static void put_number(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value)
{
	struct field *field = (struct field *)visitor;

	(void)name;
	if (field->is_name) {
		result_name(field, type, value);
		return;
	}
	if (field->depth)
		return;
	if (type->kind == STRATA_CTF_FLOAT)
		sqlite3_result_double(field->context,
				      strata_float_of_bits(value, type->bits == 32));
	else if (type->is_bool)
		sqlite3_result_int(field->context, value != 0);
	else if (type->is_signed)
		sqlite3_result_int64(field->context, (sqlite3_int64)value);
	else
		sql_result_u64(field->context, value);
}

static void put_text(struct strata_field_visitor *visitor, const char *name, const char *text,
		     uint64_t length)
{
	struct field *field = (struct field *)visitor;

	(void)name;
	if (!field->is_name && !field->depth)
		sql_result_text(field->context, text, length);
}

static void put_blob(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length)
{
	struct field *field = (struct field *)visitor;

	(void)name;
	if (!field->is_name && !field->depth)
		sqlite3_result_blob64(field->context, bytes, length, SQLITE_TRANSIENT);
}

static void put_begin(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length)
{
	struct field *field = (struct field *)visitor;

	(void)name;
	(void)type;
	(void)length;
	field->is_composed = true;
	field->depth++;
}

static void put_end(struct strata_field_visitor *visitor, const struct strata_ctf_type *type)
{
	(void)type;
	((struct field *)visitor)->depth--;
}

void sql_result_field(sqlite3_context *context, const struct strata_ctf_type *type,
		      struct strata_ctf_cursor cursor, bool is_name, struct strata_buffer *buffer)
{
	const struct strata_ctf_cursor from = cursor;
	struct field field = {
		.visitor = { .number = put_number,
			     .text = put_text,
			     .blob = put_blob,
			     .begin = put_begin,
			     .end = put_end },
		.context = context,
		.is_name = is_name,
	};

	if (!strata_field_visit(&field.visitor, NULL, type, &cursor) || is_name)
		return;
	if (field.is_composed && strata_json_value(buffer, type, from))
		sql_result_buffer(context, buffer);
	buffer->used = 0;
}

/* Whether a text is a number in the format of sql_result_u64(). */
static bool is_number(const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
	}
	return bytes > 0 && text[0] != '0';
}

int sql_compare_u64(void *data, int x_bytes, const void *x, int y_bytes, const void *y)
{
	const bool x_is = is_number(x, (size_t)x_bytes), y_is = is_number(y, (size_t)y_bytes);
	const size_t least = (size_t)(x_bytes < y_bytes ? x_bytes : y_bytes);
	int order;

	(void)data;
	if (x_is != y_is)
		return x_is ? -1 : 1;
	if (x_is && x_bytes != y_bytes)
		return x_bytes < y_bytes ? -1 : 1;
	order = memcmp(x, y, least);
	return order ? order : x_bytes - y_bytes;
}
