// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_stream_losses.c - losses that packets report, as both readers of streams count them:
 * sequence numbers and discarded events, of a stream's first packet and of those behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf_maker.h"
#include "consumerd/packets/packet_reader.h"
#include "ctf/reader/ctf_reader.h"
#include "synthetic.h"
#include "saved.h"

/* A packet, and the losses that a reader is to report for it. */
struct said {
	uint64_t sequence, lost; /* in its header */
	uint64_t missing;        /* packets, up to it */
};

static void read_recorded(const struct said *said, size_t nr)
{
	struct strata_packet_reader reader;
	struct strata_recording recording;
	struct synthetic_stream *stream;
	struct strata_error error;
	struct synthetic rec;
	uint64_t ticks = SYNTHETIC_ANCHOR_TICKS;
	size_t i;

	synthetic_init(&rec);
	synthetic_add_source(&rec, "dom0", "kernel", 0);
	for (i = 0; i < nr; i++) {
		synthetic_mark(&rec, "dom0", 0, ticks += 10, 1);
		stream = synthetic_stream(&rec, "dom0", 0);
		stream->sequence = said[i].sequence;
		stream->lost = said[i].lost;
		synthetic_close_packet(stream);
	}
	synthetic_write(&rec);
	assert_int_equal(loaded_recording(&recording, rec.dir, &error), 0);
	assert_int_equal(strata_packet_reader_open(&reader, rec.dir, &recording.sources[0],
						   &recording.sources[0].streams[0], NULL, NULL,
						   &error),
			 0);
	for (i = 0; i < nr; i++) {
		assert_true(strata_packet_reader_next(&reader));
		if (reader.missing_packets != said[i].missing)
			fail_msg("packet %zu: %llu missing", i,
				 (unsigned long long)reader.missing_packets);
	}
	assert_false(strata_packet_reader_next(&reader));
	strata_packet_reader_close(&reader);
	strata_recording_clear(&recording);
	synthetic_free(&rec);
}

static void a_recorded_stream_that_begins_with_its_first_packet(void **state)
{
	static const struct said said[] = {
		{ 0, 0, 0 }, { 1, 0, 0 }, { 2, 3, 0 }, { 3, 3, 0 }, { 6, 3, 2 }, { 7, 9, 2 },
	};

	(void)state;
	read_recorded(said, sizeof(said) / sizeof(said[0]));
}

/* A recorder that joined a flight recorder: packets before that are not missing. */
static void a_recorded_stream_that_begins_later(void **state)
{
	static const struct said said[] = { { 7, 0, 0 }, { 8, 0, 0 }, { 10, 0, 1 } };

	(void)state;
	read_recorded(said, sizeof(said) / sizeof(said[0]));
}

/* The counts of a reader of others' traces: missing packets and discarded events, in all. */
static void read_ctf(const struct said *said, size_t nr, uint64_t missing, uint64_t discarded)
{
	struct strata_ctf_reader reader;
	struct strata_ctf_trace *trace;
	struct bits bits = { 0 };
	struct trace_dir dir;
	char text[8192];
	struct strata_error error;
	size_t i;

	trace_dir_make(&dir);
	snprintf(text, sizeof(text),
		 "%s event.header := struct { u64 t; }; };\n"
		 "event { name = e; id = 0; stream_id = 0; fields := struct { u8 n; }; };\n",
		 maker_metadata);
	trace_dir_put_text(&dir, "metadata", text);
	for (i = 0; i < nr; i++) {
		maker_begin_packet(&bits, 1000 + i, said[i].sequence, 0);
		bits_put(&bits, 1000 + i, 64);
		bits_put(&bits, i, 8);
		bits_set_u64(&bits, maker_end_packet(&bits, 1000 + i, 0) + MAKER_AT_DISCARDED,
			     said[i].lost);
	}
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	trace = strata_ctf_trace_open(dir.path, NULL, NULL, &error);
	if (!trace)
		fail_msg("%s", error.text);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	for (i = 0; i < nr;) {
		const int got = strata_ctf_reader_next(&reader);

		assert_true(got > 0);
		i += (size_t)got;
	}
	assert_int_equal(strata_ctf_reader_next(&reader), 0);
	assert_int_equal(reader.tally.missing_packets, missing);
	assert_int_equal(reader.tally.discarded, discarded);
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
	bits_clear(&bits);
	trace_dir_remove(&dir);
}

static void anothers_stream_that_begins_with_its_first_packet(void **state)
{
	/* From the tracer's start on: losses in the first packet belong to this stream. */
	static const struct said said[] = { { 0, 3, 0 }, { 1, 3, 0 }, { 4, 10, 0 } };

	(void)state;
	read_ctf(said, 3, 2, 10);
}

/* A file that was rotated: events discarded before it are not missing in it. */
static void anothers_stream_that_begins_later(void **state)
{
	static const struct said said[] = {
		{ 5, 100, 0 }, { 6, 100, 0 }, { 7, 104, 0 }, { 9, 104, 0 }
	};

	(void)state;
	read_ctf(said, 1, 0, 0);
	read_ctf(said, 4, 1, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_stream_that_begins_with_its_first_packet),
		cmocka_unit_test(a_recorded_stream_that_begins_later),
		cmocka_unit_test(anothers_stream_that_begins_with_its_first_packet),
		cmocka_unit_test(anothers_stream_that_begins_later),
	};

	return cmocka_run_group_tests_name("stream_losses", tests, NULL, NULL);
}
