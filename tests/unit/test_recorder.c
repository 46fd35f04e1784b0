// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder.c - which packets the recorder takes from the rings that it drains, and where it
 * writes them. */
#include "recorder_rings.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <limits.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/abi/guest_context.h>

#include "consumerd/packets/packet_reader.h"
#include "consumerd/recorder_state.h"
#include "saved.h"

/* Makes a directory from the pattern @dir, opens a ring, and a recorder that records it there. */
static struct recorder *record_ring(char *dir, struct test_ring *ring)
{
	struct strata_error error = { "" };
	struct recorder *recorder;

	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	test_ring_open(ring, 0);
	assert_int_equal(recorder_add_ring(recorder, 0, &ring->ring, RECORDER_FROM_NOW, &error), 0);
	return recorder;
}

/* The totals of a recorder that comes once and takes all. */
static struct recorder_totals record_once(const char *dir, struct test_ring *ring)
{
	struct recorder *recorder = test_open_recorder(dir);
	struct strata_error error = { "" };
	struct recorder_totals totals;

	test_add_source(recorder, "one");
	assert_int_equal(recorder_add_ring(recorder, 0, &ring->ring, RECORDER_WITH_PAST, &error),
			 0);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	return totals;
}

static void what_is_written_after_a_snapshot_is_in_the_next_one(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	unsigned int i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	test_ring_open(&ring, 0);
	ring.writer->overwrite = ring.ring.reader.overwrite = true;
	for (i = 0; i < 3; i++) {
		test_ring_write(&ring);
		assert_int_equal(record_once(dir, &ring).events, 1);
	}
	test_ring_close(&ring);
	test_remove_dir(dir);
}

static void a_recorder_that_is_abandoned_leaves_the_rings_and_no_files(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder *recorder;

	(void)state;
	assert_non_null(mkdtemp(dir));
	test_ring_open(&ring, 0);
	ring.writer->overwrite = ring.ring.reader.overwrite = true;
	test_ring_write(&ring);
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	assert_int_equal(recorder_add_ring(recorder, 0, &ring.ring, RECORDER_WITH_PAST, &error), 0);
	recorder_abandon(recorder);
	/* An empty directory, or it would be refused. */
	assert_int_equal(record_once(dir, &ring).events, 1);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

static void two_recorders_do_not_write_to_one_directory(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *first;

	(void)state;
	assert_non_null(mkdtemp(dir));
	first = test_open_recorder(dir);
	assert_int_equal(recorder_save(first, &error), 0);
	assert_null(recorder_open(dir, OUTPUT_REPLACE, &error));
	assert_non_null(strstr(error.text, "is being recorded into"));
	/* An old recording gives way. */
	assert_int_equal(recorder_close(first, &totals, &error), 0);
	assert_int_equal(recorder_close(test_open_recorder(dir), &totals, &error), 0);
	test_remove_dir(dir);
}

/* Opens and abandons one of the final events of "g1".  @path: OUT */
static void open_final(const char *dir, char path[PATH_MAX])
{
	struct strata_error error = { "" };
	struct recorder *recorder = recorder_open_final(dir, "g1", &error);

	if (!recorder)
		fail_msg("%s", error.text);
	snprintf(path, PATH_MAX, "%s", recorder_dir(recorder)->path);
	recorder_abandon(recorder);
}

static void final_events_lie_beside_the_recording_or_in_it(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	char inner[400], path[PATH_MAX], wanted[PATH_MAX];
	size_t length;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(inner, sizeof(inner), "%s/one", dir);
	assert_int_equal(mkdir(inner, 0750), 0);
	open_final(inner, path);
	snprintf(wanted, sizeof(wanted), "%s-died-g1", inner);
	assert_string_equal(path, wanted);
	/* No longer name can be made beside this one. */
	length = strlen(dir);
	snprintf(inner, sizeof(inner), "%s/%0250u", dir, 1);
	assert_true(strlen(inner) == length + 251);
	assert_int_equal(mkdir(inner, 0750), 0);
	open_final(inner, path);
	snprintf(wanted, sizeof(wanted), "%s/died-g1", inner);
	assert_string_equal(path, wanted);
	test_remove_dir(dir);
}

static void a_writer_cannot_lead_the_recorder_back(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	uint64_t nr_packets;

	(void)state;
	recorder = record_ring(dir, &ring);
	test_ring_write(&ring);
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_ALL, &nr_packets, &error), 0);
	/* As after a writer that claims that its turns began anew. */
	ring.ring.reader.read_count = 0;
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_ALL, &nr_packets, &error), 0);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.bad_packets, 1);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

static uint32_t order[2 * 16];
static unsigned int nr_order;

/* As get(), and notes whose turn it is. */
static int get_noted(struct ring *ring, struct strata_error *error)
{
	assert_in_range(nr_order, 0, sizeof(order) / sizeof(order[0]) - 1);
	order[nr_order++] = ring->cpu;
	(void)error;
	return strata_reader_get(&ring->reader);
}

static void a_ring_that_is_nearly_full_comes_first(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring rings[3];
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	uint64_t nr_packets;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	for (i = 0; i < 3; i++) {
		test_ring_open(&rings[i], i);
		assert_int_equal(
			recorder_add_ring(recorder, 0, &rings[i].ring, RECORDER_FROM_NOW, &error),
			0);
		rings[i].ring.get = get_noted;
	}
	test_ring_write(&rings[0]);
	for (i = 0; i < strata_poll_priority_subbufs(test_ring_geometry) + 3; i++)
		test_ring_write(&rings[1]);
	nr_order = 0;
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	assert_int_equal(nr_packets, 1 + strata_poll_priority_subbufs(test_ring_geometry) + 3);
	assert_false(recorder_is_urgent(recorder));
	/* While it is nearly full; then both take turns, and the empty ring is not asked. */
	for (i = 0; i < 4; i++)
		assert_int_equal(order[i], 1);
	assert_int_equal(order[4], 0);
	for (i = 0; i < nr_order; i++)
		assert_int_not_equal(order[i], 2);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	for (i = 0; i < 3; i++)
		test_ring_close(&rings[i]);
	test_remove_dir(dir);
}

static void a_ring_that_was_overwritten_is_read_from_where_it_stands(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	uint64_t nr_packets;
	unsigned int i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	test_ring_open(&ring, 0);
	/* A flight recorder that went on between being mapped and being stopped. */
	ring.ring.reader.shared = ring.reader_area;
	ring.writer->overwrite = true;
	for (i = 0; i < 3; i++)
		test_ring_fill(&ring);
	ring.writer->overwrite = false;
	assert_int_equal(recorder_add_ring(recorder, 0, &ring.ring, RECORDER_FROM_NOW, &error), 0);
	test_ring_write(&ring);
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.lost, 0);
	assert_int_equal(totals.bad_packets, 0);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

/* A record whose one context is a number, as its payload. */
static void write_with(struct test_ring *ring, enum strata_guest_context_bit context)
{
	const uint32_t payload[] = { 1, 0xc0de0000u + context, 7 };
	struct strata_slot slot;

	assert_true(strata_ring_reserve(ring->writer, 0, sizeof(payload), &slot));
	memcpy(slot.payload, payload, sizeof(payload));
	strata_ring_commit(ring->writer, &slot);
}

static void set_contexts(struct test_ring *ring, uint32_t contexts)
{
	strata_ring_flush(ring->writer);
	strata_ring_set_contexts(ring->writer, contexts);
}

/* Opens a recorder of a kernel whose records have nice values. */
static struct recorder *record_nice(char *dir, struct test_ring *ring)
{
	struct strata_error error = { "" };
	struct recorder *recorder;

	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	recorder_recording(recorder)->sources[0].contexts = STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE);
	assert_int_equal(recorder_add_ring(recorder, 0, &ring->ring, RECORDER_WITH_PAST, &error),
			 0);
	return recorder;
}

/* All of these records have the same size: nothing but the packet says which context it is. */
static void packets_with_other_contexts_are_left_out_and_counted(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;

	(void)state;
	test_ring_open(&ring, 0);
	ring.ring.reader.shared = ring.reader_area;
	/* Each leaves an open sub-buffer, which the change completes. */
	set_contexts(&ring, STRATA_CONTEXT_BIT(STRATA_CONTEXT_PRIO));
	write_with(&ring, STRATA_CONTEXT_PRIO);
	set_contexts(&ring, STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE));
	write_with(&ring, STRATA_CONTEXT_NICE);
	write_with(&ring, STRATA_CONTEXT_NICE);
	set_contexts(&ring, STRATA_CONTEXT_BIT(STRATA_CONTEXT_PID));
	write_with(&ring, STRATA_CONTEXT_PID);
	set_contexts(&ring, STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE));
	write_with(&ring, STRATA_CONTEXT_NICE);
	recorder = record_nice(dir, &ring);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 3);
	assert_int_equal(totals.bad_packets, 2);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

/* A command changes the contexts while the recorder copies. */
static uint32_t copy_while_they_change(const struct ring *ring, strata_count_t position, void *to)
{
	const uint32_t bytes = strata_reader_copy_prefix(&ring->reader, position, to);

	((struct strata_ring_writer_area *)ring->reader.writer)->contexts =
		STRATA_CONTEXT_BIT(STRATA_CONTEXT_PID);
	return bytes;
}

/* Records a ring whose writer died in a sub-buffer with a record of that context. */
static struct recorder_totals record_open(enum strata_guest_context_bit context,
					  uint32_t (*copy)(const struct ring *ring,
							   strata_count_t position, void *to))
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;

	test_ring_open(&ring, 0);
	ring.ring.reader.shared = ring.reader_area;
	ring.ring.copy_prefix = copy;
	set_contexts(&ring, STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE));
	write_with(&ring, STRATA_CONTEXT_NICE);
	set_contexts(&ring, (uint16_t)STRATA_CONTEXT_BIT(context));
	write_with(&ring, context);
	recorder = record_nice(dir, &ring);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	test_ring_close(&ring);
	test_remove_dir(dir);
	return totals;
}

static void an_open_sub_buffer_has_the_contexts_that_its_ring_says(void **state)
{
	struct recorder_totals totals = record_open(STRATA_CONTEXT_NICE, NULL);

	(void)state;
	assert_int_equal(totals.events, 2);
	assert_int_equal(totals.bad_packets, 0);
	totals = record_open(STRATA_CONTEXT_PRIO, NULL);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.bad_packets, 1);
	/* Then the writer has completed it, and it is no open one any more. */
	totals = record_open(STRATA_CONTEXT_NICE, copy_while_they_change);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.bad_packets, 0);
}

static void a_ring_whose_words_are_none_is_named_once(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	uint64_t nr_packets;
	unsigned int i;

	(void)state;
	recorder = record_ring(dir, &ring);
	ring.writer_area->commit_seq[0] += 5 * strata_subbuf_bytes(test_ring_geometry);
	for (i = 0; i < 3; i++)
		assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error),
				 0);
	assert_int_equal(recorder_totals(recorder).bad_packets, 1);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 0);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

/* The figures of a recording's one stream; each packet of the file is counted, too. */
static struct strata_stream stream_of(const char *dir, uint64_t *file_bytes)
{
	struct strata_recording recording;
	struct strata_stream stream;
	struct strata_error error;
	struct stat status;
	char path[64];

	assert_int_equal(loaded_recording(&recording, dir, &error), 0);
	assert_int_equal(recording.nr_sources, 1);
	assert_int_equal(recording.sources[0].nr_streams, 1);
	stream = recording.sources[0].streams[0];
	strata_recording_clear(&recording);
	snprintf(path, sizeof(path), "%s/one/cpu_0", dir);
	assert_int_equal(stat(path, &status), 0);
	*file_bytes = (uint64_t)status.st_size;
	return stream;
}

static void
a_stream_ends_with_a_packet_of_its_own_where_events_were_lost_and_only_there(void **state)
{
	/* Header, context and payload, behind the packet's header; no packet is larger than its
	 * sub-buffer's content. */
	const uint32_t record_bytes = STRATA_RECORD_HEADER_BYTES + 4 + 4;
	const uint32_t packet_bytes = (STRATA_PACKET_HEADER_BYTES + record_bytes + 7) & ~7u;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	unsigned int with_losses;

	(void)state;
	for (with_losses = 0; with_losses < 2; with_losses++) {
		char dir[] = "/tmp/strata-recorder-XXXXXX";
		static struct test_ring ring;
		struct recorder *recorder;
		struct strata_stream stream;
		uint64_t file_bytes;

		assert_non_null(mkdtemp(dir));
		recorder = test_open_recorder(dir);
		test_add_source(recorder, "one");
		test_ring_open(&ring, 0);
		assert_int_equal(
			recorder_add_ring(recorder, 0, &ring.ring, RECORDER_FROM_NOW, &error), 0);
		test_ring_write(&ring);
		test_ring_write(&ring);
		/* Behind the last packet. */
		if (with_losses)
			strata_ring_count_lost(ring.writer, STRATA_LOST_BIG);
		assert_int_equal(recorder_close(recorder, &totals, &error), 0);
		assert_int_equal(totals.lost, with_losses);
		stream = stream_of(dir, &file_bytes);
		assert_int_equal(stream.events, 2);
		assert_int_equal(stream.lost, with_losses);
		assert_int_equal(stream.packets, 2 + with_losses);
		assert_int_equal(file_bytes,
				 2 * packet_bytes + with_losses * STRATA_PACKET_HEADER_BYTES);
		test_ring_close(&ring);
		test_remove_dir(dir);
	}
}

/* A hostile writer may report any losses; those in a file only grow, and stay in their range. */
static void losses_that_go_back_or_beyond_all_are_not_believed(void **state)
{
	const strata_count_t said[] = { 5, 3, ~(strata_count_t)0, INT64_MAX, 6 };
	const uint64_t written[] = { 5, 5, 5, 5, 6 };
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	struct strata_packet_reader reader;
	struct strata_recording recording;
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	unsigned int i;

	(void)state;
	recorder = record_ring(dir, &ring);
	for (i = 0; i < 5; i++) {
		ring.writer->lost[STRATA_LOST_NESTED] = said[i];
		test_ring_write(&ring);
	}
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.lost, 6);
	assert_int_equal(loaded_recording(&recording, dir, &error), 0);
	assert_int_equal(recording.sources[0].streams[0].lost, 6);
	assert_int_equal(strata_packet_reader_open(&reader, dir, &recording.sources[0],
						   &recording.sources[0].streams[0], NULL, NULL,
						   &error),
			 0);
	/* Of a packet whose own sum is beyond all, nothing is taken. */
	for (i = 0; strata_packet_reader_next(&reader); i++)
		assert_int_equal(reader.packet.lost[STRATA_LOST_NESTED],
				 written[reader.packet.sequence]);
	assert_in_range(i, 4, 5);
	assert_int_equal(reader.bad_packets, 0);
	strata_packet_reader_close(&reader);
	strata_recording_clear(&recording);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

/* An earlier recorder has counted them. */
static void what_was_lost_before_the_recorder_came_is_not_counted(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	unsigned int i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_add_source(recorder, "one");
	test_ring_open(&ring, 0);
	for (i = 0; i < 7; i++)
		strata_ring_count_lost(ring.writer, STRATA_LOST_BIG);
	test_ring_write(&ring);
	assert_int_equal(recorder_add_ring(recorder, 0, &ring.ring, RECORDER_FROM_NOW, &error), 0);
	strata_ring_count_lost(ring.writer, STRATA_LOST_BIG);
	test_ring_write(&ring);
	strata_ring_count_lost(ring.writer, STRATA_LOST_BIG);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.lost, 2);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

/* From now on the disk has no room for @recorder's packets. */
static void fill_disk(struct recorder *recorder)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct strata_error error;
	enum drain_loss why;

	assert_true(full >= 0);
	assert_int_equal(
		drain_make_place(&recorder->drain, recorder->queues[0].streams[0], 1, &why, &error),
		1);
	assert_true(dup2(full, recorder->queues[0].streams[0]->file.fd) >= 0);
	close(full);
}

static void what_a_full_disk_has_no_room_for_is_lost_and_counted(void **state)
{
	char dir[] = "/tmp/strata-recorder-XXXXXX";
	static struct test_ring ring;
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recorder *recorder;
	struct strata_slot slot;

	(void)state;
	recorder = record_ring(dir, &ring);
	/* One record in a complete sub-buffer, one in a sub-buffer that a writer left unfinished.
	 */
	test_ring_write(&ring);
	assert_true(strata_ring_reserve(ring.writer, 0, sizeof(int32_t) + sizeof(uint32_t), &slot));
	memset(slot.payload, 0, sizeof(int32_t) + sizeof(uint32_t));
	strata_ring_commit(ring.writer, &slot);
	/* As a kernel does with each commit, and an application does not. */
	strata_ring_publish(&ring.writer->subbuf[1], ring.writer->subbuf[1].commit_count);
	fill_disk(recorder);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(totals.events, 0);
	assert_int_equal(totals.lost, 2);
	assert_int_equal(totals.no_room, 2);
	assert_true(totals.was_full);
	test_ring_close(&ring);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_after_a_snapshot_is_in_the_next_one),
		cmocka_unit_test(a_recorder_that_is_abandoned_leaves_the_rings_and_no_files),
		cmocka_unit_test(two_recorders_do_not_write_to_one_directory),
		cmocka_unit_test(final_events_lie_beside_the_recording_or_in_it),
		cmocka_unit_test(a_writer_cannot_lead_the_recorder_back),
		cmocka_unit_test(a_ring_that_is_nearly_full_comes_first),
		cmocka_unit_test(a_ring_that_was_overwritten_is_read_from_where_it_stands),
		cmocka_unit_test(packets_with_other_contexts_are_left_out_and_counted),
		cmocka_unit_test(an_open_sub_buffer_has_the_contexts_that_its_ring_says),
		cmocka_unit_test(a_ring_whose_words_are_none_is_named_once),
		cmocka_unit_test(
			a_stream_ends_with_a_packet_of_its_own_where_events_were_lost_and_only_there),
		cmocka_unit_test(losses_that_go_back_or_beyond_all_are_not_believed),
		cmocka_unit_test(what_was_lost_before_the_recorder_came_is_not_counted),
		cmocka_unit_test(what_a_full_disk_has_no_room_for_is_lost_and_counted),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
