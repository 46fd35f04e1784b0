// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf2_bytes.c - field classes of CTF 2 that are texts or BLOBs; see ctf2_parser.h. */
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"

static struct strata_tsdl_type *new_byte(struct strata_ctf2_parser *parser, bool is_text)
{
	struct strata_tsdl_type *byte = strata_ctf2_new_type(parser, STRATA_CTF_INTEGER);

	if (!byte)
		return NULL;
	byte->align = byte->bits = 8;
	byte->base = is_text ? 10 : 16;
	byte->order = STRATA_TSDL_LITTLE_ENDIAN;
	byte->is_text = is_text;
	return byte;
}

int strata_ctf2_parse_length(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type)
{
	if (type->kind == STRATA_CTF_ARRAY)
		return strata_ctf2_get_uint(parser, object, "length", true, 0, UINT64_MAX,
					    &type->length);
	return strata_ctf2_parse_location(parser, object, "length-field-location",
					  &type->reference);
}

static int parse_encoding(struct strata_ctf2_parser *parser, struct json_object *object,
			  struct strata_tsdl_type *type)
{
	static const char *const encodings[] = {
		[STRATA_CTF_UTF8] = "utf-8",        [STRATA_CTF_UTF16_LE] = "utf-16le",
		[STRATA_CTF_UTF16_BE] = "utf-16be", [STRATA_CTF_UTF32_LE] = "utf-32le",
		[STRATA_CTF_UTF32_BE] = "utf-32be", NULL,
	};
	unsigned int encoding = STRATA_CTF_UTF8;

	if (strata_ctf2_get_word(parser, object, "encoding", false, encodings, &encoding))
		return -1;
	type->encoding = (enum strata_ctf_encoding)encoding;
	return 0;
}

/* A text whose length is known: an array of its bytes. */
int strata_ctf2_parse_text(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type)
{
	if (strata_ctf2_check(parser, object,
			      type->kind == STRATA_CTF_ARRAY
				      ? " type length encoding "
				      : " type length-field-location encoding ") ||
	    strata_ctf2_parse_length(parser, object, type) || parse_encoding(parser, object, type))
		return -1;
	type->element = new_byte(parser, type->encoding == STRATA_CTF_UTF8);
	return type->element ? strata_ctf2_put_within(parser, type, type->element) : -1;
}

int strata_ctf2_parse_blob(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type)
{
	struct json_object *media, *roles;
	size_t i;

	if (strata_ctf2_check(parser, object,
			      type->kind == STRATA_CTF_ARRAY
				      ? " type length media-type roles "
				      : " type length-field-location media-type ") ||
	    strata_ctf2_parse_length(parser, object, type) ||
	    strata_ctf2_get(parser, object, "media-type", json_type_string, false, &media) ||
	    strata_ctf2_get(parser, object, "roles", json_type_array, false, &roles))
		return -1;
	for (i = 0; roles && i < json_object_array_length(roles); i++) {
		struct json_object *role = json_object_array_get_idx(roles, i);

		if (!json_object_is_type(role, json_type_string) ||
		    strcmp(json_object_get_string(role), "metadata-stream-uuid") != 0)
			return strata_ctf2_fail(parser, "a BLOB can only have the role "
							"metadata-stream-uuid");
		if (type->length != 16)
			return strata_ctf2_fail(parser, "a metadata-stream-uuid must have a "
							"length of 16 bytes");
		if (!parser->file->has_uuid)
			return strata_ctf2_fail(parser, "a metadata-stream-uuid, but the preamble "
							"has no \"uuid\"");
		type->roles = (uint16_t)STRATA_CTF_ROLE_UUID;
	}
	type->is_blob = true;
	type->element = new_byte(parser, false);
	return type->element ? strata_ctf2_put_within(parser, type, type->element) : -1;
}

int strata_ctf2_parse_string(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type)
{
	type->align = 8;
	return strata_ctf2_check(parser, object, " type encoding ") ||
			       parse_encoding(parser, object, type)
		       ? -1
		       : 0;
}
