// SPDX-License-Identifier: GPL-2.0-or-later
/* rich_trace.c - see rich_trace.h. */
#include "rich_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bits.h"

#define PACKET_BYTES (1u << 20)

/* Its last byte is the seed: traces of one UUID are taken for parts of one. */
static uint8_t uuid[16] = { 0x5e, 0x7a, 0x11, 0x0c, 0x66, 0x7e, 0x43, 0x10,
			    0x9a, 0x51, 0x3d, 0x0e, 0x42, 0x77, 0x18, 0x30 };

static void put_aligned(struct bits *bits, uint64_t value, unsigned int nr)
{
	bits_align(bits, 8);
	bits_put(bits, value, nr);
}

static void put_chars(struct bits *bits, const char *text, size_t length)
{
	bits_align(bits, 8);
	memcpy(bits->bytes + bits->at / 8, text, length);
	bits->at += length * 8;
}

static uint64_t state;
static bool any_is_empty; /* texts may be */

static uint64_t number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers of all sizes, and the limits of 64 bits. */
static uint64_t any_number(void)
{
	const uint64_t choice = number() % 16;

	if (choice == 0)
		return 0;
	if (choice == 1)
		return UINT64_MAX;
	if (choice == 2)
		return 1ull << 63;
	return number() >> (number() % 64);
}

/* Any bytes but zero: quotes, controls, valid and invalid UTF-8. */
static size_t any_text(char *text, size_t most)
{
	static const char *const words[] = {
		"plain",    "\"'\\?",   "\a\b\f\n\r\t\v\x1b", "\x01\x1f\x7f", "\xc3\xa9",
		"\xff\xfe", "\xe2\x82", "\xf0\x9f\x98\x80",   "%s",           "</script>"
	};
	size_t used = 0, i;

	for (i = number() % 5; i > 0; i--) {
		const char *word = words[number() % (sizeof(words) / sizeof(words[0]))];
		const size_t length = strlen(word);

		if (used + length > most)
			break;
		memcpy(text + used, word, length);
		used += length;
	}
	if (used == 0 && !any_is_empty)
		text[used++] = '-';
	return used;
}

static const char metadata[] =
	"typealias integer { size = 8; align = 8; } := u8;\n"
	"typealias integer { size = 16; align = 8; } := u16;\n"
	"typealias integer { size = 32; align = 8; } := u32;\n"
	"typealias integer { size = 64; align = 8; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := letter;\n"
	"clock { name = c; freq = 1000000000; offset = 7; absolute = TRUE; };\n"
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { time timestamp_begin; time timestamp_end;\n"
	"		u64 content_size; u64 packet_size; u16 early; u64 packet_seq_num;\n"
	"		u64 events_discarded; u32 cpu_id; string note; };\n"
	"	event.header := struct { u16 id; time timestamp; };\n"
	"	event.context := struct { u32 tid; letter comm[8]; };\n"
	"};\n"
	"event { name = \"numbers:all\"; id = 0; stream_id = 0; fields := struct {\n"
	"	u8 plain; integer { size = 8; align = 8; signed = true; } small;\n"
	"	integer { size = 16; align = 8; base = 16; } hex;\n"
	"	integer { size = 20; align = 1; base = 16; signed = true; } odd_hex;\n"
	"	integer { size = 16; align = 1; base = 8; } octal;\n"
	"	integer { size = 11; align = 1; base = 8; signed = true; } odd_octal;\n"
	"	integer { size = 5; align = 1; base = 2; } five;\n"
	"	integer { size = 7; align = 1; base = 2; signed = true; } seven;\n"
	"	integer { size = 64; align = 1; } crooked;\n"
	"	u64 whole; i64 negative;\n"
	"	integer { size = 64; align = 8; base = 8; signed = true; } long_octal;\n"
	"	integer { size = 64; align = 8; base = 16; signed = true; } long_hex;\n"
	"	integer { size = 32; align = 8; byte_order = be; } big;\n"
	"	integer { size = 32; align = 8; byte_order = le; } little; }; };\n"
	"event { name = \"labels\"; id = 1; stream_id = 0; fields := struct {\n"
	"	enum : u8 { ZERO = 0, \"one or two\" = 1 ... 2, \"t\\\"wo\" = 2, MANY = 3 ... 200 } state;\n"
	"	enum : integer { size = 6; align = 1; signed = true; } { LOW = -32 ... -1, HIGH = 1 } "
	"sign;\n"
	"	enum : integer { size = 16; align = 8; base = 16; } { X = 1 } hex; }; };\n"
	"event { name = \"floats\"; id = 2; stream_id = 0; fields := struct {\n"
	"	floating_point { exp_dig = 8; mant_dig = 24; align = 8; } narrow;\n"
	"	floating_point { exp_dig = 11; mant_dig = 53; align = 8; } wide; }; };\n"
	"event { name = \"text \\\"quoted\\\"\"; id = 3; stream_id = 0; fields := struct {\n"
	"	string a; letter fixed[12]; u8 length; letter counted[length]; string last; }; };\n"
	"event { name = \"nested\"; id = 4; stream_id = 0;\n"
	"	context := struct { u16 own; };\n"
	"	fields := struct {\n"
	"	struct { u8 x; struct { u8 y; string z; } inner; } outer;\n"
	"	u16 grid[2][3]; u8 nr; struct { integer { size = 3; align = 1; } a; u16 b; } pairs[nr];\n"
	"	u8 words_nr; string words[words_nr];\n"
	"	enum : u8 { NUMBER = 0, TEXT = 1, BOTH = 2 ... 9 } tag;\n"
	"	variant <tag> { u32 NUMBER; string TEXT; struct { u8 p; u8 q; } BOTH; } choice;\n"
	"	struct { } nothing; }; };\n"
	"event { name = \"bare\"; id = 5; stream_id = 0; };\n"
	"event { name = \"empty\"; id = 6; stream_id = 0; fields := struct { }; };\n";

static void put_numbers(struct bits *bits)
{
	uint32_t value = (uint32_t)any_number();
	unsigned int i;

	put_aligned(bits, any_number(), 8);
	put_aligned(bits, any_number(), 8);
	put_aligned(bits, any_number(), 16);
	bits_put(bits, any_number(), 20);
	bits_put(bits, any_number(), 16);
	bits_put(bits, any_number(), 11);
	bits_put(bits, any_number(), 5);
	bits_put(bits, any_number(), 7);
	bits_put(bits, any_number(), 64);
	put_aligned(bits, any_number(), 64);
	put_aligned(bits, any_number(), 64);
	put_aligned(bits, any_number(), 64);
	put_aligned(bits, any_number(), 64);
	for (i = 0; i < 4; i++)
		bits->bytes[bits->at / 8 + i] = (uint8_t)(value >> (24 - 8 * i));
	for (i = 0; i < 4; i++)
		bits->bytes[bits->at / 8 + 4 + i] = (uint8_t)(value >> (8 * i));
	bits->at += 64;
}

static void put_labels(struct bits *bits)
{
	put_aligned(bits, number() % 4 ? number() % 6 : number(), 8);
	bits_put(bits, any_number(), 6);
	put_aligned(bits, number() % 3, 16);
}

static void put_floats(struct bits *bits)
{
	static const double numbers[] = { 0,     -0.0,     1.5,      -1e300,  1e-310, 0.1,
					  1e100, 123456.0, 1234567., 1.0 / 3, 1e30,   -2 };
	double wide = numbers[number() % 12];
	float narrow = (float)numbers[number() % 12];
	uint64_t wide_bits;
	uint32_t narrow_bits;

	if (number() % 16 == 0)
		wide = narrow = __builtin_inff();
	memcpy(&wide_bits, &wide, sizeof(wide));
	memcpy(&narrow_bits, &narrow, sizeof(narrow));
	if (number() % 16 == 0)
		wide_bits = number();
	put_aligned(bits, narrow_bits, 32);
	put_aligned(bits, wide_bits, 64);
}

static void put_texts(struct bits *bits)
{
	char text[64];
	size_t length = any_text(text, 63);

	put_chars(bits, text, length);
	put_aligned(bits, 0, 8);
	memset(text, 0, sizeof(text));
	any_text(text, 12);
	put_chars(bits, text, 12);
	length = any_text(text, 40);
	put_aligned(bits, length, 8);
	put_chars(bits, text, length);
	length = any_text(text, 63);
	put_chars(bits, text, length);
	put_aligned(bits, 0, 8);
}

static void put_nested(struct bits *bits)
{
	unsigned int i, nr = (unsigned int)(number() % 4);
	char text[32];

	put_aligned(bits, number(), 16);
	put_aligned(bits, number(), 8);
	put_aligned(bits, number(), 8);
	put_chars(bits, "z", 2);
	for (i = 0; i < 6; i++)
		put_aligned(bits, number(), 16);
	put_aligned(bits, nr, 8);
	for (i = 0; i < nr; i++) {
		put_aligned(bits, number(), 3);
		put_aligned(bits, number(), 16);
	}
	nr = (unsigned int)(number() % 3);
	put_aligned(bits, nr, 8);
	for (i = 0; i < nr; i++) {
		put_chars(bits, text, any_text(text, 31));
		put_aligned(bits, 0, 8);
	}
	nr = (unsigned int)(number() % 4);
	put_aligned(bits, nr, 8);
	if (nr == 0)
		put_aligned(bits, number(), 32);
	else if (nr == 1)
		put_chars(bits, "a choice", 9);
	else
		put_aligned(bits, number(), 16);
}

static void put_event(struct bits *bits, uint64_t ns)
{
	const unsigned int id = (unsigned int)(number() % 7);
	char comm[8] = { 0 };

	put_aligned(bits, id, 16);
	put_aligned(bits, ns, 64);
	put_aligned(bits, number(), 32);
	any_text(comm, 8);
	put_chars(bits, comm, 8);
	switch (id) {
	case 0:
		put_numbers(bits);
		break;
	case 1:
		put_labels(bits);
		break;
	case 2:
		put_floats(bits);
		break;
	case 3:
		put_texts(bits);
		break;
	case 4:
		put_nested(bits);
		break;
	default:
		break;
	}
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void put_metadata(const char *dir, const struct rich_trace *trace)
{
	FILE *file = create(dir, "metadata");
	unsigned int i;

	fprintf(file,
		"/* CTF 1.8 */\n"
		"trace { major = 1; minor = 8; byte_order = %s; uuid = \"",
		trace->big_endian ? "be" : "le");
	for (i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	fprintf(file,
		"\"; packet.header := struct { integer { size = 32; align = 8; } magic;\n"
		"	integer { size = 8; align = 8; } uuid[16];\n"
		"	integer { size = 32; align = 8; } stream_id; }; };\n%s%s%s%s",
		trace->env ? "env {\n" : "", trace->env ? trace->env : "", trace->env ? "};\n" : "",
		metadata);
	if (fclose(file)) {
		perror(dir);
		exit(1);
	}
}

static void put_stream(const char *dir, const struct rich_trace *trace, unsigned int cpu)
{
	struct bits bits = { .bytes = malloc(PACKET_BYTES), .big_endian = trace->big_endian };
	uint64_t begin, end, ns = trace->begin_ns;
	unsigned int packet, event;
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "stream_%u", cpu);
	file = create(dir, name);
	for (packet = 0; packet < trace->packets; packet++) {
		memset(bits.bytes, 0, PACKET_BYTES);
		bits.at = (4 + 16 + 4 + 4 * 8 + 2 + 16 + 4 + 4) * 8;
		begin = ns + 1;
		for (event = 0; event < trace->events; event++) {
			ns += 1 + number() % trace->step_ns_max;
			put_event(&bits, ns);
		}
		end = bits.at;
		bits.at = 0;
		bits_put(&bits, 0xc1fc1fc1u, 32);
		put_chars(&bits, (const char *)uuid, 16);
		bits_put(&bits, 0, 32);
		bits_put(&bits, begin, 64);
		bits_put(&bits, ns, 64);
		bits_put(&bits, end, 64);
		bits_put(&bits, (end + 7) / 8 * 8, 64);
		bits_put(&bits, 77 + packet, 16);
		bits_put(&bits, packet + (trace->is_lossy && packet >= 2 ? 4 : 0), 64);
		bits_put(&bits, trace->is_lossy ? 3 + 5 * packet : 0, 64);
		bits_put(&bits, cpu, 32);
		put_chars(&bits, packet % 2 ? "n\"1" : "n\n2", 4);
		if (fwrite(bits.bytes, (end + 7) / 8, 1, file) != 1) {
			perror(dir);
			exit(1);
		}
	}
	free(bits.bytes);
	if (fclose(file)) {
		perror(dir);
		exit(1);
	}
}

void rich_trace_write(const char *dir, const struct rich_trace *trace)
{
	unsigned int i;

	mkdir(dir, 0755);
	state = trace->seed * 2 + 1;
	any_is_empty = trace->empty_texts;
	uuid[15] = (uint8_t)trace->seed;
	put_metadata(dir, trace);
	for (i = 0; i < trace->streams; i++)
		put_stream(dir, trace, i);
}
