// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_rotate.c - a recorder that ends a recording and goes on in another directory: each
 * event and each loss is in one of them. */
#include "recorder_series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/recorder_state.h"

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
	series_begin(&series);
	for (i = 0; i < 5; i++)
		test_ring_write(&series.ring);
	series_drain(&series);
	/* In a sub-buffer that is open when the recording ends. */
	test_ring_put(&series.ring, 5);
	first = series_rotate(&series);
	test_ring_put(&series.ring, 6);
	strata_ring_flush(series.ring.writer);
	series_drain(&series);
	second = series_rotate(&series);
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

static void lose(struct series *series, unsigned int nr)
{
	test_ring_lose(&series->ring, nr);
}

static void each_loss_is_in_one_recording(void **state)
{
	struct recorder_finished first;
	struct recorder_totals totals;
	struct strata_stream counts;
	struct series series;

	(void)state;
	series_begin(&series);
	lose(&series, 7);
	first = series_rotate(&series);
	series_drain(&series);
	lose(&series, 4);
	series_drain(&series);
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

/* A rotation closes all files in one turn: it makes those that their principals have credit for. */
static void losses_without_a_file_are_in_the_next_recording_if_there_is_no_credit(void **state)
{
	struct strata_recording recording;
	struct recorder_finished first;
	struct recorder_totals totals;
	static struct test_ring ring;
	struct series series;
	struct principal *who;
	char file[PATH_MAX + 20];
	size_t index;

	(void)state;
	series_begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	index = series_add_guest(&series, who, &ring);
	series_drain(&series);
	strata_ring_count_lost(ring.writer, STRATA_LOST_BIG);
	principal_charge(who, PRINCIPAL_DRAINING, PRINCIPAL_DRAINING_BYTES);
	first = series_rotate(&series);
	snprintf(file, sizeof(file), "%s/guest/cpu_0", first.path);
	assert_int_equal(access(file, F_OK), -1);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	assert_int_equal(totals.lost, 1);
	snprintf(series.path, sizeof(series.path), "%s/recording-2", series.dir);
	assert_int_equal(strata_recording_load(&recording, series.path, &series.error), 0);
	assert_int_equal(recording.sources[index].streams[0].lost, 1);
	strata_recording_clear(&recording);
	free(first.shares);
	test_ring_close(&ring);
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
	series_begin(&series);
	test_ring_write(&series.ring);
	series_drain(&series);
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
	series_begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	index = series_add_guest(&series, who, &guest);
	test_ring_write(&guest);
	recorder_leave_source(series.recorder, index, STRATA_SOURCE_EXITED);
	series_drain(&series);
	assert_int_equal(recorder_presence(series.recorder, index), RECORDER_SOURCE_IS_GONE);
	claimed = who->used[PRINCIPAL_SOURCES];
	assert_int_equal(claimed, 1);

	first = series_rotate(&series);
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
		recorder_begin_source(series.recorder, who, "next", 1, 0, &again, &series.error),
		0);
	assert_int_equal(again, index);
	free(first.shares);
	test_ring_close(&guest);
	series_end(&series);
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
	series_begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	index = series_add_guest(&series, who, &guest);
	test_ring_write(&guest);
	series_drain(&series);
	written = who->written;
	assert_true(written > 0);
	assert_int_equal(who->files, 1 + PRINCIPAL_SOURCE_FILES);
	first = series_rotate(&series);
	/* The tables count in the new recording as well, a file from its first packet on. */
	tables = who->written - written;
	assert_true(tables > 0);
	assert_int_equal(who->files, 1 + 2 * PRINCIPAL_SOURCE_FILES);
	test_ring_write(&guest);
	series_drain(&series);
	assert_true(who->written > written + tables);
	assert_int_equal(who->files, 2 + 2 * PRINCIPAL_SOURCE_FILES);
	assert_false(principal_may_make_files(who, 10, 27));
	assert_true(principal_may_make_files(who, 10, 28));
	/* Also a second one that ends is charged with its own part alone. */
	recorder_note_removed(&first);
	assert_int_equal(who->removed, written);
	assert_int_equal(who->removed_files, 1 + PRINCIPAL_SOURCE_FILES);
	first = series_rotate(&series);
	recorder_note_removed(&first);
	assert_int_equal(who->removed, who->written - tables);
	assert_int_equal(who->files - who->removed_files, PRINCIPAL_SOURCE_FILES);
	assert_false(principal_may_write(who, 100, 199 + tables));
	assert_true(principal_may_write(who, 100, 200 + tables));
	recorder_leave_source(series.recorder, index, STRATA_SOURCE_EXITED);
	series_drain(&series);
	test_ring_close(&guest);
	series_end(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_in_one_recording),
		cmocka_unit_test(each_loss_is_in_one_recording),
		cmocka_unit_test(
			losses_without_a_file_are_in_the_next_recording_if_there_is_no_credit),
		cmocka_unit_test(where_no_directory_can_be_made_the_recording_goes_on),
		cmocka_unit_test(a_source_that_ended_is_in_the_recording_of_its_time),
		cmocka_unit_test(what_is_removed_may_be_written_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
