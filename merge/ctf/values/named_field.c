// SPDX-License-Identifier: GPL-2.0-or-later
/* named_field.c - see named_field.h. */
#include "ctf/values/named_field.h"

#include <string.h>

/* Returns 1, 0 or -1, as strata_named_field_find(). */
static int find_one(struct strata_named_field *field, const struct strata_ctf_stream_class *stream,
		    const struct strata_ctf_event_class *event,
		    const struct strata_ctf_path_part *part, struct strata_ctf_arena *arena)
{
	const struct strata_ctf_type *const types[] = { stream->event_context, event->context,
							event->payload };
	size_t i;

	for (i = sizeof(types) / sizeof(types[0]); i-- > 0;) {
		const int found = types[i] ? strata_ctf_access_make(&field->access, arena, types, i,
								    1, types[i], part, 1)
					   : 0;

		if (found)
			return found;
	}
	return 0;
}

int strata_named_field_find(struct strata_named_field *field,
			    const struct strata_ctf_stream_class *stream,
			    const struct strata_ctf_event_class *event, const char *names,
			    struct strata_ctf_arena *arena)
{
	const struct strata_ctf_type *type;
	int found = 0;

	while (!found && *names) {
		const size_t length = strcspn(names, "|");
		/* The access path keeps pointers to both. */
		struct strata_ctf_path_part *part = strata_ctf_arena_get(arena, 1, sizeof(*part));
		char *name = strata_ctf_arena_get(arena, length + 1, 1);

		if (!part || !name)
			return -1;
		memcpy(name, names, length);
		part->name = name;
		found = find_one(field, stream, event, part, arena);
		names += length + (names[length] == '|');
	}
	field->is_found = found > 0;
	if (found <= 0)
		return found;
	type = field->access.type;
	if (type->kind <= STRATA_CTF_ENUM)
		field->plain = strata_ctf_plain_of(&field->access);
	else if (type->kind == STRATA_CTF_ARRAY && type->encoding == STRATA_CTF_UTF8 &&
		 type->align <= 8 && type->length <= UINT16_MAX && strata_ctf_is_text(type) &&
		 strata_ctf_plain_step(&field->plain, &field->access))
		field->text_bytes = (uint16_t)type->length;
	return found;
}

bool strata_named_field_any_number(const struct strata_named_field *field,
				   const struct strata_ctf_cursor *cursor, uint64_t *value)
{
	struct strata_ctf_cursor at = *cursor;
	const struct strata_ctf_type *type =
		field->is_found ? strata_ctf_access_go(&field->access, &at) : NULL;
	unsigned int bits;

	return type && strata_ctf_is_integer(type) &&
	       strata_ctf_read_integer(&at, type, value, &bits);
}

bool strata_named_field_any_text(const struct strata_named_field *field,
				 const struct strata_ctf_cursor *cursor, const char **text,
				 size_t *bytes)
{
	struct strata_ctf_cursor at = *cursor;
	const struct strata_ctf_type *type =
		field->is_found ? strata_ctf_access_go(&field->access, &at) : NULL;
	uint64_t length;

	if (!type || type->encoding != STRATA_CTF_UTF8)
		return false;
	if (type->kind == STRATA_CTF_STRING) {
		if (!strata_ctf_read_string(&at, type, text, &length))
			return false;
		*bytes = length;
		return true;
	}
	if (!strata_ctf_is_text(type) || !strata_ctf_read_length(&at, type, &length) ||
	    at.at % 8 != 0)
		return false;
	*text = (const char *)at.bytes + at.at / 8;
	*bytes = strnlen(*text, length);
	return true;
}
