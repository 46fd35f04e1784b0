// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_write_tsdl.c - types written as TSDL text are the same types when they are
 * read: by Strata's reader, and by babeltrace2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/trace/ctf_metadata_read.h"
#include "ctf/write/ctf_write_tsdl.h"

static void complain(void *data, const char *message)
{
	(void)data;
	fail_msg("%s", message);
}

/* The whole metadata anew ---------------------------------------------------------------------- */

static void write_scope(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
			enum strata_ctf_scope scope, const char *name)
{
	struct strata_error error;

	if (!scopes->types[scope])
		return;
	strata_out_print(out, "\t%s := ", name);
	if (strata_ctf_write_tsdl(out, scopes, scope, 1, &error))
		fail_msg("%s", error.text);
	strata_out_print(out, ";\n");
}

static void write_events(struct strata_out_file *out, struct strata_ctf_scopes *scopes,
			 const struct strata_ctf_stream_class *stream)
{
	size_t i;

	for (i = 0; i < stream->nr_events; i++) {
		const struct strata_ctf_event_class *event = &stream->events[i];

		strata_out_print(out, "event {\n\tname = \"%s\";\n\tid = %llu;\n", event->name,
				 (unsigned long long)event->id);
		strata_out_print(out, "\tstream_id = %llu;\n", (unsigned long long)stream->id);
		scopes->types[STRATA_CTF_EVENT_CONTEXT] = event->context;
		scopes->types[STRATA_CTF_PAYLOAD] = event->payload;
		write_scope(out, scopes, STRATA_CTF_EVENT_CONTEXT, "context");
		write_scope(out, scopes, STRATA_CTF_PAYLOAD, "fields");
		strata_out_print(out, "};\n");
	}
}

static void write_metadata(const char *path, const struct strata_ctf_metadata *metadata)
{
	const char *clocks[8] = { 0 };
	struct strata_ctf_scopes scopes = { .clocks = clocks, .big_endian = true };
	struct strata_error error;
	struct strata_out_file *out = strata_out_open(path, true, &error);
	size_t i;

	assert_non_null(out);
	strata_out_print(out, "/* CTF 1.8 */\n");
	for (i = 0; i < metadata->nr_clocks; i++) {
		clocks[i] = metadata->clocks[i].name;
		strata_out_print(out, "clock { name = %s; };\n", clocks[i]);
	}
	strata_out_print(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = be;\n");
	scopes.types[STRATA_CTF_PACKET_HEADER] = metadata->packet_header;
	write_scope(out, &scopes, STRATA_CTF_PACKET_HEADER, "packet.header");
	strata_out_print(out, "};\n");
	for (i = 0; i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &metadata->streams[i];

		scopes.types[STRATA_CTF_PACKET_CONTEXT] = stream->packet_context;
		scopes.types[STRATA_CTF_EVENT_HEADER] = stream->event_header;
		scopes.types[STRATA_CTF_STREAM_EVENT_CONTEXT] = stream->event_context;
		strata_out_print(out, "stream {\n\tid = %llu;\n", (unsigned long long)stream->id);
		write_scope(out, &scopes, STRATA_CTF_PACKET_CONTEXT, "packet.context");
		write_scope(out, &scopes, STRATA_CTF_EVENT_HEADER, "event.header");
		write_scope(out, &scopes, STRATA_CTF_STREAM_EVENT_CONTEXT, "event.context");
		strata_out_print(out, "};\n");
		write_events(out, &scopes, stream);
	}
	assert_int_equal(strata_out_close(out, &error), 0);
}

/* Comparison ----------------------------------------------------------------------------------- */

static void compare_types(const struct strata_ctf_type *a, const struct strata_ctf_type *b)
{
	size_t i;

	if (!a && !b)
		return;
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->align, b->align);
	assert_int_equal(a->bits, b->bits);
	assert_int_equal(a->is_signed, b->is_signed);
	assert_int_equal(a->big_endian, b->big_endian);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->is_text, b->is_text);
	assert_int_equal(a->slot, b->slot);
	assert_int_equal(a->clock, b->clock);
	assert_true(a->length == b->length);
	assert_int_equal(a->nr_labels, b->nr_labels);
	for (i = 0; i < a->nr_labels; i++) {
		assert_string_equal(a->labels[i].name, b->labels[i].name);
		assert_true(a->labels[i].low == b->labels[i].low);
		assert_true(a->labels[i].high == b->labels[i].high);
	}
	assert_int_equal(a->nr_choices, b->nr_choices);
	assert_int_equal(a->tag_is_signed, b->tag_is_signed);
	for (i = 0; i < a->nr_choices; i++) {
		assert_true(a->choices[i].low == b->choices[i].low);
		assert_true(a->choices[i].high == b->choices[i].high);
		assert_int_equal(a->choices[i].option, b->choices[i].option);
	}
	assert_int_equal(a->nr_fields, b->nr_fields);
	for (i = 0; i < a->nr_fields; i++) {
		assert_string_equal(a->fields[i].name, b->fields[i].name);
		compare_types(a->fields[i].type, b->fields[i].type);
	}
	compare_types(a->element, b->element);
}

static void compare_metadata(const struct strata_ctf_metadata *a,
			     const struct strata_ctf_metadata *b)
{
	size_t i, j;

	compare_types(a->packet_header, b->packet_header);
	assert_int_equal(a->nr_streams, b->nr_streams);
	for (i = 0; i < a->nr_streams; i++) {
		compare_types(a->streams[i].packet_context, b->streams[i].packet_context);
		compare_types(a->streams[i].event_header, b->streams[i].event_header);
		compare_types(a->streams[i].event_context, b->streams[i].event_context);
		assert_int_equal(a->streams[i].nr_events, b->streams[i].nr_events);
		for (j = 0; j < a->streams[i].nr_events; j++) {
			compare_types(a->streams[i].events[j].context,
				      b->streams[i].events[j].context);
			compare_types(a->streams[i].events[j].payload,
				      b->streams[i].events[j].payload);
		}
	}
}

/* A directory with a text, the same written anew, and both as they were read. */
struct given {
	char dir[32];
	struct strata_ctf_metadata first, second;
};

static void read_text(struct given *given, const char *name, const char *text,
		      struct strata_ctf_metadata *metadata)
{
	struct strata_error error;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", given->dir, name);
	assert_true(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/%s/metadata", given->dir, name);
	if (text) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(text, file) >= 0);
		assert_int_equal(fclose(file), 0);
	} else {
		write_metadata(path, &given->first);
	}
	snprintf(path, sizeof(path), "%s/%s", given->dir, name);
	if (strata_ctf_metadata_load(metadata, path, complain, NULL, &error))
		fail_msg("%s", error.text);
}

static void rewrite(struct given *given, const char *text)
{
	strcpy(given->dir, "/tmp/strata-tsdl-XXXXXX");
	assert_non_null(mkdtemp(given->dir));
	read_text(given, "first", text, &given->first);
	read_text(given, "second", NULL, &given->second);
	compare_metadata(&given->first, &given->second);
}

static void remove_all(struct given *given)
{
	char command[64];

	strata_ctf_metadata_clear(&given->first);
	strata_ctf_metadata_clear(&given->second);
	snprintf(command, sizeof(command), "rm -r %s", given->dir);
	assert_int_equal(system(command), 0);
}

#define TYPES                                                                             \
	"typealias integer { size = 8; } := u8;\n"                                        \
	"typealias integer { size = 32; align = 32; signed = true; base = x; } := s32;\n" \
	"clock { name = one; }; clock { name = two; };\n"

static void all_kinds_of_types_are_written(void **state)
{
	struct given given;

	(void)state;
	rewrite(&given, TYPES
		"trace { major = 1; minor = 8; byte_order = le; packet.header := struct {"
		" integer { size = 32; } magic; u8 uuid[16]; u8 stream_id; u8 __odd; u8 _string; }; };"
		"stream { id = 3; packet.context := struct { integer { size = 64; map ="
		" clock.two.value; } timestamp_begin; u8 n; u8 list[n]; } align(64);"
		" event.header := struct { enum : integer { size = 5; align = 1; } { compact = 0 ... 30,"
		" extended = 31 } id; variant <id> { struct { integer { size = 27; align = 1; map ="
		" clock.one.value; } timestamp; } compact; struct { u8 id; integer { size = 64; map ="
		" clock.one.value; } timestamp; } extended; } v; } align(8); };"
		"event { name = a; id = 7; stream_id = 3; context := struct { s32 plain; }; fields :="
		" struct { integer { size = 13; byte_order = be; base = 8; encoding = UTF8; } i;"
		" floating_point { exp_dig = 8; mant_dig = 24; byte_order = be; align = 32; } f;"
		" floating_point { exp_dig = 11; mant_dig = 53; } d; string s; struct { } none;"
		" s32 grid[2][3]; enum : s32 { \"a \\\" b\" = -5 ... -1, ONE = 1 } e; string texts[2];"
		" u8 id; u8 _id; u8 _struct; }; };");
	remove_all(&given);
}

static void references_lead_to_the_same_fields(void **state)
{
	struct given given;

	(void)state;
	rewrite(&given, TYPES
		"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u8 a; }; };"
		"stream { packet.context := struct { u8 b; }; event.header := struct { enum : u8 { A,"
		" B } id; }; event.context := struct { u8 _d; u8 list[d]; }; };"
		"event { name = x; context := struct { u8 q; }; fields := struct { u8 k;"
		" u8 r0[trace.packet.header.a]; u8 r1[stream.packet.context.b]; u8 r2[d]; u8 r3[q];"
		" u8 r4[stream.event.header.id]; u8 r5[event.fields.k];"
		" variant <stream.event.header.id> { u8 A; u8 B; } far;"
		" struct { u8 k; u8 near[k]; u8 outer[event.fields.k]; struct { u8 k; u8 n[k]; } in;"
		" u8 deep[in.k]; } s; struct { u8 k; u8 list[k][2][k]; struct { u8 m; u8 a[k]; u8 b[m];"
		" u8 c[event.fields.s.in.k]; } in; } each[3]; }; };");
	remove_all(&given);
}

static void options_are_chosen_by_the_same_labels(void **state)
{
	struct given given;

	(void)state;
	rewrite(&given, TYPES
		"trace { major = 1; minor = 8; byte_order = be; };"
		"event { name = x; fields := struct {"
		" enum : s32 { A = -1, _B = 3 ... 9, _string, NONE, A = 12, struct = 20, C = 20 } t;"
		" variant <t> { u8 A; string _B; s32 _string; u8 _struct; u8 C; } v;"
		" struct { u8 t; variant <event.fields.t> { u8 _A; u8 B; u8 _string; u8 _struct; u8 C; }"
		" v; } hidden;"
		" struct { enum : u8 { X, _Y } t; variant <t> { u8 X; struct { enum : u8 { P, Q } u;"
		" variant <u> { u8 P; variant <t> { u8 X; u8 _Y; } Q; } w; } _Y; } v; } each[2]; }; };");
	remove_all(&given);
}

static void babeltrace2_reads_what_is_written(void **state)
{
	/* The magic number, and a context of zeroes: no events. */
	static const uint8_t packet[] = { 0xc1, 0x1f, 0xfc, 0xc1, 0, 0 };
	static const char *const names[] = { "first", "second" };
	char command[512], path[64];
	struct given given;
	size_t i;

	(void)state;
	rewrite(&given,
		"/* CTF 1.8 */ typealias integer { size = 8; } := u8;"
		"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { integer {"
		" size = 32; } magic; u8 stream_id; }; };"
		"stream { id = 0; packet.context := struct { u8 extra; }; event.header := struct { u8 id; };"
		" event.context := struct { u8 _len; }; };"
		"event { name = x; fields := struct { u8 k; u8 _list[k]; enum : u8 { A, _struct, _B ="
		" 7 ... 9 } t; variant <t> { u8 A; string _struct; u8 _B; } v; u8 far[stream.packet."
		"context.extra]; struct { u8 n; u8 list[n]; variant <t> { u8 A; u8 _struct; u8 _B; } w;"
		" u8 k[event.fields.k]; } each[2]; u8 last[stream.event.context._len]; string s;"
		" floating_point { exp_dig = 8; mant_dig = 24; } f; }; };");
	for (i = 0; i < 2; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s/stream", given.dir, names[i]);
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(packet, 1, sizeof(packet), file), sizeof(packet));
		assert_int_equal(fclose(file), 0);
	}
	/* The messages for both are the same but for their paths. */
	snprintf(
		command, sizeof(command),
		"cd %s && for i in first second; do babeltrace2 $i -c sink.text.details >$i.text || "
		"exit 1; sed -i s/$i// $i.text; done && cmp first.text second.text && "
		"grep -q 'Variant .*3 options' first.text",
		given.dir);
	assert_int_equal(system(command), 0);
	remove_all(&given);
}

static void a_reference_to_what_is_not_written_is_an_error(void **state)
{
	struct strata_ctf_scopes scopes = { .clocks = NULL };
	struct strata_ctf_metadata metadata;
	struct strata_error error;
	struct strata_out_file *out;
	const char text[] =
		"trace { major = 1; minor = 8; byte_order = le; };"
		"stream { event.header := struct { integer { size = 8; } n; }; };"
		"event { name = x; fields := struct { string s[stream.event.header.n]; }; "
		"};";

	(void)state;
	assert_int_equal(strata_ctf_metadata_parse(&metadata, "metadata", text, strlen(text),
						   complain, NULL, &error),
			 0);
	scopes.types[STRATA_CTF_PAYLOAD] = metadata.streams[0].events[0].payload;
	out = strata_out_open("/dev/null", false, &error);
	assert_non_null(out);
	assert_int_equal(strata_ctf_write_tsdl(out, &scopes, STRATA_CTF_PAYLOAD, 0, &error), -1);
	assert_non_null(strstr(error.text, "in slot 0 is not in a structure that is written"));
	assert_int_equal(strata_out_close(out, &error), 0);
	strata_ctf_metadata_clear(&metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_types_are_written),
		cmocka_unit_test(references_lead_to_the_same_fields),
		cmocka_unit_test(options_are_chosen_by_the_same_labels),
		cmocka_unit_test(babeltrace2_reads_what_is_written),
		cmocka_unit_test(a_reference_to_what_is_not_written_is_an_error),
	};

	return cmocka_run_group_tests_name("ctf_write_tsdl", tests, NULL, NULL);
}
