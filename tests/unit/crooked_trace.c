// SPDX-License-Identifier: GPL-2.0-or-later
/* crooked_trace.c - see crooked_trace.h. */
#include "crooked_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bits.h"

#define PACKET_BYTES (1u << 22)

static const char metadata[] =
	"	packet.header := struct { integer { size = 32; align = 8; } magic; u8 stream_id; }; };\n"
	"clock { name = c; freq = 1000000000; absolute = TRUE; };\n"
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
	"stream { id = 9;\n"
	"	packet.context := struct { time timestamp_begin; time timestamp_end;\n"
	"		u64 content_size; u64 packet_size; u64 packet_seq_num; u64 events_discarded;\n"
	"		integer { size = 12; align = 1; } count; string note; };\n"
	"	event.header := struct { integer { size = 5; align = 1; } id;\n"
	"		integer { size = 64; align = 1; map = clock.c.value; } timestamp; };\n"
	"};\n"
	"event { name = bits; id = 0; stream_id = 9; fields := struct {\n"
	"	integer { size = 3; align = 1; } a; integer { size = 13; align = 1; signed = true; } b; }; };\n"
	"event { name = wide; id = 1; stream_id = 9; loglevel = 6;\n"
	"	context := struct { integer { size = 8; align = 1; } near; };\n"
	"	fields := struct { integer { size = 64; align = 64; } far; u8 x; }; };\n"
	"event { name = choice; id = 2; stream_id = 9; fields := struct {\n"
	"	enum : u8 { WIDE = 0, NARROW = 1 } tag;\n"
	"	variant <tag> { integer { size = 64; align = 64; } WIDE; u8 NARROW; } v; }; };\n"
	"event { name = counted; id = 3; stream_id = 9; fields := struct {\n"
	"	u8 list[stream.packet.context.count]; }; };\n"
	"event { name = bare; id = 4; stream_id = 9; };\n";

static const char by_header[] =
	"event { name = by_header; id = 5; stream_id = 9; fields := struct {\n"
	"	u8 list[stream.event.header.id]; }; };\n"
	"event { name = far; id = 30; stream_id = 9; };\n";

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

static void done(FILE *file, const char *dir)
{
	if (fclose(file)) {
		perror(dir);
		exit(1);
	}
}

/* Writes an event of each kind in turn; its number decides its content. */
static void put_event(struct bits *bits, const struct crooked_trace *trace, unsigned int number,
		      unsigned int count, uint64_t ns)
{
	const uint64_t value = (number + 1) * 0x9e3779b97f4a7c15ull;
	const unsigned int id = number % (trace->uses_header ? 6 : 5);
	unsigned int i;

	bits_put(bits, id, 5);
	bits_put(bits, ns, 64);
	if (id == 0) {
		bits_put(bits, value, 3);
		bits_put(bits, value >> 3, 13);
	} else if (id == 1) {
		bits_put(bits, value, 8);
		bits_align(bits, 64);
		bits_put(bits, value, 64);
		bits_put(bits, value >> 8, 8);
	} else if (id == 2) {
		bits_align(bits, 8);
		bits_put(bits, value & 1, 8);
		bits_align(bits, value & 1 ? 8 : 64);
		bits_put(bits, value, value & 1 ? 8 : 64);
	} else if (id == 3 || id == 5) {
		bits_align(bits, 8);
		for (i = 0; i < (id == 5 ? id : count); i++)
			bits_put(bits, value >> i, 8);
	}
}

static void put_packet(FILE *file, const struct crooked_trace *trace, unsigned int packet,
		       uint64_t *ns, const char *dir)
{
	struct bits bits = { .bytes = calloc(PACKET_BYTES, 1), .big_endian = trace->big_endian };
	const unsigned int lost = trace->is_lossy ? packet / 2 * 5 : 0;
	const unsigned int gap = trace->is_lossy && packet > 2 ? 3 : 0;
	const uint64_t begin = *ns;
	unsigned int event;
	uint64_t end;

	bits.at = (5 + 6 * 8) * 8 + 12 + 4 + 3 * 8;
	for (event = 0; event < trace->events; event++) {
		*ns += event % 7 ? 1000 : 0;
		put_event(&bits, trace, event, packet % 3, *ns);
	}
	end = bits.at;
	bits.at = 0;
	bits_put(&bits, 0xc1fc1fc1u, 32);
	bits_put(&bits, 9, 8);
	bits_put(&bits, begin, 64);
	bits_put(&bits, *ns, 64);
	bits_put(&bits, end, 64);
	bits_put(&bits, (end + 7) / 8 * 8, 64);
	bits_put(&bits, packet + gap, 64);
	bits_put(&bits, lost, 64);
	bits_put(&bits, packet % 3, 12);
	bits_align(&bits, 8);
	bits_put(&bits, 'n', 8);
	bits_put(&bits, '0' + packet % 3, 8);
	if (fwrite(bits.bytes, (end + 7) / 8, 1, file) != 1) {
		perror(dir);
		exit(1);
	}
	free(bits.bytes);
}

void crooked_trace_write(const char *dir, const struct crooked_trace *trace)
{
	uint64_t ns = trace->begin_ns;
	unsigned int packet;
	FILE *file;

	mkdir(dir, 0755);
	file = create(dir, "metadata");
	fprintf(file,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; } := u8;\n"
		"typealias integer { size = 64; align = 8; } := u64;\n"
		"trace { major = 1; minor = 8; byte_order = %s;\n%s%s",
		trace->big_endian ? "be" : "le", metadata, trace->uses_header ? by_header : "");
	done(file, dir);
	file = create(dir, "stream");
	for (packet = 0; packet < trace->packets; packet++)
		put_packet(file, trace, packet, &ns, dir);
	done(file, dir);
}
