// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ctf_packets.c - any bytes as the file of a stream: whatever is in them, the
 * reader comes to the end, no time goes back, each event is within the bytes that it says, its
 * values can be read, and how much of the file is held at once makes no difference.
 *
 * The first byte of the input chooses the metadata, the second whether the file is shorter than
 * it was when it was opened.  libFuzzer calls it; see parsers.mk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctf/reader/ctf_index.h"
#include "ctf/reader/ctf_reader.h"
#include "files/out_file.h"
#include "base/value_hash.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr);

#define NUMBERS                                                                      \
	"/* CTF 1.8 */\n"                                                            \
	"typealias integer { size = 8; align = 8; } := u8;\n"                        \
	"typealias integer { size = 16; align = 8; } := u16;\n"                      \
	"typealias integer { size = 32; align = 8; } := u32;\n"                      \
	"typealias integer { size = 64; align = 8; } := u64;\n"                      \
	"typealias integer { size = 5; align = 1; } := u5;\n"                        \
	"typealias integer { size = 13; align = 1; signed = true; } := s13;\n"       \
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := text;\n"     \
	"clock { name = c; freq = 1000000000; offset_s = 1700000000; };\n"           \
	"typealias integer { size = 27; align = 1; map = clock.c.value; } := t27;\n" \
	"typealias integer { size = 32; align = 8; map = clock.c.value; } := t32;\n" \
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"

#define UUID "uuid = \"5e7a110c-667e-4310-9a51-3d0e42771829\";"

#define FULL_CONTEXT                                                                   \
	"packet.context := struct { time timestamp_begin; time timestamp_end; "        \
	"u64 content_size; u64 packet_size; u64 packet_seq_num; u64 events_discarded;" \
	" u32 cpu_id; };"

/* What may follow a header: all kinds of fields. */
#define EVENTS                                                                                   \
	"event { name = a; id = 0; fields := struct { u64 x; u32 y; text t[9]; u16 z; }; };\n"   \
	"event { name = b; id = 1; fields := struct { string s; u16 n; u32 q[n]; text w[n]; "    \
	"u8 k; }; };\n"                                                                          \
	"event { name = c; id = 2; fields := struct { enum : u8 { A, B = 1 ... 9, C } tag; "     \
	"u5 odd; s13 more; variant <tag> { string A; struct { u8 n; struct { u8 m; s13 v[m]; } " \
	"in[n]; } B; struct { } C; } v; }; };\n"                                                 \
	"event { name = d; id = 3; };\n"                                                         \
	"event { name = e; id = 4; fields := struct { u32 n; struct { } nothing[n]; "            \
	"u5 grid[2][3]; struct { u8 l; string many[l]; } x; integer { size = 32; align = 64; } " \
	"far; }; };\n"

#define BOUND                                                                \
	" struct { integer { size = 48; align = 8; } id; } strata_bound_ns;" \
	" struct { u16 id; } strata_pcpu; struct { u8 id; } strata_tick;"

static const char *const metadata[] = {
	/* Id and time side by side. */
	NUMBERS "trace { major = 1; minor = 8; byte_order = le; " UUID
		" packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
		"stream { id = 0; " FULL_CONTEXT
		" event.header := struct { u32 id; time timestamp; }; };\n" EVENTS,
	/* LTTng's two. */
	NUMBERS "trace { major = 1; minor = 8; byte_order = le; " UUID
		" packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
		"stream { id = 0; " FULL_CONTEXT
		" event.header := struct { enum : u5 { compact = 0 ... 30, extended = 31 } id;"
		" variant <id> { struct { t27 timestamp; } compact;"
		" struct { u32 id; time timestamp; } extended; } v; } align(8);"
		" event.context := struct { u32 tid; text comm[16]; }; };\n" EVENTS,
	NUMBERS
	"trace { major = 1; minor = 8; byte_order = le;"
	" packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	"stream { id = 7; " FULL_CONTEXT
	" event.header := struct { enum : u16 { compact = 0 ... 65534, extended = 65535 } id;"
	" variant <id> { struct { t32 timestamp; } compact;"
	" struct { u32 id; time timestamp; } extended; } v; } align(8); };\n"
	"event { name = a; id = 0; stream_id = 7; fields := struct { u8 n; string s[n]; }; };\n"
	"event { name = b; id = 70000; stream_id = 7; context := struct { u8 c; };"
	" fields := struct { u8 s[stream.event.header.id]; }; };\n",
	/* Big-endian, and fields that the header's readers do not know. */
	"/* CTF 1.8 */\n"
	"trace { major = 1; minor = 8; byte_order = be;"
	" packet.header := struct { integer { size = 32; } magic; }; };\n"
	"clock { name = c; freq = 24000000; offset = 77; };\n"
	"stream { packet.context := struct { integer { size = 20; } packet_size;"
	" integer { size = 20; } content_size; };"
	" event.header := struct { integer { size = 3; } flags;"
	" integer { size = 7; map = clock.c.value; } low; integer { size = 2; } id; }; };\n"
	"event { name = a; id = 0; fields := struct { integer { size = 3; } n;"
	" integer { size = 11; signed = true; } v[n]; }; };\n"
	"event { name = b; id = 1; fields := struct {"
	" floating_point { exp_dig = 11; mant_dig = 53; align = 64; } d; string s; }; };\n",
	/* Nothing but events. */
	"/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n"
	"event { name = a; fields := struct { integer { size = 3; } n;"
	" integer { size = 6; } v[n]; }; };\n",
	/* Packets whose own header has any length, and events that are far apart. */
	NUMBERS "trace { major = 1; minor = 8; byte_order = le;"
		" packet.header := struct { u32 magic; }; };\n"
		"stream { packet.context := struct { u16 n; u8 skip[n]; string s; u64 packet_size;"
		" u64 content_size; enum : u8 { A, B } tag; variant <tag> { u8 A; string B; } v; };"
		" event.header := struct { u8 id; t32 timestamp; };"
		" event.context := struct { u8 of_packet[stream.packet.context.n]; }; };\n"
		"event { name = a; id = 0; fields := struct {"
		" integer { size = 8; align = 32768; } far; u16 n; u8 a[n]; }; };\n"
		"event { name = b; id = 1; };\n",
	/* A merged trace's: bounds in headers. */
	NUMBERS "trace { major = 1; minor = 8; byte_order = le; " UUID
		" packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
		"stream { id = 0; " FULL_CONTEXT " event.header := struct {" BOUND
		" u32 id; time timestamp; }; };\n" EVENTS,
	NUMBERS "trace { major = 1; minor = 8; byte_order = be;"
		" packet.header := struct { u32 magic; }; };\n"
		"stream { packet.context := struct { u64 packet_size; }; event.header := struct {"
		" u16 kept0;" BOUND " u32 id; time timestamp; }; };\n" EVENTS,
};

#define NR_FORMS (sizeof(metadata) / sizeof(metadata[0]))

static char dir[] = "/tmp/strata-fuzz-XXXXXX";
static char metadata_path[64];
static struct strata_ctf_trace *traces[NR_FORMS];
static int file;
static uint64_t complaints;

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "it does not hold that %s\n", what);
	abort();
}

static void hear(void *data, const char *message)
{
	(void)data;
	check(strlen(message) > 0, "a message says something");
	complaints++;
}

static void clean_up(void)
{
	size_t i;

	for (i = 0; i < NR_FORMS; i++)
		strata_ctf_trace_close(traces[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct strata_error error;
	FILE *out;
	size_t i;

	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		abort();
	snprintf(metadata_path, sizeof(metadata_path), "%s/metadata", dir);
	for (i = 0; i < NR_FORMS; i++) {
		out = fopen(metadata_path, "w");
		if (!out || fputs(metadata[i], out) < 0 || fclose(out))
			abort();
		traces[i] = strata_ctf_trace_open(dir, hear, NULL, &error);
		if (!traces[i])
			fprintf(stderr, "metadata %zu: %s\n", i, error.text);
		check(traces[i] && complaints == 0, "the metadata is sound");
	}
	unlink(metadata_path);
	rmdir(dir);
	file = memfd_create("input", 0);
	if (file < 0)
		abort();
	return atexit(clean_up);
}

/* Reads the stream to its end; all that it tells. */
static struct strata_chain read_all(const struct strata_ctf_stream *stream, size_t window,
				    struct strata_ctf_tally *tally)
{
	struct strata_ctf_reader reader;
	struct strata_chain chain = { 0 };
	struct strata_error error;
	uint64_t last_ns = 0, turns = 0;
	int i, got;

	check(strata_ctf_reader_open(&reader, stream, window, &error) == 0, "memory suffices");
	while ((got = strata_ctf_reader_next(&reader)) > 0) {
		const uint64_t held =
			(reader.window_bytes - (uint64_t)(reader.base - reader.window)) * 8;

		check(++turns <= stream->bytes * 8 + 1, "the turns are no more than the bits");
		for (i = 0; i < got; i++) {
			const struct strata_lane_event *event = &reader.events[i];
			struct strata_ctf_cursor cursor;
			const struct strata_ctf_class *class = &reader.kind->classes[event->class];
			uint64_t hash = strata_hash_event(event->ns, 0, class->event->id);

			check(event->head <= event->body && event->body <= event->end &&
				      event->end <= held,
			      "an event lies in the window");
			check(event->ns >= last_ns, "no time goes back");
			strata_ctf_event_open(&reader, event, &cursor);
			last_ns = event->ns;
			check(strata_ctf_program_fold(&class->program, &cursor, &hash) &&
				      cursor.at == event->end,
			      "its values end where it does");
			strata_chain_add(&chain, event->ns, hash);
		}
	}
	check(got == 0, "the end comes");
	*tally = reader.tally;
	check(tally->events == chain.events, "events are counted");
	check(tally->skipped_bytes <= stream->bytes, "no more is left out than there is");
	check(tally->bad_packets == 0 || complaints > 0, "what is wrong is told");
	strata_ctf_reader_close(&reader);
	return chain;
}

static void check_index(const struct strata_ctf_stream *stream)
{
	struct strata_ctf_index index;
	struct strata_error error;
	size_t i;

	check(strata_ctf_index_make(&index, stream, &error) == 0, "memory suffices");
	check(index.nr <= STRATA_CTF_INDEX_MAX, "places are bounded");
	for (i = 1; i < index.nr; i++)
		check(index.places[i - 1].offset < index.places[i].offset &&
			      index.places[i - 1].begin_ns <= index.places[i].begin_ns,
		      "places are in order");
	check(index.nr == 0 || index.places[index.nr - 1].offset < stream->bytes,
	      "places are in the file");
	strata_ctf_index_clear(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr)
{
	struct strata_ctf_stream stream = { .name = (char *)"input", .fd = file };
	struct strata_ctf_tally tally, again;
	struct strata_chain chain, same;

	if (nr < 2)
		return 0;
	stream.trace = traces[bytes[0] % NR_FORMS];
	stream.bytes = nr - 2 + (bytes[1] & 0x80 ? bytes[1] & 0x7f : 0);
	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET) ||
	    strata_write_all(file, bytes + 2, nr - 2))
		abort();
	complaints = 0;
	chain = read_all(&stream, 4096, &tally);
	same = read_all(&stream, 1u << 20, &again);
	check(chain.events == same.events && chain.hash == same.hash,
	      "any window gives the same events");
	check(bytes[1] & 0x80 || memcmp(&tally, &again, sizeof(tally)) == 0,
	      "any window gives the same losses");
	check_index(&stream);
	return 0;
}
