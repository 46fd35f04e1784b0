// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recorder_follow.c - a recorder's support for followers: records of sleeping writers, and the
 * progress of each stream.
 */
#include "recorder_rings.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/live.h"
#include "live/live_table.h"
#include "consumerd/packets/packet_reader.h"
#include "../packet_records.h"

#include "consumerd/live_publisher.h"
#include "consumerd/recorder_state.h"
#include "saved.h"

#define SWITCH_MS 1u /* of a clock that is taken to be one of 1 GHz */

struct followed {
	char dir[32];
	struct recorder *recorder;
	struct test_ring ring;
	const struct strata_live_table *table;
	struct strata_error error;
};

static void begin(struct followed *followed, enum strata_header_form form)
{
	char path[64];
	int fd;

	memset(followed, 0, sizeof(*followed));
	strcpy(followed->dir, "/tmp/strata-follow-XXXXXX");
	assert_non_null(mkdtemp(followed->dir));
	test_ring_open(&followed->ring, 0);
	strata_ring_set_form(followed->ring.writer, form);
	followed->recorder = test_open_recorder(followed->dir);
	assert_int_equal(recorder_publish(followed->recorder, &followed->error), 0);
	recorder_set_switch(followed->recorder, SWITCH_MS);
	test_add_source(followed->recorder, "one");
	recorder_recording(followed->recorder)->sources[0].form = form;
	assert_int_equal(recorder_add_ring(followed->recorder, 0, &followed->ring.ring,
					   RECORDER_FROM_NOW, &followed->error),
			 0);
	assert_int_equal(recorder_save(followed->recorder, &followed->error), 0);
	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, followed->dir);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	followed->table = mmap(NULL, sizeof(*followed->table), PROT_READ, MAP_SHARED, fd, 0);
	assert_true(followed->table != MAP_FAILED);
	close(fd);
}

static void drain(struct followed *followed)
{
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(followed->recorder, RECORDER_DRAIN_SOME, &nr_packets,
					&followed->error),
			 0);
}

/* Drains until so many events are in the file; the writer sleeps meanwhile. */
static void drain_until(struct followed *followed, uint64_t events)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned int tries = 0;

	do {
		drain(followed);
		nanosleep(&pause, NULL);
	} while (recorder_totals(followed->recorder).events < events && tries++ < 10000);
	assert_int_equal(recorder_totals(followed->recorder).events, events);
}

static void end(struct followed *followed)
{
	munmap((void *)followed->table, sizeof(*followed->table));
	test_ring_close(&followed->ring);
	test_remove_dir(followed->dir);
}

/* The recording has the numbers from 0 up to before @nr, each once and in order, without gaps
 * between packets. */
static void has_numbers(const struct followed *followed, uint32_t nr)
{
	struct strata_recording recording = { 0 };
	struct strata_packet_reader reader;
	struct strata_record record;
	struct strata_error error;
	uint32_t number, next = 0;
	uint64_t last = 0;

	assert_int_equal(loaded_recording(&recording, followed->dir, &error), 0);
	assert_int_equal(strata_packet_reader_open(&reader, followed->dir, &recording.sources[0],
						   &recording.sources[0].streams[0], NULL, NULL,
						   &error),
			 0);
	while (strata_packet_reader_next(&reader)) {
		size_t offset = STRATA_PACKET_HEADER_BYTES;

		while (strata_packet_next(reader.source, reader.bytes, &reader.packet, &offset,
					  &record)) {
			memcpy(&number, record.payload, sizeof(number));
			assert_int_equal(number, next++);
			assert_true(record.ticks >= last);
			last = record.ticks;
		}
	}
	assert_int_equal(next, nr);
	assert_int_equal(reader.bad_packets, 0);
	assert_int_equal(reader.missing_packets, 0);
	strata_packet_reader_close(&reader);
	strata_recording_clear(&recording);
}

static void put(struct followed *followed, uint32_t *number, unsigned int nr)
{
	while (nr--)
		test_ring_put(&followed->ring, (*number)++);
}

static void what_a_sleeping_writer_has_written_is_taken_once(void **state)
{
	enum strata_header_form form;

	(void)state;
	for (form = STRATA_HEADER_FULL; form < STRATA_NR_HEADER_FORMS; form++) {
		struct recorder_totals totals;
		struct followed followed;
		unsigned int round;
		uint32_t number = 0;

		begin(&followed, form);
		for (round = 0; round < 20; round++) {
			put(&followed, &number, 1 + round % 3);
			drain_until(&followed, number);
			/* Its rest, a sub-buffer and more, or only its end. */
			put(&followed, &number, round % 5 == 4 ? 300 : round % 2);
			if (round % 3 == 0)
				strata_ring_flush(followed.ring.writer);
			drain(&followed);
		}
		put(&followed, &number, 2);
		assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
		assert_int_equal(totals.events, number);
		assert_int_equal(totals.lost, 0);
		assert_int_equal(totals.bad_packets, 0);
		has_numbers(&followed, number);
		end(&followed);
	}
}

static void losses_are_counted_once(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0, kept = 0;
	struct strata_slot slot;
	int i;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	put(&followed, &number, 3);
	drain_until(&followed, number);
	/* More than the ring holds, while nobody drains. */
	for (i = 0; i < 20000; i++) {
		if (!strata_ring_reserve(followed.ring.writer, 0, 8, &slot))
			continue;
		memset(slot.payload, 0, 8);
		strata_ring_commit(followed.ring.writer, &slot);
		kept++;
	}
	assert_true(kept < 20000);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, number + kept);
	assert_int_equal(totals.lost, 20000 - kept);
	end(&followed);
}

/* The rest of a sub-buffer of which a part was taken brings the losses up to its end. */
static void losses_before_the_rest_of_a_subbuffer_are_in_its_packet(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	put(&followed, &number, 3);
	drain_until(&followed, number);
	strata_ring_count_lost(followed.ring.writer, STRATA_LOST_BIG);
	put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	drain_until(&followed, number);
	assert_int_equal(recorder_totals(followed.recorder).lost, 1);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.lost, 1);
	end(&followed);
}

static void a_guest_that_changes_what_was_taken_harms_itself_alone(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	put(&followed, &number, 10);
	drain_until(&followed, number);
	put(&followed, &number, 10);
	/* The records that were taken are none any more. */
	memset(followed.ring.data + STRATA_PACKET_HEADER_BYTES, 0xff, 64);
	strata_ring_flush(followed.ring.writer);
	drain(&followed);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 10);
	assert_int_equal(totals.bad_packets, 1);
	end(&followed);
}

/* No slot ends there: a copy that believed it would end behind the sub-buffer in the end. */
static void what_ends_between_words_is_not_taken(void **state)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;
	unsigned int i;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	put(&followed, &number, 3);
	followed.ring.writer_area->commit_seq[0] -= 2;
	for (i = 0; i < 20; i++) {
		drain(&followed);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(recorder_totals(followed.recorder).events, 0);
	followed.ring.writer_area->commit_seq[0] += 2;
	drain_until(&followed, number);
	put(&followed, &number, 1);
	followed.ring.writer_area->commit_seq[0] -= 1;
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 3);
	assert_int_equal(totals.bad_packets, 1);
	end(&followed);
}

static uint64_t file_bytes(const struct followed *followed)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "%s/one/cpu_0", followed->dir);
	assert_int_equal(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

static void a_stream_is_complete_up_to_a_look_that_found_nothing_new(void **state)
{
	const struct strata_live_slot *slot;
	struct recorder_totals totals;
	struct followed followed;
	uint64_t before, written;
	uint32_t number = 0;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	slot = &followed.table->slots[0];
	assert_int_equal(followed.table->nr_slots, 1);
	before = strata_clock();
	drain(&followed);
	assert_true(slot->complete_ticks >= before);
	assert_int_equal(slot->bytes, 0);

	/* What was written is not in the file: it is complete up to before that. */
	written = strata_clock();
	put(&followed, &number, 1);
	drain(&followed);
	assert_true(slot->complete_ticks < written);
	drain_until(&followed, number);
	drain(&followed);
	assert_true(slot->complete_ticks > written);
	assert_int_equal(slot->bytes, file_bytes(&followed));

	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(followed.table->state, STRATA_LIVE_ENDED);
	end(&followed);
}

static struct followed *looked_at;
static uint64_t written_ticks;

/* Just when the ring was found empty, its writer writes, on a CPU of its own. */
static bool nothing_and_then_something(const struct ring *ring, strata_count_t position)
{
	(void)ring;
	(void)position;
	if (!written_ticks) {
		written_ticks = strata_clock();
		test_ring_put(&looked_at->ring, 0);
	}
	return false;
}

static void what_is_written_while_it_is_looked_is_not_said_to_be_complete(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	struct ring_stream *stream;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	looked_at = &followed;
	written_ticks = 0;
	stream = followed.recorder->queues[0].streams[0];
	stream->ring->has_begun = nothing_and_then_something;
	drain_note_complete(stream);
	assert_true(written_ticks > 0);
	assert_true(stream->complete_ticks > 0);
	assert_true(stream->complete_ticks < written_ticks);
	stream->ring->has_begun = NULL;
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 1);
	end(&followed);
}

/* When all that a look found is in the file, it is complete up to that look, and no further. */
static void what_is_written_between_a_look_and_the_drain_waits_for_the_next(void **state)
{
	uint64_t nr_packets = 0, before, between;
	struct recorder_totals totals;
	struct followed followed;
	struct ring_stream *stream;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	stream = followed.recorder->queues[0].streams[0];
	/* Given a look that found a record ... */
	test_ring_put(&followed.ring, 0);
	before = strata_clock();
	drain_note_complete(stream);
	assert_true(stream->complete_ticks < before);
	/* ... which no other look makes complete that nobody drained behind ... */
	drain_note_complete(stream);
	assert_true(stream->complete_ticks < before);
	/* ... and another one, in the next sub-buffer, that is written before the drain ... */
	strata_ring_flush(followed.ring.writer);
	between = strata_clock();
	test_ring_put(&followed.ring, 1);
	assert_int_equal(
		drain_step(&followed.recorder->drain, stream, &nr_packets, &followed.error), 0);
	assert_int_equal(nr_packets, 1);
	/* ... then the file is complete up to the look, and not to where it has been drained. */
	drain_note_complete(stream);
	assert_in_range(stream->complete_ticks, before, between);
	/* The next look is behind the second one's drain. */
	strata_ring_flush(followed.ring.writer);
	assert_int_equal(
		drain_step(&followed.recorder->drain, stream, &nr_packets, &followed.error), 0);
	drain_note_complete(stream);
	assert_true(stream->complete_ticks > between);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 2);
	end(&followed);
}

/* A table that cannot be written: a directory stands where it goes. */
static void what_no_table_describes_is_not_told(void **state)
{
	const struct strata_event_desc event = { .name = "tock", .id = 1 };
	const struct strata_live_slot *slot;
	struct strata_source *source;
	struct recorder_totals totals;
	struct followed followed;
	uint64_t complete, generation;
	uint32_t number = 0;
	char path[64];

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	slot = &followed.table->slots[0];
	drain(&followed);
	complete = slot->complete_ticks;
	generation = followed.table->generation;
	snprintf(path, sizeof(path), "%s/" STRATA_RECORDING_FILE ".new", followed.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	source = &recorder_recording(followed.recorder)->sources[0];
	assert_int_equal(strata_source_add_event(source, &event, &followed.error), 0);
	put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	drain_until(&followed, number);
	assert_true(file_bytes(&followed) > 0);
	assert_int_equal(slot->bytes, 0);
	assert_int_equal(slot->complete_ticks, complete);
	assert_int_equal(followed.table->generation, generation);

	assert_int_equal(rmdir(path), 0);
	assert_int_equal(recorder_save(followed.recorder, &followed.error), 0);
	drain(&followed);
	assert_true(followed.table->generation > generation);
	assert_int_equal(slot->bytes, file_bytes(&followed));
	assert_true(slot->complete_ticks > complete);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	end(&followed);
}

/* As when a physical CPU is added to a host. */
static void a_ring_that_is_added_later_is_in_the_tables_before_it_is_told(void **state)
{
	struct strata_recording recording = { 0 };
	static struct test_ring added;
	const struct strata_live_slot *slot;
	struct recorder_totals totals;
	struct followed followed;
	uint64_t generation;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	drain(&followed);
	generation = followed.table->generation;
	test_ring_open(&added, 7);
	test_ring_write(&added);
	recorder_recording(followed.recorder)->sources[0].since_ticks = 77;
	assert_int_equal(recorder_add_ring(followed.recorder, 0, &added.ring, RECORDER_WITH_PAST,
					   &followed.error),
			 0);
	slot = &followed.table->slots[1];
	assert_int_equal(slot->cpu, 7);
	/* Nobody has polled it: it is complete up to where its source begins. */
	assert_int_equal(slot->complete_ticks, 77);
	assert_int_equal(slot->bytes, 0);
	drain(&followed);
	assert_true(slot->bytes > 0);
	assert_true(slot->complete_ticks > 0);
	assert_true(followed.table->generation > generation);
	assert_int_equal(loaded_recording(&recording, followed.dir, &followed.error), 0);
	assert_int_equal(recording.sources[0].nr_streams, 2);
	assert_int_equal(recording.sources[0].streams[1].cpu, 7);
	strata_recording_clear(&recording);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 1);
	test_ring_close(&added);
	end(&followed);
}

/* Here a save takes far more than a twentieth of the longest pause: as if a disk took seconds. */
static void tables_are_saved_again_soon_however_long_a_save_takes(void **state)
{
	struct recorder_totals totals;
	struct followed followed;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	recorder_recording(followed.recorder)->tsc_khz = 1;
	followed.recorder->unsaved = true;
	drain(&followed);
	assert_true(recorder_is_saved(followed.recorder));
	assert_in_range(followed.recorder->save.again_ticks, 1, strata_clock() + 2000);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	end(&followed);
}

static int ignore_sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
			  struct strata_error *error)
{
	(void)sink;
	(void)set;
	(void)error;
	return 0;
}

static void who_comes_before_the_first_tables_waits_for_them(void **state)
{
	const struct strata_live_options options = { .from_beginning = true };
	struct strata_live_sink sink = { .sources = ignore_sources };
	char dir[] = "/tmp/strata-follow-XXXXXX";
	struct recorder_totals totals;
	struct recorder *recorder;
	struct strata_error error;
	struct strata_live *live;

	(void)state;
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	assert_int_equal(recorder_publish(recorder, &error), 0);
	live = strata_live_open(dir, &options, &error);
	assert_non_null(live);
	assert_int_equal(strata_live_look(live, &sink, &error), 0);
	assert_int_equal(recorder_save(recorder, &error), 0);
	assert_int_equal(strata_live_look(live, &sink, &error), 0);
	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	assert_int_equal(strata_live_look(live, &sink, &error), 1);
	strata_live_close(live);
	test_remove_dir(dir);
}

/* Whatever it says: without tables there are no clocks to go by. */
static void tables_are_loaded_whatever_number_they_have(void **state)
{
	const struct strata_live_options options = { .from_beginning = true };
	struct strata_live_sink sink = { .sources = ignore_sources };
	const uint64_t generation = UINT64_MAX;
	struct recorder_totals totals;
	struct followed followed;
	struct strata_live *live;
	char path[64];
	int fd;

	(void)state;
	begin(&followed, STRATA_HEADER_FULL);
	drain(&followed);
	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, followed.dir);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, &generation, sizeof(generation),
				offsetof(struct strata_live_table, generation)),
			 sizeof(generation));
	close(fd);
	live = strata_live_open(followed.dir, &options, &followed.error);
	assert_non_null(live);
	assert_int_equal(strata_live_look(live, &sink, &followed.error), 0);
	assert_true(strata_live_progress(live)->watermark_ns > 0);
	strata_live_close(live);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	end(&followed);
}

/* Whoever follows has the time to see that the stream which had it is at its end. */
static void a_slot_that_is_free_again_is_used_last(void **state)
{
	char dir[] = "/tmp/strata-follow-XXXXXX";
	struct strata_error error;
	struct strata_dir opened;
	struct live_publisher *live;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_dir_open(&opened, dir, &error), 0);
	live = live_publisher_open(&opened, &error);
	assert_non_null(live);
	for (i = 0; i < 2 * STRATA_LIVE_SLOTS; i++) {
		assert_int_equal(live_publisher_add(live, i, 0, 1), i % STRATA_LIVE_SLOTS);
		live_publisher_end(live, i % STRATA_LIVE_SLOTS, 100);
	}
	live_publisher_close(live);
	strata_dir_close(&opened);
	test_remove_dir(dir);
}

static void a_slot_is_used_again_when_all_others_were(void **state)
{
	char dir[] = "/tmp/strata-follow-XXXXXX";
	struct strata_error error;
	struct strata_dir opened;
	struct live_publisher *live;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_dir_open(&opened, dir, &error), 0);
	live = live_publisher_open(&opened, &error);
	assert_non_null(live);
	for (i = 0; i < STRATA_LIVE_SLOTS; i++)
		assert_int_equal(live_publisher_add(live, i, 0, 1), i);
	assert_int_equal(live_publisher_add(live, i, 0, 1), LIVE_NO_SLOT);
	live_publisher_end(live, 7, 100);
	live_publisher_end(live, 3, 100);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 3);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 7);
	live_publisher_end(live, 5, 100);
	live_publisher_end(live, 9, 100);
	/* The one that others were used since comes first. */
	assert_int_equal(live_publisher_add(live, i, 0, 1), 9);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 5);
	assert_int_equal(live_publisher_add(live, i, 0, 1), LIVE_NO_SLOT);
	live_publisher_set(live, LIVE_NO_SLOT, 1, 1);
	live_publisher_close(live);
	strata_dir_close(&opened);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_sleeping_writer_has_written_is_taken_once),
		cmocka_unit_test(losses_are_counted_once),
		cmocka_unit_test(losses_before_the_rest_of_a_subbuffer_are_in_its_packet),
		cmocka_unit_test(a_guest_that_changes_what_was_taken_harms_itself_alone),
		cmocka_unit_test(what_ends_between_words_is_not_taken),
		cmocka_unit_test(a_stream_is_complete_up_to_a_look_that_found_nothing_new),
		cmocka_unit_test(what_is_written_while_it_is_looked_is_not_said_to_be_complete),
		cmocka_unit_test(what_is_written_between_a_look_and_the_drain_waits_for_the_next),
		cmocka_unit_test(what_no_table_describes_is_not_told),
		cmocka_unit_test(a_ring_that_is_added_later_is_in_the_tables_before_it_is_told),
		cmocka_unit_test(tables_are_saved_again_soon_however_long_a_save_takes),
		cmocka_unit_test(who_comes_before_the_first_tables_waits_for_them),
		cmocka_unit_test(tables_are_loaded_whatever_number_they_have),
		cmocka_unit_test(a_slot_that_is_free_again_is_used_last),
		cmocka_unit_test(a_slot_is_used_again_when_all_others_were),
	};

	return cmocka_run_group_tests_name("recorder_follow", tests, NULL, NULL);
}
