// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_tables.c - the size of a recording's tables; writing them does not block the
 * recorder. */
#include "recorder_rings.h"

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

#include "consumerd/sources.h"

#define MANY 3000000001u
#define FEW  3000000002u

static struct test_ring few;
static char dir[64];
static struct recorder *recorder;
static struct strata_error error;

static int open_world(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/strata-tables-XXXXXX");
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	test_ring_open(&few, 0);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	test_ring_close(&few);
	test_remove_dir(dir);
	return 0;
}

static void close_recorder(void)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
}

static struct principal *user(uint32_t uid)
{
	return principals_user(recorder_principals(recorder), uid);
}

/* A source with one event and one ring. */
static size_t add_few(void)
{
	const struct strata_event_desc event = {
		.name = "tick",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	size_t index;

	assert_int_equal(recorder_begin_source(recorder, user(FEW), "few", 1, 0, &index, &error),
			 0);
	recorder_recording(recorder)->sources[index].layer = STRATA_LAYER_KERNEL;
	assert_int_equal(recorder_add_event(recorder, index, &event, &error), 0);
	assert_int_equal(recorder_add_ring(recorder, index, &few.ring, RECORDER_FROM_NOW, &error),
			 0);
	return index;
}

static void drain(void)
{
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
}

static bool is_there(const char *name)
{
	struct stat status;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &status) == 0;
}

static off_t size_of(const char *name)
{
	struct stat status;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

/* Adds sources of a user with as many and as long descriptions as can be.  Returns how many events
 * were refused. */
static uint32_t describe(uint32_t uid, uint32_t nr_sources)
{
	struct strata_event_desc event = { .nr_fields = STRATA_EVENT_FIELDS_MAX };
	uint32_t source, i, refused = 0;
	size_t index;

	for (i = 0; i < STRATA_EVENT_FIELDS_MAX; i++) {
		event.fields[i] = (struct strata_field_desc){ "", STRATA_FIELD_UNSIGNED, 4, 65 };
		snprintf(event.fields[i].name, sizeof(event.fields[i].name), "field_%025u", i);
		event.fields[i].count = 10;
	}
	for (source = 0; source < nr_sources; source++) {
		char name[32];

		snprintf(name, sizeof(name), "source%u-%u", uid, source);
		assert_int_equal(
			recorder_begin_source(recorder, user(uid), name, 0, 0, &index, &error), 0);
		for (i = 0; i < 1024; i++) {
			event.id = i;
			snprintf(event.name, sizeof(event.name), "event_%057u", i);
			snprintf(event.group, sizeof(event.group), "group_%025u", i);
			refused += recorder_add_event(recorder, index, &event, &error) != 0;
		}
	}
	return refused;
}

static void descriptions_beyond_a_share_are_refused_and_can_be_read(void **state)
{
	struct strata_recording loaded;

	(void)state;
	assert_in_range(describe(MANY, 12), 1, 12 * 1024);
	assert_non_null(strstr(error.text, "user 3000000001 holds "));
	assert_int_equal(recorder_save(recorder, &error), 0);
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 12);
	assert_int_equal(loaded.nr_faults, 0);
	assert_int_equal(strata_source_load_events(&loaded.sources[0], dir, &error), 0);
	assert_true(loaded.sources[0].nr_events > 0);
	assert_int_equal(loaded.sources[0].description_bytes,
			 recorder_recording(recorder)->sources[0].description_bytes);
	strata_recording_clear(&loaded);
	/* The sum of all shares can be read. */
	assert_in_range(size_of("recording.json"), 1,
			STRATA_RECORDING_BYTES_MAX / (int)PRINCIPAL_SHARES);
	close_recorder();
}

/* Most that a turn may write: a step, and the largest source. */
#define TURN_BYTES (4 << 20)

/* A selection that grows while the recording goes on costs its guest as much as one that was as
 * large from the beginning. */
static void classes_that_are_selected_later_count_like_others(void **state)
{
	static const uint8_t uuid[PRINCIPAL_UUID_BYTES] = { 1 };
	const struct guest guest = { .domain = 1, .name = "g1" };
	struct strata_event_desc events[2] = {
		{ .name = "tick", .nr_fields = 1 },
		{ .id = 1, .name = "tock", .nr_fields = 2 },
	};
	const struct guest_map map = { .events = events, .nr_events = 2, .nr_rings = 1 };
	struct event_set first = { { 1 } }, both = { { 3 } };
	const struct principal *who;
	size_t index, i, j;

	(void)state;
	for (i = 0; i < 2; i++)
		for (j = 0; j < events[i].nr_fields; j++) {
			events[i].fields[j] = (struct strata_field_desc){
				.kind = STRATA_FIELD_UNSIGNED, .bytes = 4, .count = 1
			};
			snprintf(events[i].fields[j].name, sizeof(events[i].fields[j].name),
				 "field_%zu", j);
		}
	assert_int_equal(sources_begin_kernel(recorder, &guest, uuid, &map, &first,
					      RECORDER_FROM_NOW, 0, &index, &error),
			 0);
	who = principals_domain(recorder_principals(recorder), 1, uuid, "g1");
	assert_int_equal(who->used[PRINCIPAL_DESCRIPTION_BYTES], strata_event_desc_bytes(1));
	for (i = 0; i < 2; i++) {
		assert_int_equal(sources_add_events(recorder, index, &map, &both, &error), 0);
		assert_int_equal(who->used[PRINCIPAL_DESCRIPTION_BYTES],
				 strata_event_desc_bytes(1) + strata_event_desc_bytes(2));
	}
	assert_int_equal(recorder_add_ring(recorder, index, &few.ring, RECORDER_FROM_NOW, &error),
			 0);
	recorder_leave_source(recorder, index, STRATA_SOURCE_UNLOADED);
	drain();
	assert_int_equal(who->used[PRINCIPAL_DESCRIPTION_BYTES], 0);
	close_recorder();
}

/* A name selects one event: with two of the same name a guest would select both, so it is refused,
 * whichever of them are to be recorded, and no source is added for it. */
static void a_guest_whose_events_share_a_name_is_refused(void **state)
{
	static const uint8_t uuid[PRINCIPAL_UUID_BYTES] = { 2 };
	const struct guest guest = { .domain = 1, .name = "g1" };
	struct strata_event_desc events[] = { { .name = "tock" },
					      { .id = 1, .name = "tick" },
					      { .id = 2, .name = "tock" } };
	const struct guest_map map = { .events = events, .nr_events = 3, .nr_rings = 1 };
	const struct event_set second = { { 2 } };
	size_t index;

	(void)state;
	assert_int_equal(sources_begin_kernel(recorder, &guest, uuid, &map, &second,
					      RECORDER_FROM_NOW, 0, &index, &error),
			 -2);
	assert_non_null(strstr(error.text, "have the same name; names must be unique"));
	assert_int_equal(recorder_recording(recorder)->nr_sources, 0);
	strcpy(events[2].name, "tack");
	assert_int_equal(sources_begin_kernel(recorder, &guest, uuid, &map, &second,
					      RECORDER_FROM_NOW, 0, &index, &error),
			 0);
	recorder_leave_source(recorder, index, STRATA_SOURCE_UNLOADED);
	close_recorder();
}

static void large_tables_keep_nobody_waiting(void **state)
{
	const uint64_t all_of_few = strata_nr_subbufs(test_ring_geometry);
	const struct strata_source *few_source;
	struct strata_recording loaded;
	size_t few_index, turns = 0;
	off_t before = 0, after;
	uint32_t i;

	(void)state;
	few_index = add_few();
	for (i = 1; i <= 6; i++)
		describe(MANY + i * 2, 3);
	do {
		test_ring_fill(&few);
		drain();
		few_source = &recorder_recording(recorder)->sources[few_index];
		assert_int_equal(few_source->streams[0].packets, ++turns * all_of_few);
		after = is_there("recording.json") ? size_of("recording.json")
						   : size_of("recording.json.new");
		/* The file grows in pieces, and not in each turn. */
		assert_in_range(after - before, 0, TURN_BYTES);
		before = after;
	} while (!is_there("recording.json"));
	assert_in_range(turns, 3, 1000);
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 1 + 6 * 3);
	assert_int_equal(loaded.nr_faults, 0);
	strata_recording_clear(&loaded);
	close_recorder();
}

/* An event that comes while tables are written is in the next ones, and is not published before. */
static void what_comes_while_tables_are_written_is_written_too(void **state)
{
	struct strata_recording loaded;
	uint32_t i;

	(void)state;
	for (i = 1; i <= 6; i++)
		describe(MANY + i * 2, 3);
	drain();
	assert_true(is_there("recording.json.new"));
	add_few();
	while (!is_there("recording.json")) {
		assert_false(recorder_is_saved(recorder));
		drain();
	}
	assert_false(recorder_is_saved(recorder));
	while (!recorder_is_saved(recorder))
		drain();
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 6 * 3 + 1);
	assert_string_equal(loaded.sources[6 * 3].name, "few");
	assert_int_equal(strata_source_load_events(&loaded.sources[6 * 3], dir, &error), 0);
	assert_int_equal(loaded.sources[6 * 3].nr_events, 1);
	strata_recording_clear(&loaded);
	/* Also where nothing but the end of a source is new. */
	test_ring_fill(&few);
	recorder_leave_source(recorder, 6 * 3, STRATA_SOURCE_EXITED);
	do
		drain();
	while (!recorder_is_saved(recorder));
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.sources[6 * 3].ended, STRATA_SOURCE_EXITED);
	strata_recording_clear(&loaded);
	close_recorder();
}

/* Followers wait for tables that have all streams of a source. */
static void a_ring_that_is_added_later_is_in_the_next_tables(void **state)
{
	struct test_ring later;
	size_t index;

	(void)state;
	test_ring_open(&later, 1);
	index = add_few();
	drain();
	assert_true(recorder_is_saved(recorder));
	assert_int_equal(recorder_add_ring(recorder, index, &later.ring, RECORDER_FROM_NOW, &error),
			 0);
	assert_false(recorder_is_saved(recorder));
	close_recorder();
	test_ring_close(&later);
}

/* As where the disk has no room for them. */
static void metadata_that_cannot_be_written_cost_only_their_own_source(void **state)
{
	struct strata_recording recording;
	struct recorder_totals totals;
	char path[160];
	size_t index;

	(void)state;
	describe(MANY, 1);
	index = add_few();
	snprintf(path, sizeof(path), "%s/%s", dir, recorder_recording(recorder)->sources[0].name);
	assert_int_equal(mkdir(path, 0755), 0);
	strncat(path, "/metadata", sizeof(path) - strlen(path) - 1);
	assert_int_equal(mkdir(path, 0755), 0);
	test_ring_write(&few);
	drain();
	assert_int_equal(recorder_close(recorder, &totals, &error), -1);
	assert_non_null(strstr(error.text, "/metadata: cannot be replaced"));
	assert_int_equal(strata_recording_load(&recording, dir, &error), 0);
	assert_int_equal(recording.sources[index].streams[0].events, 1);
	assert_true(is_there("few/metadata"));
	strata_recording_clear(&recording);
	assert_int_equal(rmdir(path), 0);
}

#define test_in_world(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_world(descriptions_beyond_a_share_are_refused_and_can_be_read),
		test_in_world(metadata_that_cannot_be_written_cost_only_their_own_source),
		test_in_world(a_ring_that_is_added_later_is_in_the_next_tables),
		test_in_world(classes_that_are_selected_later_count_like_others),
		test_in_world(a_guest_whose_events_share_a_name_is_refused),
		test_in_world(large_tables_keep_nobody_waiting),
		test_in_world(what_comes_while_tables_are_written_is_written_too),
	};

	return cmocka_run_group_tests_name("recorder tables", tests, NULL, NULL);
}
