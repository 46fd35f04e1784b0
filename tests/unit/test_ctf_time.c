// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ctf_time.c - times of traces: rounded once, known to what they were rounded by, on one
 * axis where the clock is one, and left out where no reader of CTF knows them.
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
#include "../machines_found.h"

#define EVENTS \
	"event.header := struct { u32 id; time ts; }; };\nevent { name = e; id = 0; stream_id = 0; };\n"

static struct trace_dir dirs[2];
static struct complaints heard;

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	trace_dir_make(&dirs[0]);
	trace_dir_make(&dirs[1]);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	trace_dir_remove(&dirs[0]);
	trace_dir_remove(&dirs[1]);
	return 0;
}

/* A trace of one packet, whose events have these cycles of a clock: "freq = 3; offset = 2;" */
static void put_trace(const struct trace_dir *dir, const char *clock, const uint64_t *cycles,
		      unsigned int nr)
{
	static const char usual[] = "freq = 1000000000; absolute = TRUE;";
	const char *at = strstr(maker_metadata, usual);
	struct bits bits = { 0 };
	char text[4096];
	unsigned int i;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s" EVENTS, (int)(at - maker_metadata), maker_metadata,
		 clock, at + strlen(usual));
	trace_dir_put_text(dir, "metadata", text);
	maker_begin_packet(&bits, cycles[0], 0, 0);
	for (i = 0; i < nr; i++) {
		bits_put(&bits, 0, 32);
		bits_put(&bits, cycles[i], 64);
	}
	maker_end_packet(&bits, cycles[nr - 1], 0);
	trace_dir_put(dir, "stream", bits.bytes, bits_bytes(&bits));
	bits_clear(&bits);
}

static struct strata_ctf_trace *open_trace(const struct trace_dir *dir)
{
	struct strata_error error;
	struct strata_ctf_trace *trace =
		strata_ctf_trace_open(dir->path, complaints_hear, &heard, &error);

	if (!trace)
		fail_msg("%s", error.text);
	return trace;
}

/* Reads the trace's events.  Returns their number. */
static unsigned int read_times(const struct trace_dir *dir, uint64_t *ns, unsigned int room,
			       uint64_t *bounds)
{
	struct strata_ctf_trace *trace = open_trace(dir);
	struct strata_ctf_reader reader;
	struct strata_error error;
	unsigned int nr = 0;
	int got, i;

	assert_int_equal(trace->nr_streams, 1);
	assert_int_equal(strata_ctf_reader_open(&reader, &trace->streams[0], 4096, &error), 0);
	while ((got = strata_ctf_reader_next(&reader)) > 0) {
		for (i = 0; i < got && nr < room; i++) {
			bounds[nr] = strata_ctf_bound_ns(&reader, reader.events[i].bound);
			ns[nr++] = reader.events[i].ns;
		}
	}
	strata_ctf_reader_close(&reader);
	strata_ctf_trace_close(trace);
	return nr;
}

static void offset_and_cycles_are_rounded_once(void **state)
{
	const uint64_t cycles[] = { 0, 1, 2, 3, 1000000001 };
	/* (2 + cycles) / 3 s */
	const uint64_t wanted[] = { 666666666, 1000000000, 1333333333, 1666666666,
				    333333334333333333 };
	uint64_t ns[5], bounds[5];
	unsigned int i;

	(void)state;
	put_trace(&dirs[0], "freq = 3; offset = 2; absolute = TRUE;", cycles, 5);
	assert_int_equal(read_times(&dirs[0], ns, 5, bounds), 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(ns[i], wanted[i]);
	/* They are up to a ns late. */
	for (i = 0; i < 5; i++)
		assert_int_equal(bounds[i], 1);
}

static void whole_nanoseconds_are_exact(void **state)
{
	const uint64_t cycles[] = { 3, 4 };
	uint64_t ns[2], bounds[2];

	(void)state;
	put_trace(&dirs[0], "freq = 500000000; offset_s = 7; absolute = TRUE;", cycles, 2);
	assert_int_equal(read_times(&dirs[0], ns, 2, bounds), 2);
	assert_int_equal(ns[0], 7000000006);
	assert_int_equal(bounds[0], 0);
	assert_int_equal(bounds[1], 0);
}

static void a_clock_that_nobody_can_read_is_refused(void **state)
{
	static const char *const clocks[] = {
		"freq = 1000000000; offset_s = 9223372037; absolute = TRUE;",
		"freq = 1; offset_s = -9223372037; absolute = TRUE;",
		"freq = 1; offset = 18446744073709551615; absolute = TRUE;",
	};
	const uint64_t cycles[] = { 1 };
	struct strata_error error;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		put_trace(&dirs[0], clocks[i], cycles, 1);
		assert_null(strata_ctf_trace_open(dirs[0].path, complaints_hear, &heard, &error));
		assert_non_null(strstr(error.text, "the offset of its clock c is "));
		assert_non_null(strstr(error.text, "beyond the years 1677 to 2262"));
	}
}

static void times_beyond_2262_are_named(void **state)
{
	const uint64_t far = 1ull << 63;
	const uint64_t inside[] = { 5, far, 7 }, outside[] = { far, far + 1 };
	uint64_t ns[3], bounds[3];

	(void)state;
	put_trace(&dirs[0], "freq = 1000000000; absolute = TRUE;", inside, 3);
	assert_int_equal(read_times(&dirs[0], ns, 3, bounds), 3);
	assert_int_equal(ns[1], 5);
	assert_int_equal(ns[2], 7);
	/* Damaged times have no bound; the others have theirs. */
	assert_int_equal(bounds[0], 0);
	assert_true(bounds[1] == UINT64_MAX);
	assert_int_equal(bounds[2], 0);
	put_trace(&dirs[1], "freq = 1000000000; absolute = TRUE;", outside, 2);
	heard.nr = 0;
	assert_int_equal(read_times(&dirs[1], ns, 3, bounds), 2);
	assert_true(ns[0] <= INT64_MAX && ns[1] <= INT64_MAX);
	assert_true(heard.nr > 0);
	assert_non_null(strstr(heard.all, "beyond the year 2262"));
}

static void a_time_that_goes_back_is_clamped_and_its_bound_widened(void **state)
{
	/* The second is no time that can be; the third is later than the first again. */
	const uint64_t cycles[] = { 500, 420, 450, 500, 501 };
	const uint64_t wanted[] = { 0, 80, 50, 0, 0 };
	uint64_t ns[5], bounds[5];
	unsigned int i;

	(void)state;
	put_trace(&dirs[0], "freq = 1000000000; absolute = TRUE;", cycles, 5);
	heard.nr = 0;
	assert_int_equal(read_times(&dirs[0], ns, 5, bounds), 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(ns[i], i < 4 ? 500 : 501);
		assert_int_equal(bounds[i], wanted[i]);
	}
	assert_int_equal(heard.nr, 2);
	assert_non_null(strstr(heard.all, "goes back"));
}

/* The traces as the command opens them: of one machine. */
static void find(struct strata_trace_set *set, struct strata_machines *machines)
{
	struct strata_error error;
	unsigned int i;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < 2; i++)
		assert_int_equal(strata_trace_set_add(set, open_trace(&dirs[i]), &error), 0);
	if (machines_found(machines, set, complaints_hear, &heard, &error))
		fail_msg("%s", error.text);
	assert_int_equal(machines->nr, 1);
}

struct order_sink {
	struct strata_slice_sink sink;
	char order[16];
	uint64_t ns[16];
	unsigned int nr;
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct order_sink *got = (struct order_sink *)sink;

	(void)reader;
	(void)error;
	for (; nr > 0; nr--, events++) {
		got->ns[got->nr] = events->ns;
		got->order[got->nr++] = (char)('a' + stream);
	}
	return 0;
}

#define CLOCK(offset, more) "freq = 1000000000; offset = " offset "; absolute = TRUE;" more
#define UUID                "uuid = \"abababab-0000-0000-0000-000000000001\";"

static void traces_of_one_clock_are_in_its_order(void **state)
{
	const uint64_t a[] = { 1000, 2000, 3000 }, b[] = { 999, 1001, 2999 };
	struct order_sink got = { .sink = { .take = take } };
	struct strata_ctf_tally tallies[2] = { 0 };
	struct strata_machines machines;
	struct strata_trace_set set;
	struct strata_error error;

	(void)state;
	put_trace(&dirs[0], CLOCK("1700000000000000000", UUID), a, 3);
	put_trace(&dirs[1], CLOCK("1700000000000005600", UUID), b, 3);
	find(&set, &machines);
	assert_int_equal(strata_trace_set_merge(&set, 0, UINT64_MAX, &got.sink, tallies, &error),
			 0);
	assert_int_equal(got.nr, 6);
	assert_memory_equal(got.order, "bababa", 6);
	assert_int_equal(got.ns[0], 1700000000000000999);
	assert_int_equal(set.traces[1]->own_bound_ns, 0);
	assert_int_equal(set.traces[0]->clock_group, set.traces[1]->clock_group);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
}

static void a_clock_that_was_set_in_between_is_not_one(void **state)
{
	const uint64_t a[] = { 1000 };
	struct strata_machines machines;
	struct strata_trace_set set;

	(void)state;
	put_trace(&dirs[0], CLOCK("1700000000000000000", UUID), a, 1);
	put_trace(&dirs[1], CLOCK("1700000009000000000", UUID), a, 1);
	find(&set, &machines);
	assert_int_equal(set.traces[1]->own_bound_ns, 9000000000);
	assert_int_not_equal(set.traces[0]->clock_group, set.traces[1]->clock_group);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(offset_and_cycles_are_rounded_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(whole_nanoseconds_are_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_clock_that_nobody_can_read_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(times_beyond_2262_are_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_time_that_goes_back_is_clamped_and_its_bound_widened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(traces_of_one_clock_are_in_its_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_clock_that_was_set_in_between_is_not_one, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
