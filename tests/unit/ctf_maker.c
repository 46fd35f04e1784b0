// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_maker.c - see ctf_maker.h. */
#include "ctf_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const uint8_t maker_uuid[16] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
				 0x0f, 0xed, 0xcb, 0xa9, 0x87, 0x65, 0x43, 0x21 };

const char maker_metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := u8;\n"
	"typealias integer { size = 16; align = 8; } := u16;\n"
	"typealias integer { size = 32; align = 8; } := u32;\n"
	"typealias integer { size = 64; align = 8; } := u64;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := text;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	uuid = \"12345678-9abc-def0-0fed-cba987654321\";\n"
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"clock { name = c; freq = 1000000000; absolute = TRUE; };\n"
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
	"stream { id = 0; packet.context := struct { time timestamp_begin; time timestamp_end;\n"
	"	u64 content_size; u64 packet_size; u64 packet_seq_num; u64 events_discarded;\n"
	"	u32 cpu_id; };\n";

/* One bit after the other: slow, and hard to get wrong. */
static void put_bit(struct bits *bits, unsigned int bit)
{
	const size_t byte = bits->at / 8;
	const unsigned int place = bits->at % 8;

	if (byte >= bits->room) {
		const size_t room = byte * 2 + 64;

		bits->bytes = realloc(bits->bytes, room);
		assert_non_null(bits->bytes);
		memset(bits->bytes + bits->room, 0, room - bits->room);
		bits->room = room;
	}
	if (bit)
		bits->bytes[byte] |= (uint8_t)(bits->big_endian ? 0x80u >> place : 1u << place);
	bits->at++;
}

void bits_put(struct bits *bits, uint64_t value, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_bit(bits, value >> (bits->big_endian ? nr - 1 - i : i) & 1);
}

void bits_align(struct bits *bits, uint64_t align)
{
	while ((bits->at - bits->origin) % align)
		put_bit(bits, 0);
}

void bits_put_aligned(struct bits *bits, uint64_t value, unsigned int nr, uint64_t align)
{
	bits_align(bits, align);
	bits_put(bits, value, nr);
}

void bits_put_bytes(struct bits *bits, const void *bytes, size_t nr)
{
	const uint8_t *at = bytes;

	bits_align(bits, 8);
	while (nr--)
		bits_put(bits, *at++, 8);
}

void bits_set_u64(struct bits *bits, size_t at, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		bits->bytes[at + i] = (uint8_t)(value >> 8 * (bits->big_endian ? 7 - i : i));
}

void bits_set_u32(struct bits *bits, size_t at, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		bits->bytes[at + i] = (uint8_t)(value >> 8 * (bits->big_endian ? 3 - i : i));
}

size_t bits_bytes(const struct bits *bits)
{
	return (bits->at + 7) / 8;
}

void bits_clear(struct bits *bits)
{
	free(bits->bytes);
	memset(bits, 0, sizeof(*bits));
}

void complaints_hear(void *data, const char *message)
{
	struct complaints *complaints = data;
	const size_t used = strlen(complaints->all);

	complaints->nr++;
	snprintf(complaints->all + used, sizeof(complaints->all) - used, "%s\n", message);
}

void trace_dir_make(struct trace_dir *dir)
{
	strcpy(dir->path, "/tmp/strata-ctf-XXXXXX");
	assert_non_null(mkdtemp(dir->path));
}

void trace_dir_put(const struct trace_dir *dir, const char *name, const void *bytes, size_t nr)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(nr ? fwrite(bytes, 1, nr, file) : 0, nr);
	assert_int_equal(fclose(file), 0);
}

void trace_dir_put_text(const struct trace_dir *dir, const char *name, const char *text)
{
	trace_dir_put(dir, name, text, strlen(text));
}

void trace_dir_remove(const struct trace_dir *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir->path);
	assert_int_equal(system(command), 0);
}

void maker_begin_packet(struct bits *bits, uint64_t begin, uint64_t sequence, uint32_t cpu)
{
	bits_align(bits, 8);
	bits->origin = bits->at;
	bits_put(bits, 0xc1fc1fc1u, 32);
	bits_put_bytes(bits, maker_uuid, sizeof(maker_uuid));
	bits_put(bits, 0, 32);
	bits_put(bits, begin, 64);
	bits_put(bits, 0, 64);
	bits_put(bits, 0, 64);
	bits_put(bits, 0, 64);
	bits_put(bits, sequence, 64);
	bits_put(bits, 0, 64);
	bits_put(bits, cpu, 32);
}

size_t maker_end_packet(struct bits *bits, uint64_t end, size_t size)
{
	const size_t from = (size_t)(bits->origin / 8);
	const uint64_t content = bits->at - bits->origin;

	bits_align(bits, 8);
	while (bits_bytes(bits) - from < size)
		bits_put(bits, 0, 8);
	bits_set_u64(bits, from + MAKER_AT_END, end);
	bits_set_u64(bits, from + MAKER_AT_CONTENT, content);
	bits_set_u64(bits, from + MAKER_AT_SIZE, bits->at - bits->origin);
	return from;
}

uint64_t maker_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}
