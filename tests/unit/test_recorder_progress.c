// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_progress.c - what a recorder publishes for followers: how far each stream is
 * complete, and which tables describe it. */
#include "followed.h"

#include <fcntl.h>
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

#include "consumerd/recorder_state.h"
#include "saved.h"

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
	followed_begin(&followed, STRATA_HEADER_FULL);
	slot = &followed.table->slots[0];
	assert_int_equal(followed.table->nr_slots, 1);
	before = strata_clock();
	followed_drain(&followed);
	assert_true(slot->complete_ticks >= before);
	assert_int_equal(slot->bytes, 0);

	/* The record is not in the file: the stream is complete up to before it. */
	written = strata_clock();
	followed_put(&followed, &number, 1);
	followed_drain(&followed);
	assert_true(slot->complete_ticks < written);
	followed_drain_until(&followed, number);
	followed_drain(&followed);
	assert_true(slot->complete_ticks > written);
	assert_int_equal(slot->bytes, file_bytes(&followed));

	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(followed.table->state, STRATA_LIVE_ENDED);
	followed_end(&followed);
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
	followed_begin(&followed, STRATA_HEADER_FULL);
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
	followed_end(&followed);
}

/* When all that a look found is in the file, it is complete up to that look, and no further. */
static void what_is_written_between_a_look_and_the_drain_waits_for_the_next(void **state)
{
	uint64_t nr_packets = 0, before, between;
	struct recorder_totals totals;
	struct followed followed;
	struct ring_stream *stream;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	stream = followed.recorder->queues[0].streams[0];
	/* Given a look that found a record ... */
	test_ring_put(&followed.ring, 0);
	before = strata_clock();
	drain_note_complete(stream);
	assert_true(stream->complete_ticks < before);
	/* ... which no other look makes complete without a drain ... */
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
	followed_end(&followed);
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
	followed_begin(&followed, STRATA_HEADER_FULL);
	slot = &followed.table->slots[0];
	followed_drain(&followed);
	complete = slot->complete_ticks;
	generation = followed.table->generation;
	snprintf(path, sizeof(path), "%s/" STRATA_RECORDING_FILE ".new", followed.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	source = &recorder_recording(followed.recorder)->sources[0];
	assert_int_equal(strata_source_add_event(source, &event, &followed.error), 0);
	followed_put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, number);
	assert_true(file_bytes(&followed) > 0);
	assert_int_equal(slot->bytes, 0);
	assert_int_equal(slot->complete_ticks, complete);
	assert_int_equal(followed.table->generation, generation);

	assert_int_equal(rmdir(path), 0);
	assert_int_equal(recorder_save(followed.recorder, &followed.error), 0);
	followed_drain(&followed);
	assert_true(followed.table->generation > generation);
	assert_int_equal(slot->bytes, file_bytes(&followed));
	assert_true(slot->complete_ticks > complete);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	followed_end(&followed);
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
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_drain(&followed);
	generation = followed.table->generation;
	test_ring_open(&added, 7);
	test_ring_write(&added);
	recorder_recording(followed.recorder)->sources[0].since_ticks = 77;
	assert_int_equal(recorder_add_ring(followed.recorder, 0, &added.ring, RECORDER_WITH_PAST,
					   &followed.error),
			 0);
	slot = &followed.table->slots[1];
	assert_int_equal(slot->cpu, 7);
	/* It has not been polled: it is complete up to where its source begins. */
	assert_int_equal(slot->complete_ticks, 77);
	assert_int_equal(slot->bytes, 0);
	followed_drain(&followed);
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
	followed_end(&followed);
}

/* Here a save takes far more than a twentieth of the longest pause: as if a disk took seconds. */
static void tables_are_saved_again_soon_however_long_a_save_takes(void **state)
{
	struct recorder_totals totals;
	struct followed followed;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	recorder_recording(followed.recorder)->tsc_khz = 1;
	followed.recorder->unsaved = true;
	followed_drain(&followed);
	assert_true(recorder_is_saved(followed.recorder));
	assert_in_range(followed.recorder->save.again_ticks, 1, strata_clock() + 2000);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	followed_end(&followed);
}

static void who_comes_before_the_first_tables_waits_for_them(void **state)
{
	const struct strata_live_options options = { .from_beginning = true };
	struct strata_live_sink sink = { .sources = followed_ignore_sources };
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

/* Whatever the number is: without tables the follower has no clocks. */
static void tables_are_loaded_whatever_number_they_have(void **state)
{
	const struct strata_live_options options = { .from_beginning = true };
	struct strata_live_sink sink = { .sources = followed_ignore_sources };
	const uint64_t generation = UINT64_MAX;
	struct recorder_totals totals;
	struct followed followed;
	struct strata_live *live;
	char path[64];
	int fd;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_drain(&followed);
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
	followed_end(&followed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_is_complete_up_to_a_look_that_found_nothing_new),
		cmocka_unit_test(what_is_written_while_it_is_looked_is_not_said_to_be_complete),
		cmocka_unit_test(what_is_written_between_a_look_and_the_drain_waits_for_the_next),
		cmocka_unit_test(what_no_table_describes_is_not_told),
		cmocka_unit_test(a_ring_that_is_added_later_is_in_the_tables_before_it_is_told),
		cmocka_unit_test(tables_are_saved_again_soon_however_long_a_save_takes),
		cmocka_unit_test(who_comes_before_the_first_tables_waits_for_them),
		cmocka_unit_test(tables_are_loaded_whatever_number_they_have),
	};

	return cmocka_run_group_tests_name("recorder_progress", tests, NULL, NULL);
}
