// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_ctf DIR STREAMS EVENTS BURST - writes a CTF 1.8 trace for benchmarks: EVENTS
 * events of 40 bytes over STREAMS streams, in bursts of BURST events on average (1:
 * each event's stream is random).  No two events have the same time.
 *
 * tests/bench/merge.sh starts it.
 */
#include "ctf_streams.h"

#define CLASSES 4u

struct __attribute__((packed)) fields {
	uint64_t address;
	uint32_t length;
	int32_t result;
	uint16_t flags;
	uint8_t kind;
	uint8_t text[9];
};

static void put_metadata(const char *dir)
{
	FILE *file = metadata_begin(dir, "", "");
	char name[16];
	unsigned int id;

	for (id = 0; id < CLASSES; id++) {
		snprintf(name, sizeof(name), "io_%u", id);
		metadata_class(
			file, id, name,
			"u64 address; u32 length; i32 result; u16 flags; u8 kind; char8 text[9];");
	}
	metadata_end(file);
}

static void put_random_event(struct stream *stream, uint64_t ns)
{
	const uint64_t noise = random_number();
	struct fields fields = { .address = noise * 8,
				 .length = (uint32_t)(noise % 4096),
				 .result = (int32_t)(noise >> 50) - 99,
				 .flags = (uint16_t)(noise >> 20),
				 .kind = (uint8_t)(noise >> 9) };

	snprintf((char *)fields.text, sizeof(fields.text), "t%u", (unsigned int)(noise % 9999));
	put_event(stream, noise % CLASSES, ns, &fields, sizeof(fields));
}

int main(int argc, char **argv)
{
	struct stream *streams;
	uint64_t i, nr_streams, nr_events, burst, ns = BEGIN_NS, at = 0;

	if (argc != 5) {
		fprintf(stderr, "usage: make_ctf DIR STREAMS EVENTS BURST\n");
		return 2;
	}
	nr_streams = strtoull(argv[2], NULL, 10);
	nr_events = strtoull(argv[3], NULL, 10);
	burst = strtoull(argv[4], NULL, 10);
	streams = calloc(nr_streams, sizeof(*streams));
	if (!nr_streams || !burst || !streams) {
		fprintf(stderr, "make_ctf: no streams, or no burst\n");
		return 1;
	}
	put_metadata(argv[1]);
	for (i = 0; i < nr_streams; i++)
		stream_open(&streams[i], argv[1], (uint32_t)i);
	for (i = 0; i < nr_events; i++) {
		if (random_number() % burst == 0)
			at = random_number() % nr_streams;
		ns += 1 + random_number() % 200;
		put_random_event(&streams[at], ns);
	}
	for (i = 0; i < nr_streams; i++)
		stream_close(&streams[i]);
	free(streams);
	return 0;
}
