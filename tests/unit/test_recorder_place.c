// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_place.c - streams whose principal's share of the disk has no room for their files,
 * or for the tables of their source: they wait, and what is lost is told. */
#include "recorder_series.h"

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
#include "host/recording_traces.h"
#include "live/live.h"
#include "consumerd/recorder_state.h"
#include "consumerd/recover.h"

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
	user->index = series_add_guest(series, user->who, &user->ring);
	test_ring_write(&user->ring);
	series_drain(series);
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

/* A recording that has just begun by a rotation, when the user's share of the disk was used up. */
static struct recorder_finished begin_without_share(struct series *series, struct user *user)
{
	series_begin(series);
	begin_user(series, user);
	user->who->written += ALL_OF_IT;
	return series_rotate(series);
}

static void without_a_share_of_the_disk_events_wait_in_their_ring(void **state)
{
	struct recorder_finished first, second;
	static struct user user;
	struct series series;
	struct strata_stream counts;

	(void)state;
	first = begin_without_share(&series, &user);
	test_ring_write(&user.ring);
	test_ring_write(&series.ring);
	series_drain(&series);
	/* Others are recorded; of his nothing is on the disk, also no table. */
	assert_true(is_listed(&series, 0, &counts));
	assert_int_equal(counts.events, 1);
	assert_false(is_listed(&series, user.index, NULL));
	assert_false(has_file(&series, "guest"));
	/* What is counted meanwhile is in the recording that lists it. */
	recorder_recording(series.recorder)->sources[user.index].streams[0].bad_packets = 3;
	second = series_rotate(&series);
	/* Someone made room. */
	user.who->written -= ALL_OF_IT;
	series_drain(&series);
	assert_true(is_listed(&series, user.index, &counts));
	assert_int_equal(counts.events, 1);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.bad_packets, 3);
	assert_true(has_file(&series, "guest/cpu_0"));
	assert_true(has_file(&series, "guest/metadata"));
	free(first.shares);
	free(second.shares);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	series_drain(&series);
	test_ring_close(&user.ring);
	series_end(&series);
}

static void without_files_for_it_a_stream_waits_alone(void **state)
{
	struct recorder_finished first;
	static struct test_ring second;
	static struct user user;
	const struct strata_stream *counts;
	struct series series;

	(void)state;
	series_begin(&series);
	begin_user(&series, &user);
	test_ring_open(&second, 1);
	assert_int_equal(recorder_add_ring(series.recorder, user.index, &second.ring,
					   RECORDER_FROM_NOW, &series.error),
			 0);
	first = series_rotate(&series);
	test_ring_write(&second);
	series_drain(&series);
	user.who->files += ALL_OF_IT;
	/* The ring that has a file goes on behind one that has none. */
	test_ring_write(&user.ring);
	test_ring_write(&second);
	series_drain(&series);
	counts = recorder_recording(series.recorder)->sources[user.index].streams;
	assert_int_equal(counts[0].events, 0);
	assert_int_equal(counts[1].events, 2);
	assert_false(has_file(&series, "guest/cpu_0"));
	user.who->files -= ALL_OF_IT;
	pass_time(&series, user.index);
	series_drain(&series);
	assert_int_equal(counts[0].events, 1);
	assert_true(has_file(&series, "guest/cpu_0"));
	free(first.shares);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	series_drain(&series);
	test_ring_close(&user.ring);
	test_ring_close(&second);
	series_end(&series);
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
	first = begin_without_share(&series, &user);
	test_ring_write(&user.ring);
	series_drain(&series);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	series_drain(&series);
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

static void hear(void *data, const char *message)
{
	snprintf(data, 400, "%s", message);
}

static void a_listed_stream_without_a_file_tells_its_losses(void **state)
{
	struct strata_recording_traces *traces;
	struct strata_ctf_trace *trace;
	struct recorder_finished first;
	struct recorder_totals totals;
	static struct user user;
	struct series series;
	char path[160], heard[400] = "";

	(void)state;
	series_begin(&series);
	begin_user(&series, &user);
	first = series_rotate(&series);
	assert_true(is_listed(&series, user.index, NULL));
	user.who->files += ALL_OF_IT;
	test_ring_write(&user.ring);
	test_ring_write(&user.ring);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	assert_int_equal(totals.no_share, 2);
	snprintf(path, sizeof(path), "%s/recording-2", series.dir);
	traces = strata_recording_traces_open(path, hear, hear, heard, &series.error);
	assert_non_null(traces);
	trace = strata_recording_traces_trace(traces, user.index, &series.error);
	assert_non_null(trace);
	assert_non_null(strstr(
		heard, "guest/cpu_0: its 2 events are lost: the recorder had no room for them"));
	/* The recording is whole, as with losses that packets tell. */
	assert_int_equal(strata_recording_traces_missing(traces), 0);
	strata_ctf_trace_close(trace);
	strata_recording_traces_close(traces);
	free(first.shares);
	test_ring_close(&user.ring);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

/* One that cannot be made for another reason than room ends no recording, if it is not root's. */
static void the_recording_goes_on_without_a_file_that_cannot_be_made(void **state)
{
	struct recorder_finished first;
	struct strata_source *source;
	static struct user user;
	struct series series;

	(void)state;
	series_begin(&series);
	begin_user(&series, &user);
	source = &recorder_recording(series.recorder)->sources[user.index];
	/* No directory can have this name. */
	memset(source->name, '/', 3);
	first = series_rotate(&series);
	test_ring_write(&user.ring);
	test_ring_write(&series.ring);
	series_drain(&series);
	assert_int_equal(source->streams[0].events, 0);
	assert_int_equal(recorder_recording(series.recorder)->sources[0].streams[0].events, 1);
	strcpy(source->name, "guest");
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	/* Its name did not reach the file that was named then: so what it had is lost. */
	series_drain(&series);
	assert_int_equal(source->streams[0].lost, 1);
	free(first.shares);
	test_ring_close(&user.ring);
	series_end(&series);
}

/* A recorder that takes what it does not write out of the rings makes all files before. */
static void a_snapshot_takes_nothing_that_it_has_no_file_for(void **state)
{
	struct recorder_totals totals;
	static struct user user;
	struct series series;

	(void)state;
	series_begin(&series);
	user.who = principals_user(recorder_principals(series.recorder), 1000);
	user.index = series_add_guest(&series, user.who, &user.ring);
	test_ring_write(&user.ring);
	test_ring_write(&series.ring);
	user.who->files += ALL_OF_IT;
	assert_int_equal(recorder_make_files(series.recorder, &series.error), 0);
	assert_int_equal(recorder_close(series.recorder, &totals, &series.error), 0);
	assert_int_equal(totals.events, 1);
	assert_int_equal(totals.lost, 0);
	assert_true(totals.was_shared);
	/* It is still there, for the next one. */
	assert_true(strata_reader_ready(&user.ring.ring.reader));
	assert_false(strata_reader_ready(&series.ring.ring.reader));
	test_ring_close(&user.ring);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

static void without_room_for_files_a_snapshot_takes_nothing(void **state)
{
	struct series series;

	(void)state;
	series_begin(&series);
	test_ring_write(&series.ring);
	memset(recorder_recording(series.recorder)->sources[0].name, '/', 3);
	stream_file_name(&series.recorder->queues[0].streams[0]->file,
			 recorder_dir(series.recorder), "/", 0);
	assert_int_equal(recorder_make_files(series.recorder, &series.error), -1);
	recorder_abandon(series.recorder);
	assert_true(strata_reader_ready(&series.ring.ring.reader));
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
	series_begin(&series);
	begin_user(&series, &user);
	first = series_rotate(&series);
	assert_true(is_listed(&series, user.index, NULL));
	user.who->files += ALL_OF_IT;
	test_ring_lose(&user.ring, 7);
	/* Its losses have no file either. */
	second = series_rotate(&series);
	assert_false(is_listed(&series, user.index, NULL));
	assert_int_equal(lost_in(second.path, user.index), 0);
	user.who->files -= ALL_OF_IT;
	pass_time(&series, user.index);
	series_drain(&series);
	test_ring_lose(&user.ring, 2);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	series_drain(&series);
	assert_true(is_listed(&series, user.index, &counts));
	assert_int_equal(counts.lost, 9);
	free(first.shares);
	free(second.shares);
	test_ring_close(&user.ring);
	series_end(&series);
}

/* Of all kinds of fields, sequences with long names have the most text. */
static struct strata_event_desc long_event(uint32_t id, enum strata_field_kind kind)
{
	struct strata_event_desc event = { .id = id, .nr_fields = STRATA_EVENT_FIELDS_MAX };
	unsigned int i;

	snprintf(event.name, sizeof(event.name), "event_%u_%048u", id, 0u);
	snprintf(event.group, sizeof(event.group), "group_%024u", 0u);
	for (i = 0; i < event.nr_fields; i++) {
		event.fields[i].kind = (uint8_t)kind;
		event.fields[i].bytes = kind == STRATA_FIELD_TEXT ? 1 : 8;
		snprintf(event.fields[i].name, sizeof(event.fields[i].name), "field_%u_%020u", i,
			 0u);
	}
	return event;
}

static uint64_t bytes_of(struct series *series, const char *name)
{
	struct stat status;

	assert_int_equal(fstatat(recorder_dir(series->recorder)->fd, name, &status, 0), 0);
	return (uint64_t)status.st_size;
}

static void tables_take_no_more_than_is_charged(void **state)
{
	static const enum strata_field_kind kinds[] = { STRATA_FIELD_TEXT, STRATA_FIELD_HEX,
							STRATA_FIELD_FLOAT };
	struct principal *who;
	struct series series;
	struct strata_event_desc event;
	uint64_t charged, json;
	size_t index, i, j;
	char name[32];

	(void)state;
	series_begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	/* The fourth has no event. */
	for (i = 0; i < 4; i++) {
		assert_int_equal(recorder_save(series.recorder, &series.error), 0);
		json = bytes_of(&series, STRATA_RECORDING_FILE);
		charged = who->written;
		snprintf(name, sizeof(name), "guest%zu", i);
		assert_int_equal(recorder_begin_source(series.recorder, who, name, 0, 0, &index,
						       &series.error),
				 0);
		recorder_recording(series.recorder)->sources[index].layer = STRATA_LAYER_KERNEL;
		for (j = 0; i < 3 && j < 100; j++) {
			event = long_event((uint32_t)j, kinds[i]);
			assert_int_equal(
				recorder_add_event(series.recorder, index, &event, &series.error),
				0);
		}
		assert_int_equal(recorder_save(series.recorder, &series.error), 0);
		snprintf(name, sizeof(name), "guest%zu/metadata", i);
		json = bytes_of(&series, STRATA_RECORDING_FILE) - json;
		charged = who->written - charged;
		assert_in_range(bytes_of(&series, name) + json, charged / 8, charged);
	}
	series_end(&series);
}

/* What a source announces when it begins has its room; later events need room of their own. */
static void later_events_need_room(void **state)
{
	const struct strata_event_desc event = long_event(7, STRATA_FIELD_HEX);
	const uint32_t bytes = strata_event_packed_bytes(&event);
	struct strata_event_desc other = long_event(8, STRATA_FIELD_HEX);
	struct principal *who;
	struct series series;
	size_t index;

	(void)state;
	series_begin(&series);
	who = principals_user(recorder_principals(series.recorder), 1000);
	assert_int_equal(recorder_begin_source(series.recorder, who, "guest", 0, bytes, &index,
					       &series.error),
			 0);
	who->written += ALL_OF_IT;
	assert_int_equal(recorder_add_event(series.recorder, index, &event, &series.error), 0);
	assert_int_equal(recorder_add_event(series.recorder, index, &other, &series.error), -1);
	assert_non_null(strstr(series.error.text, "reserved for others"));
	who->written -= ALL_OF_IT;
	assert_int_equal(recorder_add_event(series.recorder, index, &other, &series.error), 0);
	series_end(&series);
}

static int take_nothing(struct strata_live_sink *sink, const struct strata_trace_set *set,
			struct strata_error *error)
{
	(void)sink;
	(void)set;
	(void)error;
	return 0;
}

static int take_events(struct strata_live_sink *sink, size_t stream,
		       struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		       size_t nr, bool late, struct strata_error *error)
{
	(void)sink;
	(void)stream;
	(void)reader;
	(void)events;
	(void)nr;
	(void)late;
	(void)error;
	return 0;
}

static void count(void *data, const char *message)
{
	*(unsigned int *)data += strstr(message, "events are lost") != NULL;
}

static void followers_are_told_of_losses_once(void **state)
{
	struct strata_live_sink sink = { .sources = take_nothing, .take = take_events };
	unsigned int told = 0, looks;
	const struct strata_live_options options = {
		.complain = count,
		.complain_data = &told,
		.from_beginning = true,
	};
	struct recorder_finished first;
	struct strata_live *live;
	static struct user user;
	struct series series;

	(void)state;
	series_begin(&series);
	begin_user(&series, &user);
	user.who->written += ALL_OF_IT;
	assert_int_equal(recorder_publish(series.recorder, &series.error), 0);
	first = series_rotate(&series);
	test_ring_write(&series.ring);
	series_drain(&series);
	live = strata_live_open(recorder_dir(series.recorder)->path, &options, &series.error);
	assert_non_null(live);
	test_ring_write(&user.ring);
	series_drain(&series);
	assert_int_equal(strata_live_look(live, &sink, &series.error), 0);
	recorder_leave_source(series.recorder, user.index, STRATA_SOURCE_EXITED);
	/* The tables change all the time. */
	for (looks = 0; looks < 10; looks++) {
		test_ring_write(&series.ring);
		series_drain(&series);
		assert_int_equal(recorder_save(series.recorder, &series.error), 0);
		series_drain(&series);
		assert_int_equal(strata_live_look(live, &sink, &series.error), 0);
	}
	assert_int_equal(told, 1);
	strata_live_close(live);
	free(first.shares);
	test_ring_close(&user.ring);
	series_end(&series);
}

/* Rings of others do not count in a copy of a guest's own: they cannot prevent it. */
static void a_copy_of_a_guest_s_own_rings_has_those_of_the_host(void **state)
{
	static const uint8_t uuid[PRINCIPAL_UUID_BYTES] = { 1 }, other_uuid[16] = { 2 }, none[16];
	struct test_ring rings[5];
	struct principal *owners[5], *guest;
	struct principals *all;
	struct series series;
	size_t i;

	(void)state;
	series_begin(&series);
	all = recorder_principals(series.recorder);
	guest = owners[0] = principals_domain(all, 5, uuid, "guest");
	owners[1] = principals_domain(all, 0, none, "Domain-0");
	owners[2] = principals_domain(all, 6, other_uuid, "other");
	owners[3] = principals_user(all, 1000);
	owners[4] = principals_user(all, 0);
	for (i = 0; i < 5; i++) {
		series_add_guest(&series, owners[i], &rings[i]);
		assert_true(recorder_is_copied(owners[i], guest, RECORDER_COPY_ALL));
		assert_int_equal(recorder_is_copied(owners[i], guest, RECORDER_COPY_OWN), i < 2);
	}
	assert_true(recorder_is_copied(principals_hypervisor(all), guest, RECORDER_COPY_OWN));
	guest->files = 0;
	/* The series has a ring of the hypervisor's. */
	recorder_note_copy(series.recorder, guest, RECORDER_COPY_OWN, 0);
	assert_int_equal(guest->files, 3);
	recorder_note_copy(series.recorder, guest, RECORDER_COPY_ALL, 0);
	assert_int_equal(guest->files, 3 + 6);
	assert_int_equal(
		recorder_close(series.recorder, &(struct recorder_totals){ 0 }, &series.error), 0);
	for (i = 0; i < 5; i++)
		test_ring_close(&rings[i]);
	test_ring_close(&series.ring);
	test_remove_dir(series.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_of_a_guest_s_own_rings_has_those_of_the_host),
		cmocka_unit_test(without_a_share_of_the_disk_events_wait_in_their_ring),
		cmocka_unit_test(without_files_for_it_a_stream_waits_alone),
		cmocka_unit_test(what_never_got_a_place_is_counted_as_lost),
		cmocka_unit_test(losses_without_a_place_are_in_the_next_recording),
		cmocka_unit_test(a_listed_stream_without_a_file_tells_its_losses),
		cmocka_unit_test(the_recording_goes_on_without_a_file_that_cannot_be_made),
		cmocka_unit_test(a_snapshot_takes_nothing_that_it_has_no_file_for),
		cmocka_unit_test(without_room_for_files_a_snapshot_takes_nothing),
		cmocka_unit_test(tables_take_no_more_than_is_charged),
		cmocka_unit_test(later_events_need_room),
		cmocka_unit_test(followers_are_told_of_losses_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
