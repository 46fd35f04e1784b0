// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_damage.c - what bad packets, indexes and directories get: as much as can be
 * is read, what was lost is counted, and the message names the file and the byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../merge/inputs/find.h"
#include "../../merge/outputs/count.h"
#include "ctf_maker.h"

#define EVENTS       10u /* of a packet */
#define EVENT_BYTES  16u /* id, time, number */
#define PACKET_BYTES 256u
#define BEGIN        1000000000000ull
#define PACKET_NS    1000u
#define YEAR_NS      31536000000000000ull

static struct trace_dir dir;
static struct complaints heard;

/* Packet @number: EVENTS events, 10 ns apart. */
static size_t put_packet(struct bits *bits, unsigned int number)
{
	const uint64_t begin = BEGIN + number * PACKET_NS;
	unsigned int i;

	maker_begin_packet(bits, begin, number, 0);
	for (i = 0; i < EVENTS; i++) {
		bits_put(bits, i % 2, 32);
		bits_put(bits, begin + 10 * i, 64);
		bits_put(bits, number * EVENTS + i, 32);
	}
	return maker_end_packet(bits, begin + 10 * (EVENTS - 1), PACKET_BYTES);
}

static void put_packets(struct bits *bits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_packet(bits, i);
}

static void put_metadata(void)
{
	char text[8192];

	snprintf(text, sizeof(text),
		 "%s	event.header := struct { u32 id; time timestamp; }; };\n"
		 "event { name = a; id = 0; stream_id = 0; fields := struct { u32 n; }; };\n"
		 "event { name = b; id = 1; stream_id = 0; fields := struct { u32 n; }; };\n",
		 maker_metadata);
	trace_dir_put_text(&dir, "metadata", text);
}

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	trace_dir_make(&dir);
	put_metadata();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	trace_dir_remove(&dir);
	return 0;
}

/* What a trace comes to. */
struct result {
	struct strata_ctf_tally tally;
	struct strata_chain chain;
};

static struct result read_with(unsigned int threads)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX, .threads = threads };
	struct strata_trace_set set = { 0 };
	struct strata_ctf_trace *trace;
	struct result result = { 0 };
	struct strata_error error;
	size_t i;

	trace = strata_ctf_trace_open(dir.path, threads == 1 ? complaints_hear : NULL, &heard,
				      &error);
	if (!trace || strata_trace_set_add(&set, trace, &error) ||
	    strata_count(&set, &options, &result.chain, &error))
		fail_msg("%s", error.text);
	for (i = 0; i < set.nr_streams; i++)
		strata_ctf_tally_add(&result.tally, &set.streams[i].tally);
	assert_int_equal(result.tally.events, result.chain.events);
	strata_trace_set_clear(&set);
	return result;
}

/* Reads the whole with one thread, and makes sure that several come to the same. */
static struct result read_all(void)
{
	const struct result result = read_with(1), same = read_with(3);

	assert_int_equal(result.chain.events, same.chain.events);
	assert_int_equal(result.chain.hash, same.chain.hash);
	assert_int_equal(result.tally.bad_packets, same.tally.bad_packets);
	assert_int_equal(result.tally.skipped_bytes, same.tally.skipped_bytes);
	assert_int_equal(result.tally.held_times, same.tally.held_times);
	assert_int_equal(result.tally.wild_times, same.tally.wild_times);
	assert_int_equal(result.tally.missing_packets, same.tally.missing_packets);
	return result;
}

static struct result read_stream(struct bits *bits)
{
	trace_dir_put(&dir, "stream", bits->bytes, bits_bytes(bits));
	bits_clear(bits);
	return read_all();
}

/* A complaint names the file, a byte, and says this. */
static void heard_of(const char *name, uint64_t byte, const char *what)
{
	char where[256];
	const char *line;

	snprintf(where, sizeof(where), "%s/%s: byte %llu", dir.path, name,
		 (unsigned long long)byte);
	line = strstr(heard.all, where);
	if (!line || !strstr(line, what))
		fail_msg("not told: %s ... %s.  Told:\n%s", where, what, heard.all);
}

static void expect(const struct result *result, uint64_t events, uint64_t bad_packets,
		   uint64_t skipped_bytes)
{
	if (result->tally.events != events || result->tally.bad_packets != bad_packets ||
	    result->tally.skipped_bytes != skipped_bytes)
		fail_msg("%llu events, %llu bad packets, %llu bytes left out; not %llu, %llu, "
			 "%llu.  Told:\n%s",
			 (unsigned long long)result->tally.events,
			 (unsigned long long)result->tally.bad_packets,
			 (unsigned long long)result->tally.skipped_bytes,
			 (unsigned long long)events, (unsigned long long)bad_packets,
			 (unsigned long long)skipped_bytes, heard.all);
}

static void a_sound_trace_is_read_whole(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 20);
	result = read_stream(&bits);
	expect(&result, 20 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 0);
}

static void a_file_that_ends_early_keeps_whole_events(void **state)
{
	size_t cut;

	(void)state;
	for (cut = 1; cut <= PACKET_BYTES; cut += 3) {
		const size_t content = MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES;
		const size_t left = PACKET_BYTES - cut;
		const size_t whole = left < MAKER_HEADER_BYTES ? 0
				     : left >= content         ? EVENTS
						       : (left - MAKER_HEADER_BYTES) / EVENT_BYTES;
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 3);
		bits.at -= cut * 8;
		result = read_stream(&bits);
		assert_int_equal(result.tally.events, 2 * EVENTS + whole);
		/* Of what is behind the content nobody needs to hear. */
		assert_int_equal(heard.nr > 0, left > 0 && left < content);
		if (heard.nr)
			heard_of("stream", 2 * PACKET_BYTES, "the file ends within");
	}
}

static void a_wrong_magic_in_the_middle_costs_its_packet(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits.bytes[4 * PACKET_BYTES + 1] ^= 0x40;
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS, 1, PACKET_BYTES);
	assert_int_equal(result.tally.missing_packets, 1);
	heard_of("stream", 4 * PACKET_BYTES, "no packet begins here");
	heard_of("stream", 4 * PACKET_BYTES, "256 bytes are left out");
}

static void another_traces_packet_is_left_out(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits.bytes[7 * PACKET_BYTES + 9] ^= 1;
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS, 1, PACKET_BYTES);
	heard_of("stream", 7 * PACKET_BYTES, "another trace's");
}

static void garbage_between_packets_is_left_out(void **state)
{
	static uint8_t garbage[10007];
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	memset(garbage, 0xc1, sizeof(garbage));
	bits_put_bytes(&bits, garbage, 77);
	put_packet(&bits, 0);
	bits_put_bytes(&bits, garbage, sizeof(garbage));
	put_packet(&bits, 1);
	bits_put_bytes(&bits, garbage, 3);
	result = read_stream(&bits);
	expect(&result, 2 * EVENTS, 3, 77 + sizeof(garbage) + 3);
	heard_of("stream", 0, "77 bytes are left out");
	heard_of("stream", 77 + PACKET_BYTES, "10007 bytes are left out");
}

static void an_unknown_event_costs_the_rest_of_its_packet(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	bits_set_u32(&bits, 5 * PACKET_BYTES + MAKER_HEADER_BYTES + 3 * EVENT_BYTES, 4000000000u);
	result = read_stream(&bits);
	expect(&result, 9 * EVENTS + 3, 1, 7 * EVENT_BYTES);
	heard_of("stream", 5 * PACKET_BYTES + MAKER_HEADER_BYTES + 3 * EVENT_BYTES,
		 "event id 4000000000 is not in the metadata");
}

/* Sizes -----------------------------------------------------------------------------------------
 */

static void sizes_that_lie_cost_little(void **state)
{
	static const struct {
		uint64_t content, size; /* bits; of the fifth packet of ten */
		uint64_t least_events;
	} cases[] = {
		/* Too large: the next packets are found within. */
		{ PACKET_BYTES * 8, PACKET_BYTES * 8, 9 * EVENTS },
		{ 2 * PACKET_BYTES * 8, 2 * PACKET_BYTES * 8 + 40, 9 * EVENTS },
		{ 5 * PACKET_BYTES * 8 - 8, 5 * PACKET_BYTES * 8 - 8, 9 * EVENTS },
		/* Beyond the file. */
		{ 1ull << 40, 1ull << 40, 9 * EVENTS },
		{ UINT64_MAX - 7, UINT64_MAX - 7, 9 * EVENTS },
		{ 8, 1ull << 63, 5 * EVENTS },
		/* Too small. */
		{ 0, 0, 9 * EVENTS },
		{ MAKER_HEADER_BYTES * 8, MAKER_HEADER_BYTES * 8, 9 * EVENTS },
		{ 100 * 8, 100 * 8, 9 * EVENTS },
		{ 101 * 8 + 3, 104 * 8, 9 * EVENTS },
		{ 50 * 8, PACKET_BYTES * 8, 9 * EVENTS },
		/* Nonsense. */
		{ PACKET_BYTES * 8, 100 * 8, 9 * EVENTS },
		{ 100 * 8, PACKET_BYTES * 8 + 3, 9 * EVENTS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 10);
		bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_CONTENT, cases[i].content);
		bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_SIZE, cases[i].size);
		result = read_stream(&bits);
		if (result.tally.events < cases[i].least_events)
			fail_msg("case %zu: %llu events.  Told:\n%s", i,
				 (unsigned long long)result.tally.events, heard.all);
		/* What is behind a packet's content may look like an event. */
		assert_true(result.tally.events <= 10 * EVENTS + 1);
		assert_true(result.tally.skipped_bytes <= 2 * PACKET_BYTES ||
			    cases[i].least_events < 9 * EVENTS);
		assert_true(heard.nr > 0 || i == 6);
		assert_true(result.tally.bad_packets > 0 || result.tally.events == 10 * EVENTS ||
			    heard.nr > 0);
	}
}

/* Times -----------------------------------------------------------------------------------------
 */

static void set_time(struct bits *bits, unsigned int packet, unsigned int event, uint64_t ns)
{
	bits_set_u64(bits, packet * PACKET_BYTES + MAKER_HEADER_BYTES + event * EVENT_BYTES + 4,
		     ns);
}

static void a_time_that_goes_back_is_held(void **state)
{
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	put_packets(&bits, 10);
	set_time(&bits, 4, 6, BEGIN + 7);
	set_time(&bits, 6, 0, 0);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 0, 0);
	assert_int_equal(result.tally.held_times, 2);
	assert_int_equal(heard.nr, 2);
	heard_of("stream", 4 * PACKET_BYTES + MAKER_HEADER_BYTES + 6 * EVENT_BYTES, "goes back");
}

/* The time of the last event that a reader sees. */
static uint64_t last_time(void)
{
	struct strata_ctf_reader reader;
	struct strata_ctf_trace *trace;
	struct strata_error error;
	uint64_t ns;
	int got;

	trace = strata_ctf_trace_open(dir.path, NULL, NULL, &error);
	assert_non_null(trace);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while ((got = strata_ctf_reader_next(&reader, &error)) > 0)
		;
	assert_int_equal(got, 0);
	ns = reader.last_ns;
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
	return ns;
}

#define LAST_NS (BEGIN + 9 * PACKET_NS + 10 * (EVENTS - 1))

static void a_time_that_jumps_a_year_moves_nobody_else(void **state)
{
	static const unsigned int at[] = { 0, 5, EVENTS - 1 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct bits bits = { 0 };
		struct result result;

		memset(&heard, 0, sizeof(heard));
		put_packets(&bits, 10);
		set_time(&bits, 4, at[i], BEGIN + YEAR_NS);
		result = read_stream(&bits);
		expect(&result, 10 * EVENTS, 0, 0);
		assert_int_equal(result.tally.wild_times, 1);
		assert_int_equal(result.tally.held_times, 0);
		heard_of("stream", 4 * PACKET_BYTES + MAKER_HEADER_BYTES + at[i] * EVENT_BYTES,
			 "far beyond its packet's end");
		assert_int_equal(last_time(), LAST_NS);
	}
}

/* The events are in order; what is wrong is what their packet says of itself. */
static void a_packet_whose_times_jump_keeps_its_events_times(void **state)
{
	static const struct {
		uint64_t begin, end;
	} cases[] = {
		{ BEGIN + YEAR_NS, BEGIN + YEAR_NS + 90 },
		{ BEGIN + YEAR_NS, BEGIN + 4 * PACKET_NS + 90 },
		{ UINT64_MAX, UINT64_MAX },
		{ 0, BEGIN + YEAR_NS },
		{ BEGIN + 4 * PACKET_NS, UINT64_MAX },
		{ BEGIN + 4 * PACKET_NS, 0 },
	};
	uint64_t sound = 0;
	size_t i;

	(void)state;
	for (i = 0; i <= sizeof(cases) / sizeof(cases[0]); i++) {
		struct bits bits = { 0 };
		struct result result;

		put_packets(&bits, 10);
		if (i > 0) {
			bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_BEGIN, cases[i - 1].begin);
			bits_set_u64(&bits, 4 * PACKET_BYTES + MAKER_AT_END, cases[i - 1].end);
		}
		result = read_stream(&bits);
		expect(&result, 10 * EVENTS, 0, 0);
		if (i == 0)
			sound = result.chain.hash;
		assert_int_equal(result.chain.hash, sound);
		assert_int_equal(result.tally.held_times + result.tally.wild_times, 0);
	}
}

static void the_last_times_that_there_are_are_no_end(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	unsigned int i;

	(void)state;
	maker_begin_packet(&bits, UINT64_MAX - 5, 0, 0);
	for (i = 0; i < EVENTS; i++) {
		bits_put(&bits, 0, 32);
		bits_put(&bits, UINT64_MAX - (i < 5 ? 5 - i : 0), 64);
		bits_put(&bits, i, 32);
	}
	maker_end_packet(&bits, UINT64_MAX, 0);
	result = read_stream(&bits);
	expect(&result, EVENTS, 0, 0);
}

/* Files -----------------------------------------------------------------------------------------
 */

static void empty_files_and_zeroes_hold_nothing_up(void **state)
{
	static uint8_t zeroes[1u << 20];
	struct bits bits = { 0 };
	struct result result;

	(void)state;
	trace_dir_put(&dir, "empty", "", 0);
	trace_dir_put(&dir, "zeroes", zeroes, sizeof(zeroes));
	put_packets(&bits, 10);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 1, sizeof(zeroes));
	heard_of("zeroes", 0, "1048576 bytes are left out, up to the end of the file");
}

static void what_is_no_stream_is_passed_by(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/pipe", dir.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/directory", dir.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", dir.path);
	assert_int_equal(symlink("link", path), 0);
	put_packets(&bits, 10);
	result = read_stream(&bits);
	expect(&result, 10 * EVENTS, 0, 0);
	/* The link to itself cannot be opened, and is named. */
	assert_int_equal(heard.nr, 1);
	assert_non_null(strstr(heard.all, "/link: "));
	assert_non_null(strstr(heard.all, "it is left out"));
}

static void unreadable_files_are_named_and_left_out(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];

	(void)state;
	trace_dir_put(&dir, "secret", "x", 1);
	snprintf(path, sizeof(path), "%s/secret", dir.path);
	assert_int_equal(chmod(path, 0), 0);
	put_packets(&bits, 10);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	/* Nobody keeps anything from root. */
	assert_int_equal(chmod(dir.path, 0755), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	result = read_with(1);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	expect(&result, 10 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 1);
	assert_non_null(strstr(heard.all, "/secret: Permission denied; it is left out"));
}

static void two_thousand_streams_are_merged(void **state)
{
	struct rlimit limit;
	struct result result;
	unsigned int i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < 2000; i++) {
		struct bits bits = { 0 };
		char name[32];

		put_packet(&bits, i * 7 % 100);
		snprintf(name, sizeof(name), "stream_%u", i);
		trace_dir_put(&dir, name, bits.bytes, bits_bytes(&bits));
		bits_clear(&bits);
	}
	result = read_all();
	expect(&result, 2000 * EVENTS, 0, 0);
	assert_int_equal(heard.nr, 0);
}

/* Files that change ------------------------------------------------------------------------------
 */

static void *truncate_slowly(void *data)
{
	const char *path = data;
	const struct timespec pause = { 0, 300000 };
	off_t size;

	for (size = 20000 * PACKET_BYTES; size > 0; size -= 400 * PACKET_BYTES + 77) {
		nanosleep(&pause, NULL);
		if (truncate(path, size))
			break;
	}
	return NULL;
}

static void a_file_may_shrink_while_it_is_read(void **state)
{
	struct bits bits = { 0 };
	struct result result;
	char path[128];
	pthread_t thread;

	(void)state;
	put_packets(&bits, 20000);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	snprintf(path, sizeof(path), "%s/stream", dir.path);
	assert_int_equal(pthread_create(&thread, NULL, truncate_slowly, path), 0);
	result = read_with(1);
	pthread_join(thread, NULL);
	assert_true(result.tally.events <= 20000 * EVENTS);
	/* And surely, once it is open. */
	heard.nr = 0;
	heard.all[0] = '\0';
	put_packets(&bits, 1000);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	{
		struct strata_ctf_reader reader;
		struct strata_error error;
		struct strata_ctf_trace *trace =
			strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
		uint64_t events = 0;
		int got;

		assert_non_null(trace);
		assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error),
				 0);
		assert_true(strata_ctf_reader_next(&reader, &error) > 0);
		assert_int_equal(truncate(path, 500 * PACKET_BYTES + 100), 0);
		while ((got = strata_ctf_reader_next(&reader, &error)) > 0)
			events = reader.tally.events;
		assert_int_equal(got, 0);
		assert_int_equal(events, 500 * EVENTS + 1);
		heard_of("stream", 500 * PACKET_BYTES + 100, "became shorter");
		strata_ctf_reader_close(&reader);
		strata_ctf_trace_close(trace);
	}
}

static void what_a_file_grows_by_is_not_read(void **state)
{
	struct strata_ctf_reader reader;
	struct strata_error error;
	struct strata_ctf_trace *trace;
	struct bits bits = { 0 };

	(void)state;
	put_packets(&bits, 3);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	put_packet(&bits, 3);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while (strata_ctf_reader_next(&reader, &error) > 0)
		;
	assert_int_equal(reader.tally.events, 3 * EVENTS);
	assert_int_equal(heard.nr, 0);
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
}

/* Index files ------------------------------------------------------------------------------------
 */

static void put_big(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

enum lie {
	NO_LIE,
	WRONG_MAGIC,
	WRONG_VERSION,
	TOO_FEW,
	TOO_MANY,
	WRONG_OFFSET,
	WRONG_SIZE,
	TINY_ENTRIES,
	EARLY_TIMES,
	LATE_TIMES,
	NR_LIES
};

static void put_index(enum lie lie, unsigned int packets)
{
	static uint8_t file[16 + 64 * 56];
	const unsigned int nr = lie == TOO_FEW    ? packets - 1
				: lie == TOO_MANY ? packets + 1
						  : packets;
	char path[128];
	unsigned int i;

	memset(file, 0, sizeof(file));
	put_big(file, lie == WRONG_MAGIC ? 7 : 0xc1f1dcc1u, 4);
	put_big(file + 4, lie == WRONG_VERSION ? 9 : 1, 4);
	put_big(file + 12, lie == TINY_ENTRIES ? 3 : 56, 4);
	for (i = 0; i < nr; i++) {
		uint8_t *entry = file + 16 + 56 * i;
		uint64_t begin = BEGIN + i * PACKET_NS, size = PACKET_BYTES * 8;

		if (lie == EARLY_TIMES)
			begin -= 5 * PACKET_NS;
		if (lie == LATE_TIMES)
			begin += 5 * PACKET_NS;
		if (lie == WRONG_SIZE && i == 2)
			size = UINT64_MAX - 7;
		put_big(entry, i * PACKET_BYTES + (lie == WRONG_OFFSET && i == 2), 8);
		put_big(entry + 8, size, 8);
		put_big(entry + 16, (MAKER_HEADER_BYTES + EVENTS * EVENT_BYTES) * 8, 8);
		put_big(entry + 24, begin, 8);
		put_big(entry + 32, begin + 90, 8);
	}
	snprintf(path, sizeof(path), "%s/index", dir.path);
	mkdir(path, 0700);
	trace_dir_put(&dir, "index/stream.idx", file, 16 + 56 * nr);
}

static void an_index_that_lies_loses_no_event(void **state)
{
	uint64_t sound = 0;
	enum lie lie;

	(void)state;
	for (lie = NO_LIE; lie < NR_LIES; lie++) {
		struct strata_ctf_index index;
		struct strata_ctf_trace *trace;
		struct strata_error error;
		struct bits bits = { 0 };
		struct result result;

		put_packets(&bits, 40);
		put_index(lie, 40);
		result = read_stream(&bits);
		expect(&result, 40 * EVENTS, 0, 0);
		if (lie == NO_LIE)
			sound = result.chain.hash;
		assert_int_equal(result.chain.hash, sound);
		memset(&heard, 0, sizeof(heard));
		trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
		assert_non_null(trace);
		assert_int_equal(strata_ctf_index_make(&index, &trace->streams[0], &error), 0);
		/* Times that are too late make a reader begin too early, and what is said of bytes
		 * behind the file concerns nobody: neither does harm. */
		assert_int_equal(index.from_file,
				 lie == NO_LIE || lie == LATE_TIMES || lie == TOO_MANY);
		assert_int_equal(heard.nr, index.from_file ? 0 : 1);
		if (!index.from_file)
			assert_non_null(strstr(heard.all, "the packets themselves are looked at"));
		strata_ctf_index_clear(&index);
		strata_ctf_trace_close(trace);
	}
}

/* Directories ------------------------------------------------------------------------------------
 */

static void make_link(const char *target, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	assert_int_equal(symlink(target, path), 0);
}

static void make_directory(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* Forty directories, each with two links to the next: 2^40 ways to the trace. */
static void links_lead_to_each_trace_once(void **state)
{
	struct strata_inputs inputs = { 0 };
	struct strata_error error;
	char name[128], target[64];
	unsigned int i;

	(void)state;
	snprintf(name, sizeof(name), "%s/metadata", dir.path);
	assert_int_equal(unlink(name), 0);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		make_directory(name);
		snprintf(target, sizeof(target), "../d%u", i + 1);
		snprintf(name, sizeof(name), "d%u/left", i);
		make_link(target, name);
		snprintf(name, sizeof(name), "d%u/right", i);
		make_link(target, name);
	}
	make_directory("d40");
	trace_dir_put_text(&dir, "d40/metadata", "/* CTF 1.8 */");
	make_link("..", "d40/up");
	make_link("..", "d3/back");
	assert_int_equal(strata_inputs_find(&inputs, dir.path, complaints_hear, &heard, &error), 0);
	assert_int_equal(inputs.nr, 1);
	strata_inputs_clear(&inputs);
}

static void a_loop_without_a_trace_is_told(void **state)
{
	struct strata_inputs inputs = { 0 };
	struct strata_error error;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/metadata", dir.path);
	assert_int_equal(unlink(path), 0);
	make_directory("a");
	make_link("..", "a/b");
	make_link("nowhere", "dangling");
	assert_int_equal(strata_inputs_find(&inputs, dir.path, complaints_hear, &heard, &error),
			 -1);
	assert_non_null(strstr(error.text, "no trace is in here"));
	assert_non_null(strstr(heard.all, "/a/b: a link leads back"));
	strata_inputs_clear(&inputs);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_is_read_whole),
		CASE(a_file_that_ends_early_keeps_whole_events),
		CASE(a_wrong_magic_in_the_middle_costs_its_packet),
		CASE(another_traces_packet_is_left_out),
		CASE(garbage_between_packets_is_left_out),
		CASE(an_unknown_event_costs_the_rest_of_its_packet),
		CASE(sizes_that_lie_cost_little),
		CASE(a_time_that_goes_back_is_held),
		CASE(a_time_that_jumps_a_year_moves_nobody_else),
		CASE(a_packet_whose_times_jump_keeps_its_events_times),
		CASE(the_last_times_that_there_are_are_no_end),
		CASE(empty_files_and_zeroes_hold_nothing_up),
		CASE(what_is_no_stream_is_passed_by),
		CASE(unreadable_files_are_named_and_left_out),
		CASE(two_thousand_streams_are_merged),
		CASE(a_file_may_shrink_while_it_is_read),
		CASE(what_a_file_grows_by_is_not_read),
		CASE(an_index_that_lies_loses_no_event),
		CASE(links_lead_to_each_trace_once),
		CASE(a_loop_without_a_trace_is_told),
	};

	return cmocka_run_group_tests_name("ctf_damage", tests, NULL, NULL);
}
