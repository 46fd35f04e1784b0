// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_reader.c - every event of a stream is read, with its time and its values:
 * of all forms of headers, in packets and windows of all sizes, by one reader or in slices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "outputs/count.h"
#include "ctf_forms.h"

#define EVENTS    3000u
#define BEGIN     1700000000000000000ull
#define LARGE_MAX (200u << 10)

static struct trace_dir dir;
static struct complaints heard;

struct event {
	uint64_t ns;
	uint64_t id;
	uint32_t length;
};

static struct event events[EVENTS];
static uint64_t seed;

static uint64_t bytes_read;

/* Replaces the C library's: counts what the reader reads. */
ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	const ssize_t got = syscall(SYS_pread64, fd, buffer, bytes, offset);

	bytes_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	trace_dir_make(&dir);
	seed = 0x9e3779b97f4a7c15ull;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	trace_dir_remove(&dir);
	return 0;
}

/* Three events: the first and last ids that the form can tell, and one in between; each is a number
 * of bytes, and as many of them. */
static void put_metadata(const struct ctf_form *form, const uint64_t *ids, unsigned int nr_ids)
{
	char text[16384];
	unsigned int i;

	ctf_form_tell(form, "", text, sizeof(text));
	for (i = 0; i < nr_ids; i++)
		sprintf(text + strlen(text),
			"event { name = e%u; id = %llu; stream_id = 0; fields := struct {"
			" u32 n; u8 b[n]; integer { size = 16; align = 16; } check; }; };\n",
			i, (unsigned long long)ids[i]);
	trace_dir_put_text(&dir, "metadata", text);
}

static void put_event(struct bits *bits, const struct ctf_form *form, const struct event *event,
		      uint64_t before)
{
	uint32_t i;

	ctf_form_put(form, bits, event->id, event->ns, before);
	bits_put_aligned(bits, event->length, 32, 16);
	for (i = 0; i < event->length; i++)
		bits_put(bits, (event->ns + i) & 0xff, 8);
	bits_put_aligned(bits, event->ns & 0xffff, 16, 16);
}

/* Writes all events; packets end after some bytes, at random, small ones and large ones. */
static void put_stream(const struct ctf_form *form, unsigned int large)
{
	struct bits bits = { .big_endian = form->big_endian };
	const uint64_t ids[] = { 0, form->max_id / 2, form->max_id };
	uint64_t ns = BEGIN, before = BEGIN, limit = 0, sequence = 0;
	unsigned int i;

	put_metadata(form, ids, form->max_id ? 3 : 1);
	for (i = 0; i < EVENTS; i++) {
		const unsigned int kind = (unsigned int)(maker_random(&seed) >> 33) % 100;
		struct event *event = &events[i];

		/* Mostly soon, sometimes later than a short time can tell. */
		if (kind < 98 || form->time_bits < 20)
			ns += maker_random(&seed) % 5000;
		else
			ns += (1ull << (form->time_bits < 41 ? form->time_bits : 40)) - 3 + kind;
		if (form->time_bits == 41 && kind == 99)
			ns -= 1ull << 39;
		if (limit == 0) {
			before = ns;
			maker_begin_packet(&bits, ns, sequence++, 3);
			limit = 100 + maker_random(&seed) % (i % 2 ? 300 : 30000);
		}
		event->ns = form->time_bits ? ns : before;
		event->id = ids[form->max_id ? maker_random(&seed) % 3 : 0];
		event->length = (uint32_t)(maker_random(&seed) % 40);
		if (large && maker_random(&seed) % 500 == 0)
			event->length = large - 5 + (uint32_t)(maker_random(&seed) % 10);
		put_event(&bits, form, event, before);
		before = form->time_bits ? ns : before;
		if ((bits.at - bits.origin) / 8 > limit || i + 1 == EVENTS) {
			maker_end_packet(&bits, form->time_bits ? ns : before,
					 maker_random(&seed) % 2 ? 5000 : 0);
			limit = 0;
		}
	}
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}

static void check_values(struct strata_ctf_reader *reader, const struct strata_lane_event *at,
			 const struct event *event)
{
	const struct strata_ctf_type *payload = reader->kind->classes[at->class].event->payload;
	struct strata_ctf_cursor cursor, moved;
	uint64_t value = 0, i;

	strata_ctf_event_open(reader, at, &cursor);
	moved = cursor;
	assert_int_equal(reader->kind->classes[at->class].event->id, event->id);
	assert_true(strata_ctf_skip(&moved, payload));
	assert_int_equal(moved.at, at->end);
	assert_true(strata_ctf_align(&cursor, payload->align));
	assert_true(strata_ctf_read_number(&cursor, payload->fields[0].type, &value));
	assert_int_equal(value, event->length);
	for (i = 0; i < event->length; i++) {
		assert_true(
			strata_ctf_read_number(&cursor, payload->fields[1].type->element, &value));
		if (value != ((event->ns + i) & 0xff))
			fail_msg("byte %llu of %u is wrong", (unsigned long long)i, event->length);
	}
	assert_true(strata_ctf_read_number(&cursor, payload->fields[2].type, &value));
	assert_int_equal(value, event->ns & 0xffff);
	assert_int_equal(cursor.at, at->end);
}

static void check_stream(const struct ctf_form *form, size_t window)
{
	struct strata_ctf_reader reader;
	struct strata_ctf_trace *trace;
	struct strata_error error;
	size_t i, nr = 0;
	int got;

	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	if (!trace)
		fail_msg("%s: %s", form->name, error.text);
	assert_int_equal(trace->nr_streams, 1);
	assert_int_equal(trace->streams[0].cpu, 3);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], window, &error), 0);
	while ((got = strata_ctf_reader_next(&reader)) > 0) {
		for (i = 0; i < (size_t)got; i++, nr++) {
			assert_true(nr < EVENTS);
			if (reader.events[i].ns != events[nr].ns)
				fail_msg("%s: event %zu is at %llu, not %llu", form->name, nr,
					 (unsigned long long)reader.events[i].ns,
					 (unsigned long long)events[nr].ns);
			check_values(&reader, &reader.events[i], &events[nr]);
		}
	}
	assert_int_equal(got, 0);
	if (nr != EVENTS || heard.nr)
		fail_msg("%s: %zu events.  Told:\n%s", form->name, nr, heard.all);
	assert_int_equal(reader.tally.clamped_times + reader.tally.wild_times +
				 reader.tally.bad_packets + reader.tally.missing_packets,
			 0);
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
}

/* The smallest window is smaller than most packets, the largest than none. */
static void all_forms_of_headers_are_read(void **state)
{
	static const size_t windows[] = { 0, 10000, 1u << 20 };
	size_t i, j;

	(void)state;
	for (i = 0; i < nr_ctf_forms; i++) {
		put_stream(&ctf_forms[i], 0);
		for (j = 0; j < 3; j++)
			check_stream(&ctf_forms[i], windows[j]);
	}
}

static void events_may_be_larger_than_the_window(void **state)
{
	static const unsigned int sizes[] = { 4096, 8192, 65536, LARGE_MAX };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		put_stream(&ctf_forms[i], sizes[i]);
		check_stream(&ctf_forms[i], 4096);
	}
}

/* A window that moves within a packet begins with the first byte that is not decoded yet: of the
 * bytes before it, at most a part of an event is read twice. */
static void windows_do_not_overlap(void **state)
{
	static const size_t windows[] = { 4096, 12288, 65536 };
	struct bits bits = { .big_endian = ctf_forms[0].big_endian };
	const uint64_t ids[] = { 0 };
	size_t i;

	(void)state;
	put_metadata(&ctf_forms[0], ids, 1);
	maker_begin_packet(&bits, BEGIN, 0, 3);
	for (i = 0; i < EVENTS; i++) {
		events[i] = (struct event){ .ns = BEGIN + i, .length = 50 };
		put_event(&bits, &ctf_forms[0], &events[i], BEGIN + (i ? i - 1 : 0));
	}
	maker_end_packet(&bits, BEGIN + EVENTS - 1, 0);
	trace_dir_put(&dir, "stream", bits.bytes, bits_bytes(&bits));
	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		const size_t moves = bits_bytes(&bits) / windows[i] + 1;

		bytes_read = 0;
		check_stream(&ctf_forms[0], windows[i]);
		/* The header is read when the trace is opened, too. */
		assert_true(bytes_read >= bits_bytes(&bits));
		assert_true(bytes_read <= bits_bytes(&bits) + 4096 + moves * 100);
	}
	bits_clear(&bits);
}

static struct strata_chain count(unsigned int threads, uint64_t slice_bytes)
{
	const struct strata_slice_options options = { .to_ns = UINT64_MAX,
						      .threads = threads,
						      .slice_bytes = slice_bytes };
	struct strata_trace_set set = { 0 };
	struct strata_ctf_trace *trace;
	struct strata_error error;
	struct strata_chain chain;

	trace = strata_ctf_trace_open(dir.path, complaints_hear, &heard, &error);
	assert_non_null(trace);
	assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	assert_int_equal(strata_count(&set, &options, &chain, &error), 0);
	strata_trace_set_clear(&set);
	return chain;
}

static void slices_come_to_the_whole(void **state)
{
	static const struct {
		unsigned int threads;
		uint64_t slice_bytes;
	} cases[] = { { 2, 0 }, { 3, 1000 }, { 8, 100 }, { 2, 1u << 30 } };
	size_t i, j;

	(void)state;
	for (i = 0; i < nr_ctf_forms; i++) {
		struct strata_chain whole;

		put_stream(&ctf_forms[i], 0);
		whole = count(1, 0);
		assert_int_equal(whole.events, EVENTS);
		for (j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
			const struct strata_chain joined =
				count(cases[j].threads, cases[j].slice_bytes);

			assert_int_equal(joined.events, EVENTS);
			assert_int_equal(joined.hash, whole.hash);
		}
	}
	assert_int_equal(heard.nr, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(all_forms_of_headers_are_read),
		CASE(events_may_be_larger_than_the_window),
		CASE(windows_do_not_overlap),
		CASE(slices_come_to_the_whole),
	};

	return cmocka_run_group_tests_name("ctf_reader", tests, NULL, NULL);
}
