// SPDX-License-Identifier: GPL-2.0-or-later
/* damaged_trace.c - see damaged_trace.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "damaged_trace.h"

struct trace_dir dir;
struct complaints heard;

size_t put_packet(struct bits *bits, unsigned int number)
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

void put_packets(struct bits *bits, unsigned int nr)
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

int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	trace_dir_make(&dir);
	put_metadata();
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	trace_dir_remove(&dir);
	return 0;
}

struct result read_with(unsigned int threads)
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

struct result read_all(void)
{
	const struct result result = read_with(1), same = read_with(3);

	assert_int_equal(result.chain.events, same.chain.events);
	assert_int_equal(result.chain.hash, same.chain.hash);
	assert_int_equal(result.tally.bad_packets, same.tally.bad_packets);
	assert_int_equal(result.tally.skipped_bytes, same.tally.skipped_bytes);
	assert_int_equal(result.tally.clamped_times, same.tally.clamped_times);
	assert_int_equal(result.tally.wild_times, same.tally.wild_times);
	assert_int_equal(result.tally.missing_packets, same.tally.missing_packets);
	return result;
}

struct result read_stream(struct bits *bits)
{
	trace_dir_put(&dir, "stream", bits->bytes, bits_bytes(bits));
	bits_clear(bits);
	return read_all();
}

void heard_of(const char *name, uint64_t byte, const char *what)
{
	char where[256];
	const char *line;

	snprintf(where, sizeof(where), "%s/%s: byte %llu", dir.path, name,
		 (unsigned long long)byte);
	line = strstr(heard.all, where);
	if (!line || !strstr(line, what))
		fail_msg("not told: %s ... %s.  Told:\n%s", where, what, heard.all);
}

void expect(const struct result *result, uint64_t events, uint64_t bad_packets,
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
