/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_streams.h - writes the packets of CTF 1.8 streams for benchmarks (make_ctf.c, make_host.c).
 * Events begin with their id (32 bits) and time (64 bits); nothing is aligned to more than a byte.
 */
#ifndef STRATA_BENCH_CTF_STREAMS_H
#define STRATA_BENCH_CTF_STREAMS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PACKET_BYTES 262144u
#define BEGIN_NS     1700000000000000000ull

struct __attribute__((packed)) packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t begin, end, content_bits, packet_bits, sequence, discarded;
	uint32_t cpu;
};

struct stream {
	FILE *file;
	uint8_t *bytes;
	size_t used;
	uint64_t sequence, begin, end;
	uint32_t cpu;
};

static const uint8_t trace_uuid[16] = { 0x5e, 0x7a, 0x11, 0x0c, 0x66, 0x7e, 0x43, 0x10,
					0x9a, 0x51, 0x3d, 0x0e, 0x42, 0x77, 0x18, 0x29 };

/* What stands in metadata before the classes of events. @env, @event_context: of the language TSDL;
 * "": none */
static inline FILE *metadata_begin(const char *dir, const char *env, const char *event_context)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	if ((mkdir(dir, 0755) && errno != EEXIST) || !(file = fopen(path, "w"))) {
		perror(path);
		exit(1);
	}
	fprintf(file,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
		"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
		"typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
		"typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
		"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char8;\n"
		"trace { major = 1; minor = 8; byte_order = le;\n"
		"	uuid = \"5e7a110c-667e-4310-9a51-3d0e42771829\";\n"
		"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
		"%s"
		"clock { name = monotonic; uuid = \"432e3636-82c9-0cb6-aa77-aa1337413ba4\";\n"
		"	freq = 1000000000; offset_s = 0; offset = 0; absolute = TRUE; };\n"
		"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
		":= time;\n"
		"stream { id = 0;\n"
		"	packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size;\n"
		"		u64 packet_size; u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };\n"
		"	event.header := struct { u32 id; time timestamp; };%s };\n",
		env, event_context);
	return file;
}

/* One class of events more. @fields: of TSDL */
static inline void metadata_class(FILE *file, unsigned int id, const char *name, const char *fields)
{
	fprintf(file,
		"event { name = \"%s\"; id = %u; stream_id = 0; fields := struct { %s }; };\n",
		name, id, fields);
}

static inline void metadata_end(FILE *file)
{
	if (fclose(file)) {
		perror("metadata");
		exit(1);
	}
}

/* Opens DIR/channel_CPU. */
static inline void stream_open(struct stream *stream, const char *dir, uint32_t cpu)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/channel_%u", dir, cpu);
	*stream = (struct stream){ .used = sizeof(struct packet_header), .cpu = cpu };
	stream->file = fopen(path, "w");
	stream->bytes = malloc(PACKET_BYTES);
	if (!stream->file || !stream->bytes) {
		perror(path);
		exit(1);
	}
}

static inline void put_packet(struct stream *stream)
{
	struct packet_header header = { .magic = 0xc1fc1fc1u };

	memcpy(header.uuid, trace_uuid, 16);
	header.begin = stream->begin;
	header.end = stream->end;
	header.content_bits = stream->used * 8;
	header.packet_bits = PACKET_BYTES * 8;
	header.sequence = stream->sequence++;
	header.cpu = stream->cpu;
	memcpy(stream->bytes, &header, sizeof(header));
	memset(stream->bytes + stream->used, 0, PACKET_BYTES - stream->used);
	if (fwrite(stream->bytes, PACKET_BYTES, 1, stream->file) != 1) {
		perror("write");
		exit(1);
	}
	stream->used = sizeof(header);
}

/* @fields: of the event, behind its id and time, as they lie in memory */
static inline void put_event(struct stream *stream, uint32_t id, uint64_t ns, const void *fields,
			     size_t bytes)
{
	if (stream->used + sizeof(id) + sizeof(ns) + bytes > PACKET_BYTES)
		put_packet(stream);
	if (stream->used == sizeof(struct packet_header))
		stream->begin = ns;
	stream->end = ns;
	memcpy(stream->bytes + stream->used, &id, sizeof(id));
	memcpy(stream->bytes + stream->used + sizeof(id), &ns, sizeof(ns));
	stream->used += sizeof(id) + sizeof(ns);
	memcpy(stream->bytes + stream->used, fields, bytes);
	stream->used += bytes;
}

static inline void stream_close(struct stream *stream)
{
	if (stream->used > sizeof(struct packet_header))
		put_packet(stream);
	if (fclose(stream->file)) {
		perror("close");
		exit(1);
	}
	free(stream->bytes);
}

static inline uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif /* STRATA_BENCH_CTF_STREAMS_H */
