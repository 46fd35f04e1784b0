// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl.c - see tsdl.h.  Called by ctf_metadata.c (raw traces) and outputs/ctf.c
 * (the merged one).
 *
 * Every integer is aligned to its size but to no more than 32 bits, as event.h
 * lays fields out.
 */
#include "ctf/write/tsdl.h"

#include "base/escape.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "le"
#else
#define BYTE_ORDER_NAME "be"
#endif

/* Where what can stand in a literal as it is ends. */
static const char *end_of_plain(const char *text)
{
	while ((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f && *text != '"' &&
	       *text != '\\')
		text++;
	return text;
}

void strata_tsdl_string(struct strata_out_file *out, const char *text)
{
	strata_out_text(out, "\"");
	while (*text) {
		const char *end = end_of_plain(text);
		const unsigned char c = (unsigned char)*end;

		if (end > text)
			strata_out_print(out, "%.*s", (int)(end - text), text);
		if (!c)
			break;
		/* Octal: unlike \x it ends after three digits, whatever follows. */
		strata_out_print(out, c == '"' || c == '\\' ? "\\%c" : "\\%03o", c);
		text = end + 1;
	}
	strata_out_text(out, "\"");
}

void strata_tsdl_begin(struct strata_out_file *out, const uint8_t uuid[16])
{
	char text[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(text, uuid);
	strata_out_print(
		out,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n"
		"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 32; signed = false; } := uint64_t;\n\n");
	strata_out_print(out,
			 "trace {\n"
			 "\tmajor = 1;\n"
			 "\tminor = 8;\n"
			 "\tuuid = \"%s\";\n"
			 "\tbyte_order = " BYTE_ORDER_NAME ";\n"
			 "\tpacket.header := struct {\n"
			 "\t\tuint32_t magic;\n"
			 "\t\tuint8_t uuid[16];\n"
			 "\t\tuint32_t stream_id;\n"
			 "\t};\n"
			 "};\n\n",
			 text);
}

void strata_tsdl_clock(struct strata_out_file *out, const struct strata_tsdl_clock *clock)
{
	char uuid[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(uuid, clock->uuid);
	strata_out_print(out, "clock {\n\tname = ticks;\n\tuuid = \"%s\";\n\tdescription = ", uuid);
	strata_tsdl_string(out, clock->description);
	strata_out_print(out,
			 ";\n"
			 "\tfreq = %llu;\n"
			 "\tprecision = %llu;\n"
			 "\toffset_s = %lld;\n"
			 "\toffset = %llu;\n"
			 "\tabsolute = TRUE;\n"
			 "};\n\n"
			 "typealias integer { size = 64; align = 32; signed = false; "
			 "map = clock.ticks.value; } := ticks_t;\n\n",
			 (unsigned long long)clock->frequency, (unsigned long long)clock->precision,
			 (long long)clock->offset_seconds, (unsigned long long)clock->offset);
}

static void print_field(struct strata_out_file *out, const struct strata_field_desc *field)
{
	unsigned int bits = field->bytes * 8u;
	const char *more = "";

	if (field->kind == STRATA_FIELD_STRING) {
		strata_out_print(out, "\t\tstring { encoding = UTF8; } _%s;\n", field->name);
		return;
	}
	if (field->count == 0)
		strata_out_print(out, "\t\tuint32_t __%s_length;\n", field->name);
	if (field->kind == STRATA_FIELD_HEX)
		more = " base = 16;";
	if (field->kind == STRATA_FIELD_TEXT)
		more = " encoding = UTF8;";
	if (field->kind == STRATA_FIELD_FLOAT)
		strata_out_print(
			out, "\t\tfloating_point { exp_dig = %u; mant_dig = %u; align = 32; } _%s",
			bits > 32 ? 11 : 8, bits > 32 ? 53 : 24, field->name);
	else
		strata_out_print(out, "\t\tinteger { size = %u; align = %u; signed = %s;%s } _%s",
				 bits, bits > 32 ? 32 : bits,
				 field->kind == STRATA_FIELD_SIGNED ? "true" : "false", more,
				 field->name);
	/* A text is an array even if it has one byte: readers show it as a string. */
	if (field->count == 0)
		strata_out_print(out, "[__%s_length]", field->name);
	else if (field->count > 1 || field->kind == STRATA_FIELD_TEXT)
		strata_out_print(out, "[%u]", field->count);
	strata_out_print(out, ";\n");
}

void strata_tsdl_fields(struct strata_out_file *out, const struct strata_event_desc *event)
{
	unsigned int i;

	for (i = 0; i < event->nr_fields; i++)
		print_field(out, &event->fields[i]);
}
