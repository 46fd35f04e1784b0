// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ctf_index.c - any bytes as the index that LTTng writes beside a stream: they
 * are refused, or no event is missed by a reader that begins where the index says.
 *
 * libFuzzer calls it; see parsers.mk.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/reader/ctf_index.h"
#include "ctf/reader/ctf_reader.h"
#include "files/out_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr);

#define PACKETS      6u
#define EVENTS       4u /* of a packet */
#define PACKET_BYTES 64u

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 32; align = 8; } := u32;\n"
	"clock { name = c; freq = 1000000000; };\n"
	"typealias integer { size = 32; align = 8; map = clock.c.value; } := time;\n"
	"trace { major = 1; minor = 8; byte_order = le;"
	" packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	"stream { id = 0; packet.context := struct { u32 packet_size; u32 content_size;"
	" time timestamp_begin; time timestamp_end; };"
	" event.header := struct { time t; }; };\n"
	"event { name = e; id = 0; stream_id = 0; fields := struct { u32 x; }; };\n";

static char dir[] = "/tmp/strata-fuzz-XXXXXX";
static struct strata_ctf_trace *trace;
static int file;

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "it does not hold that %s\n", what);
	abort();
}

static void empty_directory(void)
{
	char command[128];

	strata_ctf_trace_close(trace);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		abort();
}

static int make_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	check(fd >= 0, "a file can be made");
	return fd;
}

static void write_stream(int fd)
{
	uint32_t i, j, ns = 1000;

	for (i = 0; i < PACKETS; i++) {
		uint32_t packet[PACKET_BYTES / 4] = { htole32(0xc1fc1fc1u), 0,
						      htole32(PACKET_BYTES * 8),
						      htole32((24 + EVENTS * 8) * 8), htole32(ns) };

		for (j = 0; j < EVENTS; j++, ns += 10) {
			packet[6 + 2 * j] = htole32(ns);
			packet[7 + 2 * j] = htole32(i * EVENTS + j);
		}
		packet[5] = htole32(ns - 10);
		check(strata_write_all(fd, packet, sizeof(packet)) == 0, "it can be written");
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct strata_error error;
	char path[128];
	int fd;

	(void)argc;
	(void)argv;
	check(mkdtemp(dir) != NULL, "a directory can be made");
	fd = make_file("metadata");
	check(strata_write_all(fd, metadata, strlen(metadata)) == 0, "it can be written");
	close(fd);
	fd = make_file("s");
	write_stream(fd);
	close(fd);
	snprintf(path, sizeof(path), "%s/index", dir);
	check(mkdir(path, 0700) == 0, "a directory can be made");
	file = make_file("index/s.idx");
	trace = strata_ctf_trace_open(dir, NULL, NULL, &error);
	check(trace && trace->nr_streams == 1, "the trace opens");
	return atexit(empty_directory);
}

/* How many events from @ns on a reader sees that begins at @offset. */
static unsigned int events_from(uint64_t offset, uint64_t ns)
{
	struct strata_ctf_reader reader;
	struct strata_error error;
	unsigned int nr = 0;
	int i, got;

	check(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error) == 0,
	      "memory suffices");
	strata_ctf_reader_seek(&reader, offset, ns, UINT64_MAX);
	while ((got = strata_ctf_reader_next(&reader)) > 0) {
		for (i = 0; i < got; i++)
			nr += reader.events[i].ns >= ns;
	}
	check(reader.tally.bad_packets == 0, "it begins at a packet");
	strata_ctf_reader_close(&reader);
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr)
{
	struct strata_ctf_index index;
	struct strata_error error;
	size_t i;

	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET) || strata_write_all(file, bytes, nr))
		abort();
	check(strata_ctf_index_make(&index, &trace->streams[0], &error) == 0, "memory suffices");
	check(index.nr > 0 && index.nr <= STRATA_CTF_INDEX_MAX, "places are bounded");
	for (i = 0; i < PACKETS * EVENTS; i++) {
		const uint64_t ns = 1000 + 10 * i;

		check(events_from(strata_ctf_index_find(&index, ns), ns) == PACKETS * EVENTS - i,
		      "no event is missed");
	}
	strata_ctf_index_clear(&index);
	return 0;
}
