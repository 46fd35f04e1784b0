// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_damage.c - damaged recordings: intact parts are merged, damaged ones are named with
 * their place, and impossible values are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "merge_fixture.h"

#define PACKET_BYTES 4096u

/* dom0 alone, @packets packets of marks; returns marks in each. */
static unsigned int build(struct synthetic *rec, unsigned int packets)
{
	const unsigned int each = 100;
	unsigned int i, packet;
	uint64_t ticks = SYNTHETIC_ANCHOR_TICKS;

	synthetic_init(rec);
	synthetic_add_source(rec, "dom0", "kernel", 0);
	for (packet = 0; packet < packets; packet++) {
		for (i = 0; i < each; i++)
			synthetic_mark(rec, "dom0", 0, ticks += 10, packet);
		synthetic_close_packet(synthetic_stream(rec, "dom0", 0));
	}
	return each;
}

static void merge_and_free(struct synthetic *rec, struct merged *merged)
{
	synthetic_write(rec);
	merge_directory(merged, rec->dir, NULL, 0);
	synthetic_free(rec);
}

static void assert_complained(const struct merged *merged, const char *of)
{
	if (!strstr(merged->complaints, of))
		fail_msg("\"%s\" does not say \"%s\"", merged->complaints, of);
}

static void a_bad_packet_in_the_middle_is_named_and_the_rest_merged(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 5);

	(void)state;
	/* An undefined event id, in the third packet's first record. */
	rec.streams[0].bytes[2 * PACKET_BYTES + SYNTHETIC_HEADER_BYTES] = 99;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.status, 0);
	assert_int_equal(merged.nr_events, 4 * each);
	assert_int_equal(merged.events[2 * each].first_byte, 3);
	assert_int_equal(merged.result.tally.bad_packets, 1);
	assert_int_equal(merged.nr_complaints, 1);
	assert_complained(&merged, "/dom0/cpu_0: byte 8296, packet at 8192: event id 99 is not in "
				   "the metadata; the last 1997 bytes of its packet are left out");
	merged_free(&merged);
}

static void a_bad_size_does_not_hide_the_packets_behind_it(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 5);
	uint64_t bits = 8ull * 1000000000;

	(void)state;
	memcpy(rec.streams[0].bytes + PACKET_BYTES + 48, &bits, 8);
	merge_and_free(&rec, &merged);
	/* Its content is at the place in the table. */
	assert_int_equal(merged.nr_events, 5 * each);
	assert_int_equal(merged.result.tally.bad_packets, 1);
	assert_complained(&merged, "packet at 4096: the packet claims to be longer than the file; "
				   "reading continues at byte 8192, within it");
	merged_free(&merged);
}

static void a_header_that_was_overwritten_is_stepped_over(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 5);

	(void)state;
	memset(rec.streams[0].bytes, 0, 2 * PACKET_BYTES + 50);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each);
	assert_int_equal(merged.result.tally.bad_packets, 1);
	assert_complained(&merged, "packet at 0: no packet begins here (magic 0x0); 12288 bytes "
				   "are left out, up to the next place where a packet begins");
	merged_free(&merged);
}

static void a_torn_tail_is_named_and_what_is_whole_of_it_kept(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 3);

	(void)state;
	/* The file ends within the third packet's second event. */
	rec.streams[0].nr_bytes = 2 * PACKET_BYTES + SYNTHETIC_HEADER_BYTES + 30;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each + 1);
	assert_complained(&merged, "packet at 8192: the file ends within the packet: ");
	merged_free(&merged);

	each = build(&rec, 3);
	rec.streams[0].nr_bytes = 2 * PACKET_BYTES + 20;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each);
	assert_complained(&merged, "packet at 8192: the file ends within the packet's header");
	merged_free(&merged);
}

/* The recording's table is older than its packets. */
static void losses_of_each_kind_that_packets_say_are_counted(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int kind;

	(void)state;
	for (kind = 0; kind < STRATA_NR_LOST; kind++) {
		const uint64_t lost = 3 + kind;
		uint8_t *second;

		build(&rec, 2);
		second = rec.streams[0].bytes + PACKET_BYTES;
		memcpy(second + 64, &lost, sizeof(lost));
		memcpy(second + 72 + 8 * kind, &lost, sizeof(lost));
		merge_and_free(&rec, &merged);
		assert_int_equal(merged.nr_complaints, 0);
		assert_int_equal(merged.lost[0], lost);
		assert_int_equal(merged.result.tally.discarded, lost);
		merged_free(&merged);
	}
}

static void a_file_that_is_cut_between_packets_is_named(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 3);

	(void)state;
	rec.streams[0].nr_bytes = 2 * PACKET_BYTES;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each);
	assert_int_equal(merged.result.tally.bad_packets, 1);
	assert_int_equal(merged.nr_complaints, 1);
	assert_complained(&merged, "it ends after 2 packets, but the recording says 3");
	merged_free(&merged);
}

static void a_packet_inside_of_a_bad_packet_is_not_believed(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 3);
	uint8_t *bad = rec.streams[0].bytes + 2 * PACKET_BYTES;
	uint64_t bits = 8 * SYNTHETIC_HEADER_BYTES, sequence = 9;

	(void)state;
	/* A guest can write bytes that look like a packet, and like an empty one, into a payload.
	 */
	memcpy(bad + 1000, bad, SYNTHETIC_HEADER_BYTES);
	memcpy(bad + 1000 + 40, &bits, 8);
	memcpy(bad + 1000 + 48, &bits, 8);
	memcpy(bad + 1000 + 56, &sequence, 8);
	bad[SYNTHETIC_HEADER_BYTES] = 99;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each);
	assert_int_equal(merged.result.tally.missing_packets, 0);
	assert_complained(&merged, "packet at 8192: event id 99 is not in the metadata; ");
	merged_free(&merged);
}

static void a_packet_that_comes_twice_is_taken_once(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 3);

	(void)state;
	memcpy(rec.streams[0].bytes + PACKET_BYTES, rec.streams[0].bytes, PACKET_BYTES);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 2 * each);
	assert_complained(
		&merged,
		"packet at 4096: its sequence number 0 comes after 0; 4096 bytes are left out");
	assert_int_equal(merged.result.tally.missing_packets, 1);
	merged_free(&merged);
}

static void a_packet_of_another_cpu_is_refused(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int each = build(&rec, 2);

	(void)state;
	rec.streams[0].bytes[PACKET_BYTES + 96] = 7;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, each);
	assert_complained(&merged, "it is of CPU 7");
	merged_free(&merged);
}

static void a_stream_of_nothing_but_junk_is_named_in_a_few_words(void **state)
{
	struct synthetic rec;
	struct merged merged;
	unsigned int i;

	(void)state;
	build(&rec, 1500);
	for (i = 0; i < 1500; i++)
		rec.streams[0].bytes[i * PACKET_BYTES + SYNTHETIC_HEADER_BYTES] = 99;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 0);
	assert_int_equal(merged.result.tally.bad_packets, 1500);
	assert_complained(&merged, "packet at 4096: event id 99 is not in the metadata");
	assert_complained(&merged, "Further damage here is only counted");
	assert_true(merged.nr_complaints < 12);
	merged_free(&merged);
}

static void a_missing_file_is_named_only_if_it_had_packets(void **state)
{
	struct synthetic rec;
	struct merged merged;
	char path[128];

	(void)state;
	build(&rec, 2);
	synthetic_stream(&rec, "dom0", 1);
	synthetic_write(&rec);
	snprintf(path, sizeof(path), "%s/dom0/cpu_0", rec.dir);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/dom0/cpu_1", rec.dir);
	assert_int_equal(unlink(path), 0);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_int_equal(merged.nr_complaints, 1);
	assert_complained(&merged, "cpu_0: cannot be read, but the recording says 2 packets");
	assert_int_equal(merged.result.tally.bad_packets, 1);
	merged_free(&merged);
	synthetic_free(&rec);
}

static void a_pipe_in_place_of_a_file_does_not_hang(void **state)
{
	struct synthetic rec;
	struct merged merged;
	char path[128];

	(void)state;
	build(&rec, 2);
	synthetic_write(&rec);
	snprintf(path, sizeof(path), "%s/dom0/cpu_0", rec.dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_complained(&merged, "cpu_0: not a regular file");
	merged_free(&merged);
	synthetic_free(&rec);
}

static void missing_packets_are_counted(void **state)
{
	struct synthetic rec;
	struct merged merged;
	uint64_t sequence = 5;

	(void)state;
	build(&rec, 3);
	memcpy(rec.streams[0].bytes + 2 * PACKET_BYTES + 56, &sequence, 8);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 300);
	assert_int_equal(merged.result.tally.missing_packets, 3);
	assert_int_equal(merged.nr_complaints, 0);
	merged_free(&merged);
}

static void losses_are_those_of_the_packets_or_of_the_recorder_if_more(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	build(&rec, 2);
	rec.streams[0].lost = 4;
	synthetic_mark(&rec, "dom0", 0, SYNTHETIC_ANCHOR_TICKS * 2, 1);
	synthetic_close_packet(&rec.streams[0]);
	rec.streams[0].lost_after = 3;
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.result.tally.discarded, 7);
	assert_int_equal(merged.lost[0], 7);
	merged_free(&merged);
}

static void time_that_goes_back_between_packets_is_held_and_counted(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	synthetic_init(&rec);
	synthetic_add_source(&rec, "dom0", "kernel", 0);
	synthetic_mark(&rec, "dom0", 0, 5000, 1);
	synthetic_close_packet(synthetic_stream(&rec, "dom0", 0));
	synthetic_mark(&rec, "dom0", 0, 4000, 2);
	synthetic_mark(&rec, "dom0", 0, 6000, 3);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.nr_events, 3);
	assert_int_equal(merged.events[1].ticks, 5000);
	/* The packet before it may be the one that is too late: this packet's times are within its
	 * bound. */
	assert_int_equal(merged.events[1].bound_ticks, 1000);
	assert_int_equal(merged.events[1].first_byte, 2);
	assert_int_equal(merged.events[2].ticks, 6000);
	assert_int_equal(merged.result.tally.clamped_times, 1);
	merged_free(&merged);
}

#define RUNNING  0u
#define RUNNABLE 1u
#define BLOCKED  2u

static void mark_at(struct synthetic *rec, const struct synthetic_clock *clock, uint64_t ticks)
{
	synthetic_mark(rec, "g1", 0, synthetic_guest_ticks(clock, ticks), 1);
}

/* The lost record may be a correction of system time: before, between or behind those that are
 * present. */
static void in_a_packet_before_which_records_are_lost_no_emulated_time_is_sure(void **state)
{
	static const struct synthetic_clock clock = { .is_hvm = true,
						      .emulated = true,
						      .offset = 77777777777ull,
						      .vtsc_mul_frac = 0x9999999au,
						      .vtsc_shift = 2 };
	const uint64_t begin = SYNTHETIC_ANCHOR_TICKS;
	struct synthetic_stream *xen;
	struct synthetic rec;
	struct merged merged;

	(void)state;
	synthetic_init(&rec);
	synthetic_add_source(&rec, "xen", "xen", 0x7ff4);
	synthetic_add_source(&rec, "g1", "kernel", 1);
	xen = synthetic_stream(&rec, "xen", 0);
	synthetic_pcpu_clock(&rec, 0, begin);
	synthetic_vcpu_clock(&rec, 0, begin + 1, 1, 0, &clock);
	synthetic_vcpu_state(&rec, 0, begin + 2, 1, 0, 0);
	mark_at(&rec, &clock, begin + 1000000);
	synthetic_vcpu_state(&rec, 0, begin + 2000000, 1, 0, 0);
	synthetic_close_packet(xen);
	xen->lost = 3;
	synthetic_pcpu_clock(&rec, 0, begin + 4000000);
	mark_at(&rec, &clock, begin + 5000000);
	synthetic_pcpu_clock(&rec, 0, begin + 6000000);
	mark_at(&rec, &clock, begin + 7000000);
	synthetic_vcpu_state(&rec, 0, begin + 8000000, 1, 0, 0);
	synthetic_close_packet(xen);
	mark_at(&rec, &clock, begin + 9000000);
	synthetic_pcpu_clock(&rec, 0, begin + 10000000);
	mark_at(&rec, &clock, begin + 11000000);
	synthetic_vcpu_state(&rec, 0, begin + 12000000, 1, 0, 0);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged_count(&merged, "g1", NULL), 5);
	assert_int_equal(merged.unsure, 3);
	/* They are where they belong if nothing that tells of time was lost. */
	assert_int_equal(merged.result.tally.clamped_times, 0);
	merged_free(&merged);
}

/* It may have run on the CPU whose records are missing: from when it was said to run no more, until
 * it is said to run again. */
static void where_a_vcpu_ran_unseen_no_emulated_time_is_sure(void **state)
{
	static const struct synthetic_clock clock = { .is_hvm = true,
						      .emulated = true,
						      .offset = 77777777777ull,
						      .vtsc_mul_frac = 0x9999999au,
						      .vtsc_shift = 2 };
	const uint64_t begin = SYNTHETIC_ANCHOR_TICKS;
	struct synthetic_stream *other;
	struct synthetic rec;
	struct merged merged;

	(void)state;
	synthetic_init(&rec);
	synthetic_add_source(&rec, "xen", "xen", 0x7ff4);
	synthetic_add_source(&rec, "g1", "kernel", 1);
	synthetic_pcpu_clock(&rec, 0, begin);
	synthetic_vcpu_clock(&rec, 0, begin + 1, 1, 0, &clock);
	synthetic_vcpu_state(&rec, 0, begin + 2, 1, 0, 0);
	synthetic_pcpu_clock(&rec, 1, begin + 3);
	other = synthetic_stream(&rec, "xen", 1);
	mark_at(&rec, &clock, begin + 1000000);
	synthetic_vcpu_state(&rec, 1, begin + 1500000, 7, 0, 0);
	synthetic_close_packet(other);
	other->lost = 3;
	synthetic_vcpu_state(&rec, 1, begin + 2000000, 7, 0, 0);
	synthetic_vcpu_state(&rec, 1, begin + 4000000, 7, 0, 0);
	synthetic_close_packet(other);
	synthetic_runstate(&rec, 0, begin + 3000000, 1, 0, RUNNING, BLOCKED);
	mark_at(&rec, &clock, begin + 3500000);
	synthetic_pcpu_clock(&rec, 1, begin + 5000000);
	mark_at(&rec, &clock, begin + 6000000);
	synthetic_runstate(&rec, 0, begin + 7000000, 1, 0, RUNNABLE, RUNNING);
	mark_at(&rec, &clock, begin + 8000000);
	synthetic_vcpu_state(&rec, 1, begin + 9000000, 7, 0, 0);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged_count(&merged, "g1", NULL), 4);
	assert_int_equal(merged.unsure, 2);
	merged_free(&merged);
}

static void a_recording_of_nothing_says_so(void **state)
{
	struct synthetic rec;
	struct merged merged;

	(void)state;
	synthetic_init(&rec);
	merge_and_free(&rec, &merged);
	assert_int_equal(merged.status, -1);
	assert_non_null(strstr(merged.error.text, "nothing was recorded"));
	merged_free(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_packet_in_the_middle_is_named_and_the_rest_merged),
		cmocka_unit_test(a_bad_size_does_not_hide_the_packets_behind_it),
		cmocka_unit_test(a_header_that_was_overwritten_is_stepped_over),
		cmocka_unit_test(a_torn_tail_is_named_and_what_is_whole_of_it_kept),
		cmocka_unit_test(losses_of_each_kind_that_packets_say_are_counted),
		cmocka_unit_test(a_file_that_is_cut_between_packets_is_named),
		cmocka_unit_test(a_packet_inside_of_a_bad_packet_is_not_believed),
		cmocka_unit_test(a_packet_that_comes_twice_is_taken_once),
		cmocka_unit_test(a_packet_of_another_cpu_is_refused),
		cmocka_unit_test(a_stream_of_nothing_but_junk_is_named_in_a_few_words),
		cmocka_unit_test(a_missing_file_is_named_only_if_it_had_packets),
		cmocka_unit_test(a_pipe_in_place_of_a_file_does_not_hang),
		cmocka_unit_test(missing_packets_are_counted),
		cmocka_unit_test(losses_are_those_of_the_packets_or_of_the_recorder_if_more),
		cmocka_unit_test(time_that_goes_back_between_packets_is_held_and_counted),
		cmocka_unit_test(
			in_a_packet_before_which_records_are_lost_no_emulated_time_is_sure),
		cmocka_unit_test(where_a_vcpu_ran_unseen_no_emulated_time_is_sure),
		cmocka_unit_test(a_recording_of_nothing_says_so),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
