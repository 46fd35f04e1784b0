// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_metadata.c - the metadata of CTF 1.8 traces: what each way to write a type
 * means, to what references lead, and what wrong texts are answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../merge/ctf/ctf_metadata_read.h"
#include "../../merge/ctf_metadata.h"
#include "../../merge/recording.h"
#include "synthetic.h"

#define LE "trace { major = 1; minor = 8; byte_order = le; };\n"
#define TYPES                                      \
	"typealias integer { size = 8; } := u8;\n" \
	"typealias integer { size = 32; align = 32; signed = true; } := s32;\n"

/* One metadata, and all that was complained of, a line each. */
struct given {
	struct strata_ctf_metadata metadata;
	struct strata_error error;
	char complaints[8192];
};

static void hear(void *data, const char *message)
{
	struct given *given = data;
	size_t length = strlen(given->complaints);

	snprintf(given->complaints + length, sizeof(given->complaints) - length, "%s\n", message);
}

static int parse_bytes(struct given *given, const void *bytes, size_t size)
{
	given->complaints[0] = '\0';
	given->error.text[0] = '\0';
	return strata_ctf_metadata_parse(&given->metadata, "metadata", bytes, size, hear, given,
					 &given->error);
}

/* The text has to be right, and nothing in it odd. */
static void parse(struct given *given, const char *text)
{
	int result = parse_bytes(given, text, strlen(text));

	if (result)
		fail_msg("%s", given->error.text);
	assert_string_equal(given->complaints, "");
}

static void clear(struct given *given)
{
	strata_ctf_metadata_clear(&given->metadata);
	strata_ctf_metadata_clear(&given->metadata);
}

/* The payload of the only event, and a field of it. */
static const struct strata_ctf_type *payload(const struct given *given)
{
	assert_int_equal(given->metadata.nr_streams, 1);
	assert_int_equal(given->metadata.streams[0].nr_events, 1);
	return given->metadata.streams[0].events[0].payload;
}

static const struct strata_ctf_type *member(const struct strata_ctf_type *type, const char *name)
{
	size_t i;

	for (i = 0; i < type->nr_fields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return type->fields[i].type;
	fail_msg("no field %s", name);
	return NULL;
}

static const struct strata_ctf_type *field(const struct given *given, const char *name)
{
	return member(payload(given), name);
}

/* An event with these fields, after some declarations. */
static void parse_fields(struct given *given, const char *fields)
{
	static char text[16384];

	snprintf(text, sizeof(text),
		 LE TYPES "event { name = \"x\"; fields := struct {\n%s\n}; };\n", fields);
	parse(given, text);
}

/* Types -------------------------------------------------------------------------------------- */

static void integers_have_all_their_attributes(void **state)
{
	struct given given;
	const struct strata_ctf_type *type;

	(void)state;
	parse_fields(&given, "integer { size = 16; signed = true; byte_order = be; base = hex;"
			     " align = 32; encoding = ASCII; } a;"
			     "integer { size = 0x40ULL; } b; integer { size = 13; } c;"
			     "integer { size = 8; base = o; signed = 0; byte_order = native; } d;"
			     "integer { size = 8; base = b; encoding = none; } e;"
			     "integer { size = 8; base = 16; byte_order = network; } f;");
	type = field(&given, "a");
	assert_int_equal(type->kind, STRATA_CTF_INTEGER);
	assert_int_equal(type->bits, 16);
	assert_int_equal(type->align, 32);
	assert_int_equal(type->base, 16);
	assert_true(type->is_signed && type->big_endian && type->is_text);
	assert_int_equal(type->slot, STRATA_CTF_NO_SLOT);
	assert_int_equal(type->clock, STRATA_CTF_NO_CLOCK);
	type = field(&given, "b");
	assert_int_equal(type->bits, 64);
	assert_int_equal(type->base, 10);
	assert_false(type->is_signed || type->big_endian || type->is_text);
	/* Without an alignment, whole bytes begin at a byte and others at any bit. */
	assert_int_equal(type->align, 8);
	assert_int_equal(field(&given, "c")->align, 1);
	assert_int_equal(field(&given, "d")->base, 8);
	assert_int_equal(field(&given, "e")->base, 2);
	assert_true(field(&given, "f")->big_endian);
	clear(&given);
}

static void byte_order_is_the_traces_even_if_that_is_said_later(void **state)
{
	struct given given;

	(void)state;
	parse(&given, "typealias integer { size = 32; } := u32;\n"
		      "event { name = x; fields := struct { u32 a; "
		      "floating_point { exp_dig = 8; mant_dig = 24; } f; }; };\n"
		      "trace { major = 1; minor = 8; byte_order = be; };\n");
	assert_true(given.metadata.big_endian);
	assert_true(field(&given, "a")->big_endian);
	assert_true(field(&given, "f")->big_endian);
	assert_int_equal(field(&given, "f")->bits, 32);
	assert_int_equal(field(&given, "f")->align, 8);
	clear(&given);
}

static void types_have_names_of_several_words(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "typealias integer { size = 64; } := unsigned  long;"
			     "typealias integer { size = 32; base = x; } := void *;"
			     "typealias u8 [4] := quad;"
			     "typedef const s32 number, three[3];"
			     "typedef struct { u8 x; } pair_t;"
			     "unsigned long a; void *p, q; quad b; number c; three d; pair_t e;"
			     "const unsigned long f; u8 g, h[2];");
	assert_int_equal(field(&given, "a")->bits, 64);
	assert_int_equal(field(&given, "p")->base, 16);
	assert_int_equal(field(&given, "q")->bits, 32);
	assert_int_equal(field(&given, "b")->length, 4);
	assert_true(field(&given, "c")->is_signed);
	assert_int_equal(field(&given, "d")->length, 3);
	assert_int_equal(member(field(&given, "e"), "x")->bits, 8);
	assert_int_equal(field(&given, "f")->bits, 64);
	assert_int_equal(field(&given, "g")->kind, STRATA_CTF_INTEGER);
	assert_int_equal(field(&given, "h")->kind, STRATA_CTF_ARRAY);
	clear(&given);
}

static void a_type_is_known_until_its_braces_close(void **state)
{
	struct given given;

	(void)state;
	parse(&given, LE TYPES "stream { typealias s32 := word; event.context := struct {"
			       " struct { typealias u8 := word; word x; } in; word y; }; };"
			       "event { name = x; typealias u8 := word;"
			       " struct both { word a; }; fields := struct { struct both b; }; };");
	assert_int_equal(member(member(given.metadata.streams[0].event_context, "in"), "x")->bits,
			 8);
	assert_int_equal(member(given.metadata.streams[0].event_context, "y")->bits, 32);
	assert_int_equal(member(field(&given, "b"), "a")->bits, 8);
	clear(&given);
}

static void structures_are_aligned_as_their_strictest_field(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "struct { u8 a; s32 b; } x; struct { u8 a; } align(64) y;"
			     "struct { } z; struct { integer { size = 1; } b; } w;"
			     "struct { s32 list[2]; } v; struct { string s; } t;"
			     "struct { u8 n; s32 list[n]; } u;");
	assert_int_equal(field(&given, "x")->align, 32);
	assert_int_equal(field(&given, "y")->align, 64);
	assert_int_equal(field(&given, "z")->align, 1);
	assert_int_equal(field(&given, "w")->align, 1);
	assert_int_equal(field(&given, "v")->align, 32);
	assert_int_equal(field(&given, "t")->align, 8);
	assert_int_equal(field(&given, "u")->align, 32);
	assert_int_equal(member(field(&given, "u"), "list")->align, 32);
	assert_int_equal(payload(&given)->align, 64);
	clear(&given);
}

static void a_variant_has_no_alignment_of_its_own(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "struct { enum : integer { size = 3; } { A, B } t;"
			     " variant <t> { s32 A; string B; } v; } x;");
	assert_int_equal(field(&given, "x")->align, 1);
	assert_int_equal(member(field(&given, "x"), "v")->align, 1);
	clear(&given);
}

static void arrays_of_arrays_are_read_from_the_left(void **state)
{
	struct given given;
	const struct strata_ctf_type *type;

	(void)state;
	parse_fields(&given, "u8 n; u8 grid[2][n][0x10];");
	type = field(&given, "grid");
	assert_int_equal(type->kind, STRATA_CTF_ARRAY);
	assert_int_equal(type->length, 2);
	type = type->element;
	assert_int_equal(type->kind, STRATA_CTF_SEQUENCE);
	assert_int_equal(type->slot, field(&given, "n")->slot);
	assert_int_not_equal(type->slot, STRATA_CTF_NO_SLOT);
	type = type->element;
	assert_int_equal(type->length, 16);
	assert_int_equal(type->element->bits, 8);
	clear(&given);
}

static void labels_without_a_value_follow_the_one_before(void **state)
{
	struct given given;
	const struct strata_ctf_label *labels;

	(void)state;
	parse_fields(&given, "enum : s32 { A = -2, B, C, \"any text\" = 10 ... 20, struct, "
			     "E = +7, } e; enum : u8 { X = 0xff, } f;");
	assert_int_equal(field(&given, "e")->kind, STRATA_CTF_ENUM);
	assert_int_equal(field(&given, "e")->nr_labels, 6);
	labels = field(&given, "e")->labels;
	assert_int_equal((int64_t)labels[0].low, -2);
	assert_int_equal((int64_t)labels[1].low, -1);
	assert_int_equal((int64_t)labels[1].high, -1);
	assert_int_equal(labels[2].low, 0);
	assert_string_equal(labels[3].name, "any text");
	assert_int_equal(labels[3].low, 10);
	assert_int_equal(labels[3].high, 20);
	assert_string_equal(labels[4].name, "struct");
	assert_int_equal(labels[4].low, 21);
	assert_int_equal(labels[5].low, 7);
	assert_int_equal(field(&given, "e")->align, 32);
	clear(&given);
}

static void an_enumeration_can_have_a_name_and_be_an_int(void **state)
{
	struct given given;

	(void)state;
	parse(&given, LE "typealias integer { size = 16; } := int;"
			 "enum colour { RED, GREEN };"
			 "event { name = x; fields := struct { enum colour c; }; };");
	assert_int_equal(field(&given, "c")->bits, 16);
	assert_string_equal(field(&given, "c")->labels[1].name, "GREEN");
	clear(&given);
}

/* References --------------------------------------------------------------------------------- */

static void a_variant_chooses_by_the_labels_of_its_tag(void **state)
{
	struct given given;
	const struct strata_ctf_type *type;

	(void)state;
	/* Both labels B choose B; no option has the name C, and its values choose none. */
	parse_fields(&given, "enum : s32 { B = 5, A = -1, C = 2, B = 7 ... 9 } tag;"
			     "variant <tag> { string A; u8 B; } v;");
	type = field(&given, "v");
	assert_int_equal(type->kind, STRATA_CTF_VARIANT);
	assert_int_equal(type->slot, field(&given, "tag")->slot);
	assert_true(type->tag_is_signed);
	assert_int_equal(type->nr_choices, 3);
	assert_int_equal(type->choices[0].low, 5);
	assert_int_equal(type->choices[0].option, 1);
	assert_int_equal((int64_t)type->choices[1].high, -1);
	assert_int_equal(type->choices[1].option, 0);
	assert_int_equal(type->choices[2].low, 7);
	assert_int_equal(type->choices[2].high, 9);
	assert_int_equal(type->choices[2].option, 1);
	clear(&given);
}

static void a_named_variant_gets_its_tag_where_it_is_used(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "enum : u8 { A, B } one; enum : u8 { B, A } two;"
			     "variant any { u8 A; string B; };"
			     "variant any <one> v; variant any <two> w;");
	assert_int_equal(field(&given, "v")->slot, field(&given, "one")->slot);
	assert_int_equal(field(&given, "w")->slot, field(&given, "two")->slot);
	assert_int_equal(field(&given, "v")->choices[0].option, 0);
	assert_int_equal(field(&given, "w")->choices[0].option, 1);
	clear(&given);
}

static void underscores_are_taken_away_but_names_are_found_with_either(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "u8 _string; u8 __len; u8 plain; u8 _a[string]; u8 _b[_string];"
			     "u8 c[__len]; u8 d[_len]; u8 e[_plain]; u8 _;"
			     "enum : u8 { _x, y } t; variant <t> { u8 x; string _y; } v;");
	assert_string_equal(payload(&given)->fields[0].name, "string");
	assert_string_equal(payload(&given)->fields[1].name, "_len");
	assert_string_equal(payload(&given)->fields[8].name, "_");
	assert_int_equal(field(&given, "a")->slot, field(&given, "string")->slot);
	assert_int_equal(field(&given, "b")->slot, field(&given, "string")->slot);
	assert_int_equal(field(&given, "c")->slot, field(&given, "_len")->slot);
	assert_int_equal(field(&given, "d")->slot, field(&given, "_len")->slot);
	assert_int_equal(field(&given, "e")->slot, field(&given, "plain")->slot);
	assert_int_equal(field(&given, "v")->nr_choices, 2);
	assert_string_equal(field(&given, "v")->fields[1].name, "y");
	clear(&given);
}

static void two_names_that_differ_by_an_underscore_stay_apart(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "u8 __id; u8 _id; u8 id; u8 a[id]; u8 b[_id]; u8 __x; u8 _x;");
	assert_string_equal(payload(&given)->fields[0].name, "__id");
	assert_string_equal(payload(&given)->fields[1].name, "_id");
	assert_string_equal(payload(&given)->fields[2].name, "id");
	/* Of these two, none is in the way of the other. */
	assert_string_equal(payload(&given)->fields[5].name, "_x");
	assert_string_equal(payload(&given)->fields[6].name, "x");
	assert_int_equal(field(&given, "a")->slot, field(&given, "id")->slot);
	assert_int_equal(field(&given, "b")->slot, field(&given, "_id")->slot);
	assert_int_not_equal(field(&given, "a")->slot, field(&given, "b")->slot);
	clear(&given);
}

static void a_reference_finds_the_nearest_field_before_it(void **state)
{
	struct given given;
	const struct strata_ctf_type *in;

	(void)state;
	parse_fields(&given, "u8 n; u8 outer; struct { u8 m; u8 f[event.fields.deep.m]; } deep;"
			     "struct { u8 first[n]; u8 n; u8 a[n]; u8 b[outer]; u8 c[deep.m]; "
			     "u8 d[event.fields.n]; struct { u8 e[n]; } in; } x[3];");
	in = field(&given, "x")->element;
	assert_int_equal(member(in, "first")->slot, field(&given, "n")->slot);
	assert_int_equal(member(in, "a")->slot, member(in, "n")->slot);
	assert_int_not_equal(member(in, "n")->slot, field(&given, "n")->slot);
	assert_int_equal(member(in, "b")->slot, field(&given, "outer")->slot);
	assert_int_equal(member(in, "c")->slot, member(field(&given, "deep"), "m")->slot);
	assert_int_equal(member(in, "d")->slot, field(&given, "n")->slot);
	assert_int_equal(member(member(in, "in"), "e")->slot, member(in, "n")->slot);
	assert_int_equal(member(field(&given, "deep"), "f")->slot,
			 member(field(&given, "deep"), "m")->slot);
	clear(&given);

	/* A field is not before itself, nor is a structure before what is in it. */
	parse_fields(&given,
		     "u8 n; struct { u8 n; } s; struct { u8 n[n]; struct { u8 a[s.n]; } s; } x;");
	in = field(&given, "x");
	assert_int_equal(member(in, "n")->slot, field(&given, "n")->slot);
	assert_int_equal(member(member(in, "s"), "a")->slot, member(field(&given, "s"), "n")->slot);
	clear(&given);
}

/* Six scopes, and from the innermost a reference to each: by its path, and just by a name. */
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

static void absolute_and_relative_references_reach_every_scope(void **state)
{
	static const char *const paths[] = {
		"trace.packet.header.a", "a", "stream.packet.context.b", "b",
		"stream.event.header.c", "c", "stream.event.context.d",  "d",
		"event.context.e",       "e", "event.fields.f",          "f",
	};
	const struct strata_ctf_stream_class *stream;
	const struct strata_ctf_event_class *event;
	char text[4096] = SCOPES
		"event { name = y; id = 9; stream_id = 7; context := struct { u8 e; u8 x; };"
		" fields := struct { u8 f; ";
	struct given given;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		sprintf(text + strlen(text), "u8 f%zu[%s]; ", i, paths[i]);
	strcat(text, "u8 nearest[x]; }; };");
	parse(&given, text);

	assert_int_equal(given.metadata.nr_streams, 2);
	assert_int_equal(given.metadata.streams[0].id, 3);
	stream = &given.metadata.streams[1];
	assert_int_equal(stream->id, 7);
	assert_int_equal(stream->nr_events, 2);
	event = &stream->events[1];
	assert_int_equal(event->id, 9);
	for (i = 0; i < 12; i++) {
		const struct strata_ctf_type *scopes[] = {
			given.metadata.packet_header, stream->packet_context, stream->event_header,
			stream->event_context,        event->context,         event->payload,
		};
		const char name[2] = { (char)('a' + i / 2), '\0' };

		assert_int_equal(event->payload->fields[1 + i].type->slot,
				 member(scopes[i / 2], name)->slot);
		assert_int_not_equal(event->payload->fields[1 + i].type->slot, STRATA_CTF_NO_SLOT);
	}
	assert_int_equal(member(event->payload, "nearest")->slot,
			 member(event->context, "x")->slot);
	clear(&given);
}

static void slots_that_are_used_together_are_different(void **state)
{
	const struct strata_ctf_stream_class *streams;
	bool taken[STRATA_CTF_SLOTS_MAX] = { false };
	struct given given;
	int16_t slots[4];
	size_t i;

	(void)state;
	/* Of stream 7, the first event uses only d and a; the second more of what lies outside. */
	parse(&given, SCOPES "event { name = y; id = 9; stream_id = 7; fields := struct { u8 f;"
			     " u8 one[f]; u8 two[stream.event.header.c]; u8 three[b]; }; };");
	streams = given.metadata.streams;
	slots[0] = member(given.metadata.packet_header, "a")->slot;
	slots[1] = member(streams[1].packet_context, "b")->slot;
	slots[2] = member(streams[1].event_header, "c")->slot;
	slots[3] = member(streams[1].events[1].payload, "f")->slot;
	for (i = 0; i < 4; i++) {
		assert_in_range(slots[i], 0, 4);
		assert_false(taken[slots[i]]);
		taken[slots[i]] = true;
	}
	/* The trace's come first: they are the same for all streams. */
	assert_int_equal(slots[0], 0);
	assert_int_equal(member(streams[0].packet_context, "b")->slot, 1);
	assert_int_equal(member(streams[0].event_header, "c")->slot, STRATA_CTF_NO_SLOT);
	clear(&given);
}

static void a_type_used_twice_has_a_slot_in_each_place(void **state)
{
	struct given given;

	(void)state;
	parse_fields(&given, "struct list { u8 n; u8 list[n]; }; struct list a; struct list b;");
	assert_ptr_not_equal(field(&given, "a"), field(&given, "b"));
	assert_int_not_equal(member(field(&given, "a"), "n")->slot,
			     member(field(&given, "b"), "n")->slot);
	assert_int_equal(member(field(&given, "b"), "list")->slot,
			 member(field(&given, "b"), "n")->slot);
	clear(&given);
}

/* Blocks ------------------------------------------------------------------------------------- */

static void clocks_and_what_they_are_mapped_to(void **state)
{
	const struct strata_ctf_clock *clock;
	struct given given;

	(void)state;
	parse(&given,
	      LE "clock { name = \"one\"; uuid = \"00010203-0405-0607-0809-0a0b0c0d0e0f\";"
		 " description = \"a \\\"clock\\\"\"; freq = 2000; precision = 12; offset_s = -5;"
		 " offset = 3999; absolute = TRUE; };"
		 "clock { name = two; freq = 1000; offset = -2500; };"
		 "event { name = x; fields := struct { integer { size = 64; map = clock.two.value; "
		 "} t; }; };");
	assert_int_equal(given.metadata.nr_clocks, 2);
	clock = &given.metadata.clocks[0];
	assert_string_equal(clock->name, "one");
	assert_true(clock->has_uuid && clock->absolute);
	assert_int_equal(clock->uuid[15], 15);
	assert_string_equal(clock->description, "a \"clock\"");
	assert_int_equal(clock->frequency, 2000);
	assert_int_equal(clock->precision, 12);
	assert_int_equal(clock->offset_seconds, -5);
	assert_int_equal(clock->offset, 3999);
	/* Cycles are never negative: seconds are. */
	clock = &given.metadata.clocks[1];
	assert_int_equal(clock->offset_seconds, -3);
	assert_int_equal(clock->offset, 500);
	assert_false(clock->has_uuid || clock->absolute);
	assert_null(clock->description);
	assert_int_equal(field(&given, "t")->clock, 1);
	clear(&given);
}

static void timestamps_without_a_map_get_the_only_clock(void **state)
{
	const char *stream = LE TYPES
		"stream { packet.context := struct { u8 timestamp_begin; u8 timestamp_end; u8 n; };"
		" event.header := struct { enum : u8 { A, B } id; variant <id> {"
		" struct { u8 timestamp; } A; struct { s32 timestamp; } B; } v; }; };";
	const struct strata_ctf_type *type;
	char text[2048];
	struct given given;

	(void)state;
	snprintf(text, sizeof(text), "clock { name = c; freq = 5; };%s", stream);
	parse(&given, text);
	assert_int_equal(given.metadata.nr_clocks, 1);
	assert_int_equal(given.metadata.clocks[0].frequency, 5);
	type = given.metadata.streams[0].packet_context;
	assert_int_equal(member(type, "timestamp_begin")->clock, 0);
	assert_int_equal(member(type, "timestamp_end")->clock, 0);
	assert_int_equal(member(type, "n")->clock, STRATA_CTF_NO_CLOCK);
	type = member(given.metadata.streams[0].event_header, "v");
	assert_int_equal(member(member(type, "A"), "timestamp")->clock, 0);
	assert_int_equal(member(member(type, "B"), "timestamp")->clock, 0);
	clear(&given);

	/* And if there is no clock at all, one of nanoseconds. */
	parse(&given, stream);
	assert_int_equal(given.metadata.nr_clocks, 1);
	assert_string_equal(given.metadata.clocks[0].name, "default");
	assert_int_equal(given.metadata.clocks[0].frequency, 1000000000);
	clear(&given);
}

static void strings_stand_for_any_bytes(void **state)
{
	struct given given;

	(void)state;
	parse(&given, LE "env { a = \"\\x41\\102\\n\\t\\\\\\\"\\'\\q\\0377\"; b = -5; c = word; "
			 "d = \"\xc3\xa4\"; e = 0777; };");
	assert_int_equal(given.metadata.nr_env, 5);
	assert_string_equal(given.metadata.env[0].name, "a");
	assert_string_equal(given.metadata.env[0].text, "AB\n\t\\\"'q\037"
							"7");
	assert_null(given.metadata.env[1].text);
	assert_int_equal(given.metadata.env[1].number, -5);
	assert_string_equal(given.metadata.env[2].text, "word");
	assert_string_equal(given.metadata.env[3].text, "\xc3\xa4");
	assert_int_equal(given.metadata.env[4].number, 0777);
	clear(&given);
}

static void events_are_sorted_by_stream_and_id(void **state)
{
	const struct strata_ctf_metadata *metadata;
	struct given given;

	(void)state;
	parse(&given, LE "event { name = e; id = 2; stream_id = 9; };"
			 "event { name = \"a b\"; id = 18446744073709551615; stream_id = 1; "
			 "loglevel = 13; model.emf.uri = \"http://x\"; };"
			 "event { name = a.b; id = 0; stream_id = 1; };"
			 "stream { id = 9; }; stream { id = 1; };");
	metadata = &given.metadata;
	assert_int_equal(metadata->nr_events, 3);
	assert_int_equal(metadata->streams[0].nr_events, 2);
	assert_string_equal(metadata->streams[0].events[0].name, "a.b");
	assert_string_equal(metadata->streams[0].events[1].name, "a b");
	assert_int_equal(metadata->streams[0].events[0].loglevel, -1);
	assert_int_equal(metadata->streams[0].events[1].loglevel, 13);
	assert_true(metadata->streams[0].events[1].id == UINT64_MAX);
	assert_int_equal(metadata->streams[0].events[1].index, 1);
	assert_int_equal(metadata->streams[1].events[0].index, 2);
	assert_int_equal(metadata->streams[1].index, 1);
	assert_null(metadata->streams[1].events[0].payload);
	clear(&given);
}

static void comments_and_line_ends_are_of_any_kind(void **state)
{
	struct given given;

	(void)state;
	parse(&given, "/* CTF 1.8 */\r\n" LE "// a line \" /*\n/**/ event /* * / */ {\r\n"
		      "name = \"/* no comment */\"; // }\r\n}\r\n// the end");
	assert_string_equal(given.metadata.streams[0].events[0].name, "/* no comment */");
	clear(&given);
}

static void what_is_not_known_is_complained_of_and_left_out(void **state)
{
	struct given given;
	const char *text = LE
		"stream { colour = \"blue\"; shape := struct { }; };\n"
		"event { name = x; fields := struct { integer { size = 8; taste = sweet; } a; }; };\n"
		"planet { name = mars; moon { }; };\n"
		"callsite { name = \"x\"; file = \"y.c\"; line = 5; };\n";

	(void)state;
	assert_int_equal(parse_bytes(&given, text, strlen(text)), 0);
	assert_string_equal(given.complaints,
			    "metadata:2:10: the stream has an unknown attribute colour: ignored\n"
			    "metadata:2:27: the stream has an unknown attribute shape: ignored\n"
			    "metadata:3:58: an integer has an unknown attribute taste: ignored\n"
			    "metadata:4:1: an unknown block planet: ignored\n");
	assert_int_equal(field(&given, "a")->bits, 8);
	clear(&given);
}

static void what_is_missing_but_can_be_done_without_is_complained_of(void **state)
{
	const char *text = LE TYPES
		"clock { name = a; }; clock { name = b; };\n"
		"stream { event.header := struct { u8 timestamp; }; };\n"
		"event { fields := struct { enum : u8 { A } t; variant <t> { u8 A; u8 B; } v; }; };\n";
	struct given given;

	(void)state;
	assert_int_equal(parse_bytes(&given, text, strlen(text)), 0);
	assert_string_equal(given.complaints,
			    "metadata:5:1: timestamp names none of the 2 clocks: ignored\n"
			    "metadata:6:70: no label of the tag chooses the option B\n"
			    "metadata:6:1: this event has no name\n");
	assert_int_equal(member(given.metadata.streams[0].event_header, "timestamp")->clock,
			 STRATA_CTF_NO_CLOCK);
	assert_string_equal(given.metadata.streams[0].events[0].name, "");
	assert_int_equal(field(&given, "v")->nr_choices, 1);
	clear(&given);
}

/* Wrong texts -------------------------------------------------------------------------------- */

static const struct {
	const char *text, *error;
} wrong[] = {
	{ "", "metadata: the file is empty" },
	{ " \n", "metadata:2:1: there is no trace block" },
	{ "/* CTF 1.9 */\n" LE, "metadata:1:1: metadata of CTF 1.9, but only CTF 1.8 can be read" },
	{ "/* CTF 2.0 */\n" LE, "babeltrace2 2.1 convert it" },
	{ "trace { major = 1;\n minor = 9; };", "metadata:2:2: the trace's minor version is 9" },
	{ "\x1e{\"type\": \"preamble\"}", "metadata: byte 0: this is CTF 2 (JSON), but only CTF" },
	{ "\n[{", "this is CTF 2 (JSON)" },
	{ "trace { major = 1; minor = 8; };", "metadata:1:1: the trace block has no byte_order" },
	{ LE LE, "metadata:2:1: a second trace block" },
	{ LE "stream { id = 1; }; stream { id = 1; };", "metadata:2:21: a second stream of id 1" },
	{ LE "stream { id = 1; }; stream { };", "metadata:2:21: this stream has no id" },
	{ LE "event { name = a; id = 3; };\nevent { name = b; id = 3; };",
	  "metadata:3:1: a second event of id 3 in stream 0: remove one" },
	{ LE "event { name = a; stream_id = 4; };", "metadata:2:1: this event's stream 4 is not" },
	{ LE "stream { id = 1; }; stream { id = 2; }; event { name = a; };",
	  "metadata:2:41: this event does not say to which of the 2 streams" },
	{ LE "clock { name = a; }; clock { name = a; };", "metadata:2:22: a second clock" },
	{ LE "clock { freq = 5; };", "metadata:2:1: this clock has no name" },
	{ LE "clock { name = a; freq = 0; };", "metadata:2:26: freq is 0" },
	{ LE "clock { name = a; uuid = \"123\"; };", "metadata:2:26: uuid must be 8-4-4-4-12" },
	{ LE TYPES
	  "event { name = a; fields := struct { integer { size = 8;\n map = clock.b.value; "
	  "} x; }; };",
	  "metadata:5:8: there is no clock b: the text needs \"clock { name = b;" },
	{ LE TYPES "event { name = a; fields := struct { u8 x;\n u9 y; }; };",
	  "metadata:5:2: the type u9 is not declared" },
	{ LE TYPES "event { name = a; fields := u8; };", "fields must be a structure" },
	{ LE TYPES "event { name = a; fields := struct { u8 x; u8 x; }; };",
	  "metadata:4:47: a second field of the name x" },
	{ LE TYPES "typealias s32 := u8;", "metadata:4:18: u8 is declared a second time" },
	{ LE "struct a { struct a b; };", "metadata:2:12: struct a is not declared before" },
	{ LE TYPES "struct a { u8 x : 4; };", "metadata:4:17: bit fields cannot be read" },
	{ LE "struct a { integer { size = 65; } x; };", "metadata:2:29: an integer of 65 bits" },
	{ LE "struct a { integer { align = 8; } x; };", "metadata:2:12: this integer has no size" },
	{ LE "struct a { integer { size = 8; align = 12; } x; };",
	  "metadata:2:40: align is 12, but must be a power of two" },
	/* Windows of a packet begin at a multiple of so many bits. */
	{ LE "struct a { integer { size = 8; align = 65536; } x; };",
	  "metadata:2:40: align is 65536, but must be a power of two of bits, up to 32768" },
	{ LE "struct a { integer { size = 8; base = 7; } x; };", "metadata:2:39: base must be" },
	{ LE "struct a { floating_point { exp_dig = 5; mant_dig = 11; } x; };",
	  "metadata:2:12: a floating_point must have exp_dig = 8" },
	{ LE "struct a { enum { A } x; };", "metadata:2:17: an enumeration without \": TYPE\"" },
	{ LE TYPES "struct a { enum : u8 { A = -1 } x; };", "metadata:4:28: a label's value" },
	{ LE TYPES "struct a { enum : u8 { A = 3 ... 2 } x; };", "metadata:4:24: the range of" },
	{ LE "typedef string text; struct a { enum : text { A } x; };",
	  "an enumeration can only be an integer" },
	{ LE TYPES "event { name = a; fields := struct { u8 x[n]; u8 n; }; };",
	  "metadata:4:43: no field n is read before what refers to it" },
	{ LE TYPES "event { name = a; fields := struct { u8 x[env.n]; }; };",
	  "metadata:4:43: no field env.n is read before" },
	{ LE TYPES "event { name = a; fields := struct { string n; u8 x[n]; }; };",
	  "metadata:4:53: n is not an integer" },
	{ LE TYPES "event { name = a; fields := struct { s32 n; u8 x[n]; }; };",
	  "metadata:4:50: the length of a sequence must be an integer without a sign" },
	{ LE TYPES "event { name = a; fields := struct { u8 n; variant <n> { u8 a; } v; }; };",
	  "metadata:4:53: the tag of a variant must be an enumeration" },
	{ LE TYPES "event { name = a; fields := struct { variant { u8 a; } v; }; };",
	  "metadata:4:38: this variant has no tag" },
	{ LE TYPES "event { name = a; fields := struct { enum : u8 { A } t; variant <t> {"
		   " struct { u8 n; } A; } v; u8 x[v.A.n]; }; };",
	  "no field v.A.n is read before" },
	{ LE "env { a = 99999999999999999999; };", "metadata:2:11: this number does not fit" },
	{ LE "env { a = 08; };", "metadata:2:12: '8' is no digit of a number of base 8" },
	{ LE "env { a = \"b; };\n", "metadata:2:11: this string does not end" },
	{ LE "env { a = \"\\0\"; };\n", "metadata:2:12: a zero byte in a string" },
	{ LE "/* no end", "metadata:2:1: this comment does not end" },
	{ LE "env { a = 1 }", "metadata:2:13: ; is missing before '}'" },
	{ LE "env { a = 1;", "metadata:2:13: the text ends where a name should stand" },
	{ LE "env { a = $; };", "metadata:2:11: the byte 0x24 cannot stand here" },
	{ LE "trance;", "metadata:2:1: 'trance' begins nothing that CTF 1.8 knows" },
};

static void a_wrong_text_is_answered_with_its_place_and_what_to_do(void **state)
{
	struct given given;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(parse_bytes(&given, wrong[i].text, strlen(wrong[i].text)), -1);
		if (!strstr(given.error.text, wrong[i].error))
			fail_msg("%s: expected %s", given.error.text, wrong[i].error);
		assert_null(given.metadata.arena);
		clear(&given);
	}
}

static void every_beginning_of_a_text_is_refused_or_read(void **state)
{
	static const char text[] = SCOPES
		"enum e : s32 { A = -1 ... 5, \"\\x41\" };"
		"clock { name = c; offset = -1; }; callsite { };"
		"event { name = y; id = 9; stream_id = 7; fields := struct { enum e t;"
		" variant <event.fields.t> { string A; } v; } align(8); };";
	struct given given;
	size_t size;
	char *copy;

	(void)state;
	for (size = 0; size < sizeof(text); size++) {
		/* On the heap: a checker of memory sees the byte after the end. */
		copy = malloc(size + 1);
		assert_non_null(copy);
		memcpy(copy, text, size);
		copy = realloc(copy, size ? size : 1);
		if (parse_bytes(&given, copy, size))
			assert_memory_equal(given.error.text, "metadata:", 9);
		clear(&given);
		free(copy);
	}
}

static void types_within_types_have_a_limit(void **state)
{
	static char text[65536];
	struct given given;
	unsigned int i, depth;

	(void)state;
	for (depth = STRATA_CTF_DEPTH_MAX - 1; depth <= STRATA_CTF_DEPTH_MAX; depth++) {
		strcpy(text, LE "event { name = x; fields := ");
		for (i = 0; i < depth; i++)
			strcat(text, "struct { ");
		strcat(text, "string s; ");
		for (i = 0; i < depth; i++)
			strcat(text, i < depth - 1 ? "} s; " : "}; };");
		if (depth < STRATA_CTF_DEPTH_MAX) {
			parse(&given, text);
		} else {
			assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
			assert_non_null(strstr(given.error.text, "more than 32 deep"));
		}
		clear(&given);
	}

	/* By names, and by dimensions, no deeper. */
	strcpy(text, LE "struct s0 { string s; };");
	for (i = 1; i < 40; i++)
		sprintf(text + strlen(text), "struct s%u { struct s%u s; };\n", i, i - 1);
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "metadata:32:1: types within types"));
	strcpy(text, LE "struct s0 { string s");
	for (i = 1; i < 40; i++)
		strcat(text, "[1]");
	strcat(text, "; };");
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "more than 32 dimensions"));

	/* 100,000 braces, at none of which the stack ends. */
	memset(text, 0, sizeof(text));
	for (i = 0; i < 9000; i++)
		memcpy(text + i * 7, "struct{", 7);
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "more than 32 deep"));
}

static void types_that_multiply_run_into_a_limit(void **state)
{
	struct given given;
	char text[4096];
	unsigned int i;

	(void)state;
	strcpy(text, LE "struct s0 { string a; string b; };");
	for (i = 1; i < 31; i++)
		sprintf(text + strlen(text), "struct s%u { struct s%u a; struct s%u b; };\n", i,
			i - 1, i - 1);
	strcat(text, "event { name = x; fields := struct s30; };");
	assert_int_equal(parse_bytes(&given, text, strlen(text)), -1);
	assert_non_null(strstr(given.error.text, "there is no memory for what the text describes"));

	/* A length costs nothing. */
	parse_fields(&given, "u8 a[18446744073709551615][4294967296];");
	assert_true(field(&given, "a")->length == UINT64_MAX);
	clear(&given);
}

static void more_references_than_slots_are_refused(void **state)
{
	static char text[65536];
	struct given given;
	unsigned int i, nr;

	(void)state;
	for (nr = STRATA_CTF_SLOTS_MAX; nr <= STRATA_CTF_SLOTS_MAX + 1; nr++) {
		strcpy(text, LE TYPES "event { name = x; fields := struct {\n");
		for (i = 0; i < nr; i++)
			sprintf(text + strlen(text), "u8 n%u; u8 a%u[n%u];\n", i, i, i);
		strcat(text, "}; };");
		assert_int_equal(parse_bytes(&given, text, strlen(text)),
				 nr > STRATA_CTF_SLOTS_MAX ? -1 : 0);
		if (nr > STRATA_CTF_SLOTS_MAX)
			assert_non_null(strstr(given.error.text,
					       "metadata:261:18: more than 256 integers that"));
		clear(&given);
	}
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Prints the piece for numbers up to @nr behind the text. */
static char *repeat(char *end, unsigned int nr, const char *format)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		end += sprintf(end, format, i, i, i);
	return end;
}

static void the_time_grows_with_the_text_and_not_faster(void **state)
{
	const unsigned int nr = 10000;
	char *text = malloc(16u << 20), *end = text;
	struct given given;
	double start, took;

	(void)state;
	assert_non_null(text);
	end += sprintf(end, LE TYPES);
	end = repeat(end, nr, "typealias integer { size = 8; } := t%u;\n");
	end += sprintf(end, "stream { event.header := struct { enum : u8 {");
	end = repeat(end, nr, "l%u = %u,");
	end += sprintf(end, "} tag; }; };");
	end = repeat(end, nr,
		     "event { name = \"e%u\"; id = %u; fields := struct { t%u n; u8 list[n];"
		     " variant <stream.event.header.tag> { u8 l1; u8 l2; } v; }; };\n");
	/* And one event with as many fields and references. */
	end += sprintf(end, "event { name = all; id = %u; fields := struct { u8 n;", nr);
	end = repeat(end, nr, "u8 f%u[n];\n");
	end += sprintf(end, "}; };");
	start = seconds_now();
	assert_int_equal(parse_bytes(&given, text, (size_t)(end - text)), 0);
	took = seconds_now() - start;
	assert_int_equal(given.metadata.nr_events, nr + 1);
	assert_int_equal(given.metadata.streams[0].events[nr].payload->nr_fields, nr + 1);
	/* Ten milliseconds each thousand; a square would take minutes. */
	print_message("10,000 events, types, labels and fields: %.3f s\n", took);
	assert_true(took < 1);
	clear(&given);
	free(text);
}

/* Packets ------------------------------------------------------------------------------------ */

struct packets {
	uint8_t bytes[4096];
	size_t size;
	bool big_endian;
};

static void put_word(const struct packets *packets, uint8_t *at, uint32_t word)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		at[packets->big_endian ? 3 - i : i] = (uint8_t)(word >> i * 8);
}

static void add_packet(struct packets *packets, const char *text, size_t length, size_t padding)
{
	uint8_t *packet = packets->bytes + packets->size;

	assert_true(packets->size + 37 + length + padding <= sizeof(packets->bytes));
	memset(packet, 0, 37 + length + padding);
	put_word(packets, packet, 0x75d11d57);
	memset(packet + 4, 0x5a, 16);
	put_word(packets, packet + 24, (uint32_t)(37 + length) * 8);
	put_word(packets, packet + 28, (uint32_t)(37 + length + padding) * 8);
	packet[35] = 1;
	packet[36] = 8;
	memcpy(packet + 37, text, length);
	packets->size += 37 + length + padding;
}

#define IN_PACKETS LE "event { name = \"first\"; id = 1; };\nevent { name = \"last\"; id = 2; };\n"

/* In three packets, which end amid words. */
static void make_packets(struct packets *packets, bool big_endian)
{
	packets->size = 0;
	packets->big_endian = big_endian;
	add_packet(packets, IN_PACKETS, 10, 3);
	add_packet(packets, IN_PACKETS + 10, 60, 0);
	add_packet(packets, IN_PACKETS + 70, strlen(IN_PACKETS) - 70, 100);
}

static void packets_of_either_byte_order_are_put_together(void **state)
{
	struct packets packets;
	struct given given;
	int big_endian;

	(void)state;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		make_packets(&packets, big_endian);
		assert_int_equal(parse_bytes(&given, packets.bytes, packets.size), 0);
		assert_string_equal(given.complaints, "");
		assert_int_equal(given.metadata.nr_events, 2);
		clear(&given);
	}
}

static void of_packets_that_are_cut_off_what_is_whole_is_kept(void **state)
{
	struct packets packets;
	struct given given;

	(void)state;
	make_packets(&packets, false);
	/* The padding is missing: nothing that matters. */
	assert_int_equal(parse_bytes(&given, packets.bytes, packets.size - 50), 0);
	assert_int_equal(given.metadata.nr_events, 2);
	clear(&given);
	/* The last event is not whole. */
	assert_int_equal(parse_bytes(&given, packets.bytes, packets.size - 110), 0);
	assert_int_equal(given.metadata.nr_events, 1);
	assert_string_equal(given.metadata.streams[0].events[0].name, "first");
	assert_string_equal(given.complaints, "metadata:3:1: the end of the metadata is lost: what "
					      "begins here is left out\n");
	clear(&given);
}

static void damaged_packets_are_refused_with_their_byte(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *error;
	} damages[] = {
		{ 32, 1, "metadata: byte 32: this packet is compressed (scheme 1)" },
		{ 33, 2, "metadata: byte 33: this packet is encrypted (scheme 2)" },
		{ 34, 1, "metadata: byte 34: this packet is protected by a checksum" },
		{ 36, 9, "metadata: byte 35: a packet of CTF 1.9" },
		{ 35, 2, "metadata: byte 35: a packet of CTF 2.8" },
		{ 35, 't', "metadata: byte 35: these are not the 37 bytes" },
		{ 24, 1, "metadata: byte 24: a packet of 400 bits with a content of 257 bits" },
		{ 24, 0, "with a content of 256 bits: the file is damaged" },
		{ 27, 1, "metadata: byte 24: a packet of 400 bits" },
		{ 28, 0, "a packet of 256 bits with a content of 376 bits" },
		{ 50, 0, "metadata: byte 50: no packet begins here" },
		{ 54, 0, "metadata: byte 54: this packet is of another trace" },
	};
	struct packets packets;
	struct given given;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		make_packets(&packets, false);
		packets.bytes[damages[i].at] = damages[i].byte;
		assert_int_equal(parse_bytes(&given, packets.bytes, packets.size), -1);
		if (!strstr(given.error.text, damages[i].error))
			fail_msg("%s: expected %s", given.error.text, damages[i].error);
	}
}

/* Files -------------------------------------------------------------------------------------- */

static void what_strata_writes_is_read(void **state)
{
	struct strata_recording recording;
	struct synthetic rec;
	struct given given = { .complaints = "" };
	char dir[4096 + 100];
	size_t i;

	(void)state;
	synthetic_init(&rec);
	synthetic_build_host(&rec, &(struct synthetic_host){ 0 });
	synthetic_write(&rec);
	assert_int_equal(strata_recording_load(&recording, rec.dir, &given.error), 0);
	for (i = 0; i < recording.nr_sources; i++) {
		const struct strata_source *source = &recording.sources[i];

		assert_int_equal(
			strata_ctf_metadata_save(&recording, source, rec.dir, &given.error), 0);
		snprintf(dir, sizeof(dir), "%s/%s", rec.dir, source->name);
		assert_int_equal(
			strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			0);
		assert_string_equal(given.complaints, "");
		assert_int_equal(given.metadata.nr_streams, 1);
		assert_int_equal(given.metadata.nr_events, source->nr_events);
		assert_int_equal(given.metadata.nr_clocks, 1);
		assert_true(given.metadata.clocks[0].absolute);
		assert_memory_equal(given.metadata.uuid, source->uuid, 16);
		clear(&given);
	}
	assert_true(i > 1);
	strata_recording_clear(&recording);
	synthetic_free(&rec);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct given given = { .complaints = "" };
	char dir[] = "/tmp/strata-metadata-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, dir));
	assert_non_null(strstr(given.error.text, "/metadata: cannot be opened: No such file"));

	/* Nobody writes to this pipe, and nobody waits for that. */
	snprintf(path, sizeof(path), "%s/metadata", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, "no file that can be read"));

	/* A file that claims a gigabyte has none of it read. */
	unlink(path);
	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(truncate(path, 1l << 30), 0);
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, "1073741824 bytes, but no more than"));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_have_all_their_attributes),
		cmocka_unit_test(byte_order_is_the_traces_even_if_that_is_said_later),
		cmocka_unit_test(types_have_names_of_several_words),
		cmocka_unit_test(a_type_is_known_until_its_braces_close),
		cmocka_unit_test(structures_are_aligned_as_their_strictest_field),
		cmocka_unit_test(a_variant_has_no_alignment_of_its_own),
		cmocka_unit_test(arrays_of_arrays_are_read_from_the_left),
		cmocka_unit_test(labels_without_a_value_follow_the_one_before),
		cmocka_unit_test(an_enumeration_can_have_a_name_and_be_an_int),
		cmocka_unit_test(a_variant_chooses_by_the_labels_of_its_tag),
		cmocka_unit_test(a_named_variant_gets_its_tag_where_it_is_used),
		cmocka_unit_test(underscores_are_taken_away_but_names_are_found_with_either),
		cmocka_unit_test(two_names_that_differ_by_an_underscore_stay_apart),
		cmocka_unit_test(a_reference_finds_the_nearest_field_before_it),
		cmocka_unit_test(absolute_and_relative_references_reach_every_scope),
		cmocka_unit_test(slots_that_are_used_together_are_different),
		cmocka_unit_test(a_type_used_twice_has_a_slot_in_each_place),
		cmocka_unit_test(clocks_and_what_they_are_mapped_to),
		cmocka_unit_test(timestamps_without_a_map_get_the_only_clock),
		cmocka_unit_test(strings_stand_for_any_bytes),
		cmocka_unit_test(events_are_sorted_by_stream_and_id),
		cmocka_unit_test(comments_and_line_ends_are_of_any_kind),
		cmocka_unit_test(what_is_not_known_is_complained_of_and_left_out),
		cmocka_unit_test(what_is_missing_but_can_be_done_without_is_complained_of),
		cmocka_unit_test(a_wrong_text_is_answered_with_its_place_and_what_to_do),
		cmocka_unit_test(every_beginning_of_a_text_is_refused_or_read),
		cmocka_unit_test(types_within_types_have_a_limit),
		cmocka_unit_test(types_that_multiply_run_into_a_limit),
		cmocka_unit_test(more_references_than_slots_are_refused),
		cmocka_unit_test(the_time_grows_with_the_text_and_not_faster),
		cmocka_unit_test(packets_of_either_byte_order_are_put_together),
		cmocka_unit_test(of_packets_that_are_cut_off_what_is_whole_is_kept),
		cmocka_unit_test(damaged_packets_are_refused_with_their_byte),
		cmocka_unit_test(what_strata_writes_is_read),
		cmocka_unit_test(a_file_that_cannot_be_read_is_named),
	};

	return cmocka_run_group_tests_name("ctf_metadata", tests, NULL, NULL);
}
