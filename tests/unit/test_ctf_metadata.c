// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_metadata.c - the metadata of CTF 1.8 traces: the meaning of each way to write a type,
 * and the targets of references.
 */

#include "ctf_metadata_given.h"

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

	/* A field is not before itself, nor is a structure before its members. */
	parse_fields(&given,
		     "u8 n; struct { u8 n; } s; struct { u8 n[n]; struct { u8 a[s.n]; } s; } x;");
	in = field(&given, "x");
	assert_int_equal(member(in, "n")->slot, field(&given, "n")->slot);
	assert_int_equal(member(member(in, "s"), "a")->slot, member(field(&given, "s"), "n")->slot);
	clear(&given);
}

/* Six scopes, and from the innermost a reference to each: by its path, and just by a name. */
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
	/* Of stream 7, the first event uses only d and a; the second uses more of the outer fields.
	 */
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
			    "metadata:5:1: timestamp does not name one of the 2 clocks: ignored\n"
			    "metadata:6:70: no label of the tag chooses the option B\n"
			    "metadata:6:1: this event has no name\n");
	assert_int_equal(member(given.metadata.streams[0].event_header, "timestamp")->clock,
			 STRATA_CTF_NO_CLOCK);
	assert_string_equal(given.metadata.streams[0].events[0].name, "");
	assert_int_equal(field(&given, "v")->nr_choices, 1);
	clear(&given);
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
	};

	return cmocka_run_group_tests_name("ctf_metadata", tests, NULL, NULL);
}
