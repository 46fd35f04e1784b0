/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_metadata_given.h - metadata that a test gives, and the reader's result: for the tests of the
 * reader of CTF 1.8 metadata (test_ctf_metadata*.c).
 */
#ifndef STRATA_TESTS_CTF_METADATA_GIVEN_H
#define STRATA_TESTS_CTF_METADATA_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf/trace/ctf_metadata_read.h"

#define LE "trace { major = 1; minor = 8; byte_order = le; };\n"
#define TYPES                                      \
	"typealias integer { size = 8; } := u8;\n" \
	"typealias integer { size = 32; align = 32; signed = true; } := s32;\n"

/* Fields in every scope; some of them have the same names. */
#define SCOPES                                                                                  \
	TYPES                                                                                   \
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u8 a; u8 x; " \
	"u8 stream_id; }; };"                                                                   \
	"stream { id = 7; packet.context := struct { u8 b; u8 x; };"                            \
	" event.header := struct { u8 c; u8 x; }; event.context := struct { u8 d; u8 x; }; };"  \
	"stream { id = 3; packet.context := struct { u8 b; };"                                  \
	" event.header := struct { u8 e; u8 c; u8 list[b]; }; };"                               \
	"event { name = \"low\"; id = 5; stream_id = 7; fields := struct {"                     \
	" u8 seven[d]; u8 eight[a]; }; };"

/* One metadata, and all that was complained of, a line each. */
struct given {
	struct strata_ctf_metadata metadata;
	struct strata_error error;
	char complaints[8192];
};

static inline void hear(void *data, const char *message)
{
	struct given *given = data;
	size_t length = strlen(given->complaints);

	snprintf(given->complaints + length, sizeof(given->complaints) - length, "%s\n", message);
}

static inline int parse_bytes(struct given *given, const void *bytes, size_t size)
{
	given->complaints[0] = '\0';
	given->error.text[0] = '\0';
	return strata_ctf_metadata_parse(&given->metadata, "metadata", bytes, size, hear, given,
					 &given->error);
}

/* The text has to be right, and nothing in it odd. */
static inline void parse(struct given *given, const char *text)
{
	int result = parse_bytes(given, text, strlen(text));

	if (result)
		fail_msg("%s", given->error.text);
	assert_string_equal(given->complaints, "");
}

static inline void clear(struct given *given)
{
	strata_ctf_metadata_clear(&given->metadata);
	strata_ctf_metadata_clear(&given->metadata);
}

/* The payload of the only event, and a field of it. */
static inline const struct strata_ctf_type *payload(const struct given *given)
{
	assert_int_equal(given->metadata.nr_streams, 1);
	assert_int_equal(given->metadata.streams[0].nr_events, 1);
	return given->metadata.streams[0].events[0].payload;
}

static inline const struct strata_ctf_type *member(const struct strata_ctf_type *type,
						   const char *name)
{
	size_t i;

	for (i = 0; i < type->nr_fields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return type->fields[i].type;
	fail_msg("no field %s", name);
	return NULL;
}

static inline const struct strata_ctf_type *field(const struct given *given, const char *name)
{
	return member(payload(given), name);
}

/* An event with these fields, after some declarations. */
static inline void parse_fields(struct given *given, const char *fields)
{
	static char text[16384];

	snprintf(text, sizeof(text),
		 LE TYPES "event { name = \"x\"; fields := struct {\n%s\n}; };\n", fields);
	parse(given, text);
}

#endif /* STRATA_TESTS_CTF_METADATA_GIVEN_H */
