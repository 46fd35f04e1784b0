// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_metadata_peer.c - metadata as babeltrace2 understands it: what Strata's
 * reader makes of a text, described in the words of babeltrace2's component
 * sink.text.details, is the same to the letter: names, sizes, labels, options, and the
 * path of each field that a length or tag is taken from.
 *
 * Left out is what babeltrace2 2.0 cannot do, and Strata can: a path without a scope
 * into another scope, names with an underscore more or less, sequences in contexts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctf/trace/ctf_metadata_read.h"

#define SCOPES 4

/* The scopes that babeltrace2 shows, of one event. */
struct scopes {
	const struct strata_ctf_type *types[SCOPES];
};

static const char *const scope_names[SCOPES] = {
	"Packet context",
	"Event common context",
	"Event specific context",
	"Event payload",
};

/* In babeltrace2's words ---------------------------------------------------------------------- */

/* Prints the way down to the integer of a slot; false: it is not in here. */
static bool find_slot(const struct strata_ctf_type *type, int slot, char *path)
{
	char *end = path + strlen(path);
	size_t i;

	if (!type)
		return false;
	if (type->kind == STRATA_CTF_INTEGER || type->kind == STRATA_CTF_ENUM)
		return type->slot == slot;
	if (type->element) {
		strcat(path, ", <current>");
		if (find_slot(type->element, slot, path))
			return true;
	}
	for (i = 0; i < type->nr_fields; i++) {
		sprintf(end, ", %zu", i);
		if (find_slot(type->fields[i].type, slot, path))
			return true;
	}
	*end = '\0';
	return false;
}

static void describe_path(FILE *out, const struct scopes *scopes, int slot)
{
	size_t i;

	for (i = 0; i < SCOPES; i++) {
		char path[256] = "";

		if (find_slot(scopes->types[i], slot, path)) {
			fprintf(out, "[%s: %s]", scope_names[i], path + 2);
			return;
		}
	}
	fail_msg("slot %d is nowhere", slot);
}

static void describe_range(FILE *out, bool is_signed, uint64_t low, uint64_t high)
{
	if (is_signed)
		fprintf(out, " [%lld", (long long)low);
	else
		fprintf(out, " [%llu", (unsigned long long)low);
	if (low != high && is_signed)
		fprintf(out, ", %lld", (long long)high);
	else if (low != high)
		fprintf(out, ", %llu", (unsigned long long)high);
	fprintf(out, "]");
}

static void describe(FILE *out, const struct scopes *scopes, const struct strata_ctf_type *type,
		     int indent);

static void describe_enum(FILE *out, const struct strata_ctf_type *type, int indent)
{
	size_t i, j, nr = 0;

	for (i = 0; i < type->nr_labels; i++) {
		for (j = 0; j < i && strcmp(type->labels[i].name, type->labels[j].name) != 0; j++)
			;
		nr += i == j;
	}
	fprintf(out, "%s enumeration (%u-bit, Base %u, %zu mapping%s):\n",
		type->is_signed ? "Signed" : "Unsigned", type->bits, type->base, nr,
		nr == 1 ? "" : "s");
	for (i = 0; i < type->nr_labels; i++) {
		for (j = 0; j < i && strcmp(type->labels[i].name, type->labels[j].name) != 0; j++)
			;
		if (j < i)
			continue;
		fprintf(out, "%*s%s:", indent, "", type->labels[i].name);
		for (; j < type->nr_labels; j++)
			if (strcmp(type->labels[i].name, type->labels[j].name) == 0)
				describe_range(out, type->is_signed, type->labels[j].low,
					       type->labels[j].high);
		fprintf(out, "\n");
	}
}

static void describe_variant(FILE *out, const struct scopes *scopes,
			     const struct strata_ctf_type *type, int indent)
{
	size_t i, j;

	fprintf(out, "Variant (%s integer selector) (%zu options, Selector field path ",
		type->tag_is_signed ? "signed" : "unsigned", type->nr_fields);
	describe_path(out, scopes, type->slot);
	fprintf(out, "):\n");
	for (i = 0; i < type->nr_fields; i++) {
		fprintf(out, "%*s%s:", indent, "", type->fields[i].name);
		for (j = 0; j < type->nr_choices; j++)
			if (type->choices[j].option == i)
				describe_range(out, type->tag_is_signed, type->choices[j].low,
					       type->choices[j].high);
		fprintf(out, ": ");
		describe(out, scopes, type->fields[i].type, indent + 2);
	}
}

static void describe_struct(FILE *out, const struct scopes *scopes,
			    const struct strata_ctf_type *type, int indent)
{
	size_t i;

	fprintf(out, "Structure (%zu member%s)%s\n", type->nr_fields,
		type->nr_fields == 1 ? "" : "s", type->nr_fields ? ":" : "");
	for (i = 0; i < type->nr_fields; i++) {
		fprintf(out, "%*s%s: ", indent, "", type->fields[i].name);
		describe(out, scopes, type->fields[i].type, indent + 2);
	}
}

/* The rest of a line that names a field, and lines for its members. */
static void describe(FILE *out, const struct scopes *scopes, const struct strata_ctf_type *type,
		     int indent)
{
	if (type->element && type->element->is_text && type->element->bits == 8) {
		fprintf(out, "String\n");
		return;
	}
	switch (type->kind) {
	case STRATA_CTF_INTEGER:
		fprintf(out, "%s integer (%u-bit, Base %u)\n",
			type->is_signed ? "Signed" : "Unsigned", type->bits, type->base);
		break;
	case STRATA_CTF_ENUM:
		describe_enum(out, type, indent);
		break;
	case STRATA_CTF_FLOAT:
		fprintf(out, "%s-precision real\n", type->bits == 32 ? "Single" : "Double");
		break;
	case STRATA_CTF_STRING:
		fprintf(out, "String\n");
		break;
	case STRATA_CTF_STRUCT:
		describe_struct(out, scopes, type, indent);
		break;
	case STRATA_CTF_VARIANT:
		describe_variant(out, scopes, type, indent);
		break;
	case STRATA_CTF_ARRAY:
		fprintf(out, "Static array (Length %llu):\n%*sElement: ",
			(unsigned long long)type->length, indent, "");
		describe(out, scopes, type->element, indent + 2);
		break;
	case STRATA_CTF_SEQUENCE:
		fprintf(out, "Dynamic array (with length field) (Length field path ");
		describe_path(out, scopes, type->slot);
		fprintf(out, "):\n%*sElement: ", indent, "");
		describe(out, scopes, type->element, indent + 2);
		break;
	case STRATA_CTF_VARINT:
	case STRATA_CTF_OPTIONAL:
		fail_msg("CTF 1.8 has no such type");
		break;
	}
}

static void describe_scope(FILE *out, const struct scopes *scopes, const char *name,
			   const struct strata_ctf_type *type, int indent)
{
	if (!type)
		return;
	fprintf(out, "%*s%s field class: ", indent - 2, "", name);
	describe(out, scopes, type, indent);
}

static void describe_stream(FILE *out, const struct strata_ctf_stream_class *stream)
{
	struct scopes scopes = { { stream->packet_context, stream->event_context } };
	size_t i;

	describe_scope(out, &scopes, "Packet context", stream->packet_context, 6);
	describe_scope(out, &scopes, "Event common context", stream->event_context, 6);
	for (i = 0; i < stream->nr_events; i++) {
		const struct strata_ctf_event_class *event = &stream->events[i];

		scopes.types[2] = event->context;
		scopes.types[3] = event->payload;
		fprintf(out, "    Event class `%s` (ID %llu):\n", event->name,
			(unsigned long long)event->id);
		describe_scope(out, &scopes, "Specific context", event->context, 8);
		describe_scope(out, &scopes, "Payload", event->payload, 8);
	}
}

/* babeltrace2 itself -------------------------------------------------------------------------- */

/* The peer's description of the stream class of a trace with one empty packet. */
static void ask_babeltrace2(const char *dir, char *said, size_t size)
{
	char command[512], *start, *end;
	size_t length;
	FILE *pipe;

	snprintf(command, sizeof(command), "babeltrace2 %s -c sink.text.details 2>&1", dir);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	length = fread(said, 1, size - 1, pipe);
	said[length] = '\0';
	if (pclose(pipe) != 0)
		fail_msg("%s", said);
	/* From the first scope of it to the empty line. */
	end = strstr(said, "\n\n");
	assert_non_null(end);
	end[1] = '\0';
	start = strstr(said, "    Packet context field class");
	if (!start)
		start = strstr(said, "    Event common context");
	if (!start)
		start = strstr(said, "    Event class");
	assert_non_null(start);
	memmove(said, start, strlen(start) + 1);
}

static void write_file(const char *dir, const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void complain(void *data, const char *message)
{
	(void)data;
	fail_msg("%s", message);
}

/* Both read the text; they have to agree. */
static void compare(const char *declarations)
{
	/* The magic number, and a context of zeroes where there is one: no events. */
	static const uint8_t packet[] = { 0xc1, 0x1f, 0xfc, 0xc1, 0, 0, 0 };
	static char text[16384], said[65536], expected[65536];
	char dir[] = "/tmp/strata-peer-XXXXXX", command[64];
	struct strata_ctf_metadata metadata;
	struct strata_error error;
	FILE *out;

	snprintf(text, sizeof(text),
		 "/* CTF 1.8 */\n"
		 "typealias integer { size = 8; } := u8;\n"
		 "typealias integer { size = 32; align = 32; signed = true; base = x; } := s32;\n"
		 "trace { major = 1; minor = 8; byte_order = le;"
		 " packet.header := struct { integer { size = 32; } magic; }; };\n%s",
		 declarations);
	assert_non_null(mkdtemp(dir));
	write_file(dir, "metadata", text, strlen(text));
	write_file(dir, "stream", packet,
		   strstr(declarations, "packet.context") ? sizeof(packet) : 4);
	ask_babeltrace2(dir, said, sizeof(said));

	if (strata_ctf_metadata_load(&metadata, dir, complain, NULL, &error))
		fail_msg("%s", error.text);
	out = fmemopen(expected, sizeof(expected), "w");
	assert_non_null(out);
	describe_stream(out, &metadata.streams[0]);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(expected, said);

	strata_ctf_metadata_clear(&metadata);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

#define STREAM                                                                        \
	"stream { packet.context := struct { integer { size = 16; } extra; u8 _n; };" \
	" event.context := struct { u8 d; s32 __thread; };"                           \
	" event.header := struct { u8 id; }; };\n"

static void babeltrace2_sees_the_same_numbers_and_texts(void **state)
{
	(void)state;
	compare("event { name = \"x y\"; id = 0; fields := struct {"
		" u8 a; s32 b; integer { size = 13; base = o; } c; integer { size = 64; base = b;"
		" byte_order = be; signed = 1; } d; floating_point { exp_dig = 8; mant_dig = 24; }"
		" e; floating_point { exp_dig = 11; mant_dig = 53; align = 64; } f; string g;"
		" string { encoding = ASCII; } h; integer { size = 8; encoding = UTF8; } i[5];"
		" integer { size = 8; encoding = ASCII; } j[a]; u8 k[3]; u8 _struct; u8 __x;"
		" integer { size = 8; encoding = UTF8; } l; } align(128); };");
}

static void babeltrace2_sees_the_same_labels_and_options(void **state)
{
	(void)state;
	compare("typealias integer { size = 12; } := int;"
		"enum named { NONE, SOME = 7, \"one more\" };"
		"variant any { u8 A; floating_point { exp_dig = 11; mant_dig = 53; } B; };"
		"event { name = x; id = 0; fields := struct { enum named n;"
		" enum : s32 { A = -5 ... -1, B, A = 3, _C = 9 ... 12 } t;"
		" variant <t> { string A; struct { } B; s32 _C; } v;"
		" enum : u8 { A, B = 0x80 ... 0xff } u; variant any <u> w[2];"
		" struct { variant any <u> in; variant <t> { variant any <u> A; u8 B; u8 _C; } w; }"
		" s; enum named : u8 { OTHER } m; }; };");
}

static void babeltrace2_follows_the_same_references(void **state)
{
	(void)state;
	compare(STREAM
		"event { name = x; id = 5; context := struct { u8 q; }; fields := struct {"
		" struct { } e; u8 _k; struct { u8 n; u8 a[n]; u8 b[_k]; u8 c[_k];"
		" u8 d[stream.packet.context._n]; u8 e[event.context.q];"
		" u8 f[stream.event.context.d]; u8 g[event.fields._k]; struct { u8 n; u8 h[n]; } i; }"
		" x[3]; u8 grid[2][_k][3]; struct { struct { u8 len; u8 own[event.fields.deep.in.len]; } in; } deep; s32 y[deep.in.len];"
		" }; };"
		"event { name = y; id = 6; fields := struct { u8 a[stream.event.context.d]; }; };");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(babeltrace2_sees_the_same_numbers_and_texts),
		cmocka_unit_test(babeltrace2_sees_the_same_labels_and_options),
		cmocka_unit_test(babeltrace2_follows_the_same_references),
	};

	return cmocka_run_group_tests_name("ctf_metadata_peer", tests, NULL, NULL);
}
