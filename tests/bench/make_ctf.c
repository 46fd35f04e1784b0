// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_ctf DIR STREAMS EVENTS BURST - writes a CTF 1.8 trace for benchmarks: EVENTS
 * events of 40 bytes over STREAMS streams, in bursts of BURST events on average (1:
 * each event's stream is random).  No two events have the same time.
 *
 * tests/bench/merge.sh starts it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PACKET_BYTES 262144u
#define BEGIN_NS     1700000000000000000ull

struct __attribute__((packed)) header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t begin, end, content_bits, packet_bits, sequence, discarded;
	uint32_t cpu;
};

struct __attribute__((packed)) event {
	uint32_t id;
	uint64_t ns;
	uint64_t address;
	uint32_t length;
	int32_t result;
	uint16_t flags;
	uint8_t kind;
	uint8_t text[9];
};

struct stream {
	FILE *file;
	uint8_t *bytes;
	size_t used;
	uint64_t sequence, begin, end;
	uint32_t cpu;
};

static const uint8_t uuid[16] = { 0x5e, 0x7a, 0x11, 0x0c, 0x66, 0x7e, 0x43, 0x10,
				  0x9a, 0x51, 0x3d, 0x0e, 0x42, 0x77, 0x18, 0x29 };

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	uuid = \"5e7a110c-667e-4310-9a51-3d0e42771829\";\n"
	"	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"clock { name = monotonic; freq = 1000000000; offset_s = 0; offset = 0; absolute = TRUE; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
	":= time;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size;\n"
	"		u64 packet_size; u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };\n"
	"	event.header := struct { u32 id; time timestamp; }; };\n";

static void put_metadata(const char *dir)
{
	char path[4096];
	FILE *file;
	int id;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	fputs(metadata, file);
	for (id = 0; id < 4; id++)
		fprintf(file,
			"event { name = \"io_%d\"; id = %d; stream_id = 0; fields := struct { u64 "
			"address; u32 length; i32 result; u16 flags; u8 kind; integer { size = 8; "
			"align = 8; signed = false; encoding = UTF8; } text[9]; }; };\n",
			id, id);
	if (fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void put_packet(struct stream *stream)
{
	struct header header = { .magic = 0xc1fc1fc1u };

	memcpy(header.uuid, uuid, 16);
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

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void put_event(struct stream *stream, uint64_t ns)
{
	const uint64_t noise = random_number();
	struct event event = { .id = noise % 4,
			       .ns = ns,
			       .address = noise * 8,
			       .length = (uint32_t)(noise % 4096),
			       .result = (int32_t)(noise >> 50) - 99,
			       .flags = (uint16_t)(noise >> 20),
			       .kind = (uint8_t)(noise >> 9) };

	snprintf((char *)event.text, sizeof(event.text), "t%u", (unsigned int)(noise % 9999));
	if (stream->used + sizeof(event) > PACKET_BYTES)
		put_packet(stream);
	if (stream->used == sizeof(struct header))
		stream->begin = ns;
	stream->end = ns;
	memcpy(stream->bytes + stream->used, &event, sizeof(event));
	stream->used += sizeof(event);
}

int main(int argc, char **argv)
{
	struct stream *streams;
	uint64_t i, nr_streams, nr_events, burst, ns = BEGIN_NS, at = 0;
	char path[4096];

	if (argc != 5) {
		fprintf(stderr, "usage: make_ctf DIR STREAMS EVENTS BURST\n");
		return 2;
	}
	nr_streams = strtoull(argv[2], NULL, 10);
	nr_events = strtoull(argv[3], NULL, 10);
	burst = strtoull(argv[4], NULL, 10);
	streams = calloc(nr_streams, sizeof(*streams));
	if (!nr_streams || !burst || !streams || (mkdir(argv[1], 0755) && errno != EEXIST)) {
		perror(argv[1]);
		return 1;
	}
	put_metadata(argv[1]);
	for (i = 0; i < nr_streams; i++) {
		snprintf(path, sizeof(path), "%s/channel_%llu", argv[1], (unsigned long long)i);
		streams[i].file = fopen(path, "w");
		streams[i].bytes = malloc(PACKET_BYTES);
		streams[i].used = sizeof(struct header);
		streams[i].cpu = (uint32_t)i;
		if (!streams[i].file || !streams[i].bytes) {
			perror(path);
			return 1;
		}
	}
	for (i = 0; i < nr_events; i++) {
		if (random_number() % burst == 0)
			at = random_number() % nr_streams;
		ns += 1 + random_number() % 200;
		put_event(&streams[at], ns);
	}
	for (i = 0; i < nr_streams; i++) {
		if (streams[i].used > sizeof(struct header))
			put_packet(&streams[i]);
		if (fclose(streams[i].file)) {
			perror("close");
			return 1;
		}
		free(streams[i].bytes);
	}
	free(streams);
	return 0;
}
