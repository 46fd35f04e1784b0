// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_rotate.c - a recorder that ends a recording and goes on in another directory: each
 * event and each loss is in one of them. */
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
#include <unistd.h>

#include <cmocka.h>

#include "clocks/raw_stream.h"
#include "consumerd/recorder_state.h"
#include "consumerd/recover.h"

/* A recording that goes on, with a ring and a directory of its own. */
struct series {
	char dir[64], path[128];
	struct test_ring ring;
	struct recorder *recorder;
	struct strata_error error;
};

static void begin(struct series *series)
{
	memset(series, 0, sizeof(*series));
	strcpy(series->dir, "/tmp/strata-rotate-XXXXXX");
	assert_non_null(mkdtemp(series->dir));
	snprintf(series->path, sizeof(series->path), "%s/recording", series->dir);
	series->recorder = test_open_recorder(series->path);
	recorder_set_of_now(series->recorder);
	test_add_source(series->recorder, "one");
	test_ring_open(&series->ring, 0);
	assert_int_equal(recorder_add_ring(series->recorder, 0, &series->ring.ring,
					   RECORDER_FROM_NOW, &series->error),
			 0);
}

static void end(struct series *series)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(series->recorder, &totals, &series->error), 0);
	test_ring_close(&series->ring);
	test_remove_dir(series->dir);
}

static void drain(struct series *series)
{
	uint64_t taken;

	assert_int_equal(
		recorder_drain(series->recorder, RECORDER_DRAIN_ALL, &taken, &series->error), 0);
}

/* Goes on in the next directory.  Returns the description of the one that ended. */
static struct recorder_finished rotate(struct series *series)
{
	struct recorder_finished finished;

	if (recorder_rotate(series->recorder, series->path, &finished, &series->error))
		fail_msg("%s", series->error.text);
	return finished;
}

/* What the table of a recording says of its only stream. */
static struct strata_stream counts_of(const char *path)
{
	struct strata_recording recording;
	struct strata_stream counts;
	struct strata_error error;

	if (strata_recording_load(&recording, path, &error))
		fail_msg("%s", error.text);
	assert_int_equal(recording.nr_sources, 1);
	assert_int_equal(recording.sources[0].nr_streams, 1);
	counts = recording.sources[0].streams[0];
	assert_true(recording.ended_ticks != 0);
	strata_recording_clear(&recording);
	return counts;
}

static void each_event_is_in_one_recording(void **state)
{
	struct recorder_finished first, second;
	struct strata_stream counts[3];
	struct recorder_totals totals;
	struct series series;
	unsigned int i;

	(void)state;
	begin(&series);
	for (i = 0; i < 5; i++)
		test_ring_write(&series.ring);
	drain(&series);
	/* In a sub-buffer that is open when the recording ends. */
	test_ring_put(&series.ring, 5);
	first = rotate(&series);
	test_ring_put(&series.ring, 6);
	strata_ring_flush(series.ring.writer);
	drain(&series);
	second = rotate(&series);
	test_ring_write(&series.ring);
	assert_string_not_equal(first.path, second.path);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	counts[0] = counts_of(first.path);
	counts[1] = counts_of(second.path);
	snprintf(series.path, sizeof(series.path), "%s/recording-3", series.dir);
	counts[2] = counts_of(series.path);
	assert_int_equal(counts[0].events, 5);
	assert_int_equal(counts[1].events, 2);
	assert_int_equal(counts[2].events, 1);
	assert_int_equal(totals.events, 8);
	assert_int_equal(counts[0].bad_packets + counts[1].bad_packets + counts[2].bad_packets, 0);
	free(first.shares);
	free(second.shares);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

/* Writes until @nr were lost. */
static void lose_of(struct test_ring *ring, unsigned int nr)
{
	struct strata_slot slot;

	while (nr) {
		if (strata_ring_reserve(ring->writer, 0, 8, &slot))
			strata_ring_commit(ring->writer, &slot);
		else
			nr--;
	}
}

static void lose(struct series *series, unsigned int nr)
{
	lose_of(&series->ring, nr);
}

static void each_loss_is_in_one_recording(void **state)
{
	struct recorder_finished first;
	struct recorder_totals totals;
	struct strata_stream counts;
	struct series series;

	(void)state;
	begin(&series);
	lose(&series, 7);
	first = rotate(&series);
	drain(&series);
	lose(&series, 4);
	drain(&series);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	assert_int_equal(totals.lost, 11);
	counts = counts_of(first.path);
	assert_int_equal(counts.events, 0);
	assert_int_equal(counts.lost, 7);
	snprintf(series.path, sizeof(series.path), "%s/recording-2", series.dir);
	counts = counts_of(series.path);
	assert_int_equal(counts.lost, 4);
	assert_int_equal(counts.events, totals.events);
	assert_int_equal(counts.bad_packets, 0);
	free(first.shares);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

static void where_no_directory_can_be_made_the_recording_goes_on(void **state)
{
	struct recorder_finished finished;
	struct strata_stream counts;
	struct recorder_totals totals;
	struct series series;
	char nowhere[160];

	(void)state;
	begin(&series);
	test_ring_write(&series.ring);
	drain(&series);
	snprintf(nowhere, sizeof(nowhere), "%s/missing/recording", series.dir);
	assert_int_equal(recorder_rotate(series.recorder, nowhere, &finished, &series.error), -1);
	assert_non_null(strstr(series.error.text, "missing"));
	test_ring_write(&series.ring);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	counts = counts_of(series.path);
	assert_int_equal(counts.events, 2);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

/* Begins a source of @who's with one ring.  Returns its index. */
static size_t begin_guest(struct series *series, struct principal *who, struct test_ring *ring)
{
	const struct strata_event_desc event = {
		.name = "tick",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	size_t index;

	assert_int_equal(
		recorder_begin_source(series->recorder, who, "guest", 1, &index, &series->error),
		0);
	recorder_recording(series->recorder)->sources[index].layer = STRATA_LAYER_KERNEL;
	assert_int_equal(recorder_add_event(series->recorder, index, &event, &series->error), 0);
	test_ring_open(ring, 0);
	assert_int_equal(recorder_add_ring(series->recorder, index, &ring->ring, RECORDER_FROM_NOW,
					   &series->error),
			 0);
	return index;
}

static void a_source_that_ended_is_in_the_recording_of_its_time(void **state)
{
	struct principal *who;
	struct recorder_finished first;
	struct strata_recording second;
	static struct test_ring guest;
	struct series series;
	uint64_t claimed;
	size_t index, again;

	(void)state;
	begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	index = begin_guest(&series, who, &guest);
	test_ring_write(&guest);
	recorder_leave_source(series.recorder, index, STRATA_SOURCE_EXITED);
	drain(&series);
	assert_int_equal(recorder_presence(series.recorder, index), RECORDER_SOURCE_IS_GONE);
	claimed = who->used[PRINCIPAL_SOURCES];
	assert_int_equal(claimed, 1);

	first = rotate(&series);
	/* What is in a recording that ended is no part of its share of this one. */
	assert_int_equal(who->used[PRINCIPAL_SOURCES], 0);
	assert_int_equal(who->used[PRINCIPAL_STREAMS], 0);
	assert_true(recorder_recording(series.recorder)->sources[index].vacant);
	assert_int_equal(recorder_save(series.recorder, &series.error), 0);
	assert_int_equal(
		strata_recording_load(&second, recorder_dir(series.recorder)->path, &series.error),
		0);
	assert_int_equal(second.nr_sources, 1);
	assert_string_equal(second.sources[0].name, "one");
	strata_recording_clear(&second);
	/* Its place is free for others. */
	assert_int_equal(
		recorder_begin_source(series.recorder, who, "next", 1, &again, &series.error), 0);
	assert_int_equal(again, index);
	free(first.shares);
	test_ring_close(&guest);
	end(&series);
}

static void what_is_removed_may_be_written_again(void **state)
{
	struct recorder_finished first;
	static struct test_ring guest;
	struct principal *who;
	struct series series;
	uint64_t written, tables;
	size_t index;

	(void)state;
	begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	index = begin_guest(&series, who, &guest);
	test_ring_write(&guest);
	drain(&series);
	written = who->written;
	assert_true(written > 0);
	assert_int_equal(who->files, 1 + PRINCIPAL_SOURCE_FILES);
	first = rotate(&series);
	/* The tables count in the new recording as well, a file from its first packet on. */
	tables = who->written - written;
	assert_true(tables > 0);
	assert_int_equal(who->files, 1 + 2 * PRINCIPAL_SOURCE_FILES);
	test_ring_write(&guest);
	drain(&series);
	assert_true(who->written > written + tables);
	assert_int_equal(who->files, 2 + 2 * PRINCIPAL_SOURCE_FILES);
	assert_false(principal_may_make_files(who, 10, 27));
	assert_true(principal_may_make_files(who, 10, 28));
	/* Also a second one that ends is charged with its own part alone. */
	recorder_note_removed(&first);
	assert_int_equal(who->removed, written);
	assert_int_equal(who->removed_files, 1 + PRINCIPAL_SOURCE_FILES);
	first = rotate(&series);
	recorder_note_removed(&first);
	assert_int_equal(who->removed, who->written - tables);
	assert_int_equal(who->files - who->removed_files, PRINCIPAL_SOURCE_FILES);
	assert_false(principal_may_write(who, 100, 199 + tables));
	assert_true(principal_may_write(who, 100, 200 + tables));
	recorder_leave_source(series.recorder, index, STRATA_SOURCE_EXITED);
	drain(&series);
	test_ring_close(&guest);
	end(&series);
}

/* A user with a program that has recorded one event. */
struct user {
	struct principal *who;
	struct test_ring ring;
	size_t index;
};

static void begin_user(struct series *series, struct user *user)
{
	memset(user, 0, sizeof(*user));
	user->who = principals_user(recorder_principals(series->recorder), 1000);
	user->index = begin_guest(series, user->who, &user->ring);
	test_ring_write(&user->ring);
	drain(series);
}

/* More than any disk has. */
#define ALL_OF_IT (UINT64_MAX / 4)

/* What the table of the present recording has of a source; false: it has none. */
static bool is_listed(struct series *series, size_t index, struct strata_stream *stream)
{
	struct strata_recording recording;
	bool listed;

	assert_int_equal(recorder_save(series->recorder, &series->error), 0);
	assert_int_equal(strata_recording_load_places(
				 &recording, recorder_dir(series->recorder)->path, &series->error),
			 0);
	listed = index < recording.nr_sources && !recording.sources[index].vacant;
	if (listed && stream)
		*stream = recording.sources[index].streams[0];
	strata_recording_clear(&recording);
	return listed;
}

static bool has_file(struct series *series, const char *name)
{
	return faccessat(recorder_dir(series->recorder)->fd, name, F_OK, 0) == 0;
}

/* The next drain tries again to make its file. */
static void pass_time(struct series *series, size_t index)
{
	size_t i, j;

	for (i = 0; i < series->recorder->nr_queues; i++)
		for (j = 0; j < series->recorder->queues[i].nr; j++)
			if (series->recorder->queues[i].streams[j]->source->index == index &&
			    series->recorder->queues[i].streams[j]->file_again_ticks)
				series->recorder->queues[i].streams[j]->file_again_ticks = 1;
}

static void without_a_share_of_the_disk_events_wait_in_their_ring(void **state)
{
	struct recorder_finished first, second;
	static struct user user;
	struct series series;
	struct strata_stream counts;

	(void)state;
	begin(&series);
	begin_user(&series, &user);
	user.who->written += ALL_OF_IT;
	first = rotate(&series);
	test_ring_write(&user.ring);
	test_ring_write(&series.ring);
	drain(&series);
	/* Others are recorded; of his nothing is on the disk, also no table. */
	assert_true(is_listed(&series, 0, &counts));
	assert_int_equal(counts.events, 1);
	assert_false(is_listed(&series, user.index, NULL));
	assert_false(has_file(&series, "guest"));
	/* What is counted meanwhile is in the recording that lists it. */
	recorder_recording(series.recorder)->sources[user.index].streams[0].bad_packets = 3;
	second = rotate(&series);
	/* Someone made room. */
	user.who->written -= ALL_OF_IT;
	drain(&series);
	assert_true(is_listed(&series, user.index, &counts));
	assert_int_equal(counts.events, 1);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.bad_packets, 3);
	assert_true(has_file(&series, "guest/cpu_0"));
	assert_true(has_file(&series, "guest/metadata"));
	free(first.shares);
	free(second.shares);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	drain(&series);
	test_ring_close(&user.ring);
	end(&series);
}

static void without_files_for_it_a_stream_waits_alone(void **state)
{
	struct recorder_finished first;
	static struct test_ring second;
	static struct user user;
	const struct strata_stream *counts;
	struct series series;

	(void)state;
	begin(&series);
	begin_user(&series, &user);
	test_ring_open(&second, 1);
	assert_int_equal(recorder_add_ring(series.recorder, user.index, &second.ring,
					   RECORDER_FROM_NOW, &series.error),
			 0);
	first = rotate(&series);
	test_ring_write(&second);
	drain(&series);
	user.who->files += ALL_OF_IT;
	/* The ring that has a file goes on behind one that has none. */
	test_ring_write(&user.ring);
	test_ring_write(&second);
	drain(&series);
	counts = recorder_recording(series.recorder)->sources[user.index].streams;
	assert_int_equal(counts[0].events, 0);
	assert_int_equal(counts[1].events, 2);
	assert_false(has_file(&series, "guest/cpu_0"));
	user.who->files -= ALL_OF_IT;
	pass_time(&series, user.index);
	drain(&series);
	assert_int_equal(counts[0].events, 1);
	assert_true(has_file(&series, "guest/cpu_0"));
	free(first.shares);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	drain(&series);
	test_ring_close(&user.ring);
	test_ring_close(&second);
	end(&series);
}

/* Readers of the second recording, and `strata recover`, tell the loss of its second source. */
static void expect_only_lost(struct series *series, const char *name)
{
	struct strata_recording recording;
	struct recovery recovery;
	struct recorder_totals totals;
	char from[160], to[160];

	snprintf(from, sizeof(from), "%s/%s", series->dir, name);
	snprintf(to, sizeof(to), "%s/recovered", series->dir);
	assert_int_equal(strata_recording_load(&recording, from, &series->error), 0);
	assert_int_equal(recording.nr_sources, 2);
	assert_null(strata_recorded_source_open(&recording.sources[1], from, NULL, NULL,
						&series->error));
	assert_string_equal(series->error.text,
			    "guest: its 1 events are lost: the recorder had no room for them");
	strata_recording_clear(&recording);
	assert_int_equal(recover(&recovery, from, to, &series->error), 0);
	assert_int_equal(recovery.left_out, 1);
	assert_int_equal(recorder_close(recovery.recorder, &totals, &series->error), 0);
	recover_release(&recovery);
	assert_int_equal(strata_recording_load(&recording, to, &series->error), 0);
	assert_int_equal(recording.sources[1].streams[0].lost, 1);
	strata_recording_clear(&recording);
}

static void what_never_got_a_place_is_counted_as_lost(void **state)
{
	struct recorder_finished first;
	struct recorder_totals totals;
	static struct user user;
	struct strata_stream counts;
	struct series series;

	(void)state;
	begin(&series);
	begin_user(&series, &user);
	user.who->written += ALL_OF_IT;
	first = rotate(&series);
	test_ring_write(&user.ring);
	drain(&series);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	drain(&series);
	assert_true(is_listed(&series, user.index, &counts));
	assert_int_equal(counts.lost, 1);
	assert_int_equal(counts.packets, 0);
	/* Neither a directory nor metadata, which nothing needs. */
	assert_false(has_file(&series, "guest"));
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	assert_int_equal(totals.lost, 1);
	assert_int_equal(totals.no_share, 1);
	assert_true(totals.was_shared);
	expect_only_lost(&series, "recording-2");
	free(first.shares);
	test_ring_close(&user.ring);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

static uint64_t lost_in(const char *path, size_t index)
{
	struct strata_recording recording;
	struct strata_error error;
	uint64_t lost;

	assert_int_equal(strata_recording_load(&recording, path, &error), 0);
	lost = recording.sources[index].streams[0].lost;
	strata_recording_clear(&recording);
	return lost;
}

static void losses_without_a_place_are_in_the_next_recording(void **state)
{
	struct recorder_finished first, second;
	struct strata_stream counts;
	static struct user user;
	struct series series;

	(void)state;
	begin(&series);
	begin_user(&series, &user);
	first = rotate(&series);
	assert_true(is_listed(&series, user.index, NULL));
	user.who->files += ALL_OF_IT;
	lose_of(&user.ring, 7);
	/* Its losses have no file either. */
	second = rotate(&series);
	assert_false(is_listed(&series, user.index, NULL));
	assert_int_equal(lost_in(second.path, user.index), 0);
	user.who->files -= ALL_OF_IT;
	pass_time(&series, user.index);
	drain(&series);
	lose_of(&user.ring, 2);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	drain(&series);
	assert_true(is_listed(&series, user.index, &counts));
	assert_int_equal(counts.lost, 9);
	free(first.shares);
	free(second.shares);
	test_ring_close(&user.ring);
	end(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_in_one_recording),
		cmocka_unit_test(each_loss_is_in_one_recording),
		cmocka_unit_test(where_no_directory_can_be_made_the_recording_goes_on),
		cmocka_unit_test(without_a_share_of_the_disk_events_wait_in_their_ring),
		cmocka_unit_test(without_files_for_it_a_stream_waits_alone),
		cmocka_unit_test(what_never_got_a_place_is_counted_as_lost),
		cmocka_unit_test(losses_without_a_place_are_in_the_next_recording),
		cmocka_unit_test(a_source_that_ended_is_in_the_recording_of_its_time),
		cmocka_unit_test(what_is_removed_may_be_written_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
