// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_presence.c - a guest's events from times when it was not recorded are left out, and
 * move neither the begin nor the end of the timeline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/recording_traces.h"
#include "recording/ctf_metadata.h"
#include "merge_fixture.h"
#include "recording/presence.h"
#include "files/safe_dir.h"
#include "timeline/trace_set.h"
#include "saved.h"

#define SECOND (SYNTHETIC_TSC_KHZ * 1000ull)
#define SINCE  (5000 * SECOND)
#define ENDED  (5100 * SECOND)

/* How far g1's clock is behind the host's. */
#define BEHIND (3000 * SECOND)

static const struct synthetic_clock g1_clock = { .is_hvm = true, .ratio = 1, .offset = 0 - BEHIND };

static void mark(struct synthetic *rec, uint64_t host_ticks, unsigned int number)
{
	synthetic_mark(rec, "g1", 0, host_ticks - BEHIND, (uint8_t)number);
	synthetic_close_packet(synthetic_stream(rec, "g1", 0));
}

/* A recording of 100 s, in which a guest's packets are of these host times. */
static void build(struct synthetic *rec, const uint64_t *ticks, size_t nr, bool is_known)
{
	size_t i;

	synthetic_init(rec);
	synthetic_add_source(rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(rec, "g1", "kernel", 1);
	if (is_known) {
		rec->ended_ticks = ENDED;
		rec->sources[1].since_ticks = SINCE;
	}
	synthetic_vcpu_clock(rec, 0, SINCE, 1, 0, &g1_clock);
	synthetic_runstate(rec, 0, SINCE + SECOND, 1, 0, 1, 0);
	for (i = 0; i < nr; i++)
		mark(rec, ticks[i], (unsigned int)i + 1);
	synthetic_runstate(rec, 0, ENDED - SECOND, 1, 0, 0, 2);
}

static const uint64_t forged_past[] = { SINCE - 1400 * SECOND, SINCE + 2 * SECOND,
					SINCE + 3 * SECOND };
static const uint64_t forged_future[] = { SINCE + 2 * SECOND, SINCE + 3 * SECOND,
					  ENDED + 7000000 * SECOND };
static const uint64_t honest[] = { SINCE, SINCE + 2 * SECOND, ENDED };

/* Runs `strata merge`, which keeps @left events of g1. */
static void merges(const uint64_t *ticks, unsigned int left, unsigned int refused)
{
	struct synthetic rec;
	struct merged merged;

	build(&rec, ticks, 3, true);
	merge_written(&rec, &merged);
	assert_int_equal(merged_count(&merged, "g1", NULL), left);
	assert_int_equal(merged.result.tally.bad_packets, refused);
	assert_true(merged.events[0].ticks >= SINCE);
	assert_true(merged.events[merged.nr_events - 1].ticks <= ENDED);
	if (refused)
		assert_non_null(strstr(merged.complaints, "its times are before"));
	merged_free(&merged);
}

static void a_merge_leaves_out_what_cannot_be(void **state)
{
	(void)state;
	merges(honest, 3, 0);
	merges(forged_past, 2, 1);
	merges(forged_future, 2, 1);
}

/*
 * A guest that sets its counter once, 2 s after it appeared, and writes readings, each a packet.
 * Those that no conversion places where the guest was present are still accepted, because their
 * bound reaches that far, or because they lie between the times of their packet.
 */
#define FAR (7000000 * SECOND)

struct setter {
	uint64_t set_by;      /* added to the counter */
	bool is_incomplete;   /* it was set more often than Xen records */
	bool is_one_packet;   /* all events are in one packet */
	uint64_t readings[3]; /* by the counter before it was set, or since */
};

static void build_setter(struct synthetic *rec, const struct setter *setter)
{
	const struct synthetic_clock before = { .is_hvm = true, .ratio = 1 };
	const struct synthetic_clock since = { .is_hvm = true,
					       .ratio = 1,
					       .offset = setter->set_by,
					       .incomplete = setter->is_incomplete };
	size_t i;

	synthetic_init(rec);
	synthetic_add_source(rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(rec, "g1", "kernel", 1);
	rec->ended_ticks = ENDED;
	rec->sources[1].since_ticks = SINCE;
	synthetic_vcpu_clock(rec, 0, SINCE, 1, 0, &before);
	synthetic_runstate(rec, 0, SINCE + SECOND, 1, 0, 1, 0);
	synthetic_vcpu_clock(rec, 0, SINCE + 2 * SECOND, 1, 0, &since);
	for (i = 0; i < 3; i++) {
		synthetic_mark(rec, "g1", 0, setter->readings[i], (uint8_t)(i + 1));
		if (!setter->is_one_packet)
			synthetic_close_packet(synthetic_stream(rec, "g1", 0));
	}
	synthetic_close_packet(synthetic_stream(rec, "g1", 0));
	synthetic_runstate(rec, 0, ENDED - SECOND, 1, 0, 0, 2);
}

static const struct setter setters[] = {
	/* Readings of long ago, which repeat when the counter is set back. */
	{ .set_by = 0 - 4000 * SECOND,
	  .readings = { SINCE - 3900 * SECOND, SINCE - 3800 * SECOND, SINCE + SECOND } },
	/* Readings that the counter skipped. */
	{ .set_by = FAR,
	  .is_one_packet = true,
	  .readings = { SINCE + SECOND, SINCE + FAR / 2, SINCE + FAR + 3 * SECOND } },
	/* Without a bound. */
	{ .set_by = SECOND,
	  .is_incomplete = true,
	  .readings = { SINCE + SECOND, SINCE + FAR, SINCE + FAR + SECOND } },
};

static void a_counter_that_is_set_moves_neither_begin_nor_end(void **state)
{
	const uint64_t margin = SYNTHETIC_TSC_KHZ * (uint64_t)STRATA_PRESENCE_MARGIN_MS;
	struct synthetic rec;
	struct merged merged;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(setters) / sizeof(setters[0]); i++) {
		build_setter(&rec, &setters[i]);
		merge_written(&rec, &merged);
		assert_int_equal(merged_count(&merged, "g1", NULL), 3);
		assert_true(merged.events[0].ticks >= SINCE - margin);
		assert_true(merged.events[merged.nr_events - 1].ticks <= ENDED + margin);
		merged_free(&merged);
	}
}

struct span {
	struct strata_slice_sink slice;
	uint64_t first_ns, last_ns, nr;
};

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct span *span = (struct span *)sink;

	(void)stream;
	(void)reader;
	(void)error;
	if (!span->nr)
		span->first_ns = events[0].ns;
	span->nr += nr;
	span->last_ns = events[nr - 1].ns;
	return 0;
}

/* Runs `strata view` and `strata convert`. */
static void reads(const uint64_t *ticks, bool is_known, uint64_t left, uint64_t refused)
{
	struct strata_ctf_tally tallies[2] = { { 0 } };
	struct span span = { .slice.take = take };
	struct strata_recording_traces *traces;
	struct strata_recording recording = { 0 };
	struct strata_trace_set set = { 0 };
	struct strata_error error = { "" };
	struct strata_dir dir;
	struct synthetic rec;
	size_t i;

	build(&rec, ticks, 3, is_known);
	synthetic_write(&rec);
	assert_int_equal(strata_dir_open(&dir, rec.dir, &error), 0);
	assert_int_equal(loaded_recording(&recording, rec.dir, &error), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(
			strata_ctf_metadata_save(&recording, &recording.sources[i], &dir, &error),
			0);
	strata_dir_close(&dir);
	strata_recording_clear(&recording);
	traces = strata_recording_traces_open(rec.dir, NULL, NULL, NULL, &error);
	assert_non_null(traces);
	for (i = 0; i < 2; i++)
		assert_int_equal(
			strata_trace_set_add(&set, strata_recording_traces_trace(traces, i, &error),
					     &error),
			0);
	assert_int_equal(strata_trace_set_merge(&set, 0, UINT64_MAX, &span.slice, tallies, &error),
			 0);
	assert_int_equal(tallies[1].events, left);
	assert_int_equal(tallies[1].bad_packets, refused);
	if (is_known)
		assert_true(span.last_ns - span.first_ns <= 101000000000ull);
	strata_trace_set_clear(&set);
	strata_recording_traces_close(traces);
	synthetic_free(&rec);
}

static void so_does_whoever_reads_its_traces(void **state)
{
	(void)state;
	reads(honest, true, 3, 0);
	reads(forged_past, true, 2, 1);
	reads(forged_future, true, 2, 1);
}

/* A flight recorder that was taken over has a past of unknown length. */
static void where_it_is_not_known_since_when_all_is_believed(void **state)
{
	(void)state;
	reads(forged_past, false, 3, 0);
}

static void a_bound_is_allowed_for(void **state)
{
	const struct strata_recording recording = { .tsc_khz = SYNTHETIC_TSC_KHZ };
	const struct strata_source source = { .layer = STRATA_LAYER_KERNEL, .since_ticks = SINCE };
	const struct strata_presence presence = strata_presence_of(&recording, &source, ENDED);
	const uint64_t margin = SYNTHETIC_TSC_KHZ * (uint64_t)STRATA_PRESENCE_MARGIN_MS;
	struct strata_error error;

	(void)state;
	assert_int_equal(
		strata_presence_check(&presence, SINCE - margin, ENDED + margin, 0, &error), 0);
	assert_int_equal(strata_presence_check(&presence, SINCE - margin - 1, ENDED, 0, &error),
			 -1);
	assert_int_equal(strata_presence_check(&presence, SINCE - margin - 1, ENDED, 1, &error), 0);
	assert_int_equal(strata_presence_check(&presence, SINCE, ENDED + margin + 1, 0, &error),
			 -1);
	assert_int_equal(strata_presence_check(&presence, SINCE, ENDED + margin + 1, 1, &error), 0);
	assert_int_equal(strata_presence_check(&presence, 0, UINT64_MAX, UINT64_MAX, &error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_merge_leaves_out_what_cannot_be),
		cmocka_unit_test(so_does_whoever_reads_its_traces),
		cmocka_unit_test(where_it_is_not_known_since_when_all_is_believed),
		cmocka_unit_test(a_bound_is_allowed_for),
		cmocka_unit_test(a_counter_that_is_set_moves_neither_begin_nor_end),
	};

	return cmocka_run_group_tests_name("merge presence", tests, NULL, NULL);
}
