// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_fairness.c - the recorder's work for one user or domain keeps no other waiting. */
#include "recorder_rings.h"

#include <dirent.h>
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

#define NR_MANY 300u
#define MANY    3000000001u
#define FEW     3000000002u

/* Sub-buffers that a share is: each costs its size. */
#define SHARE_SUBBUFS (PRINCIPAL_DRAINING_BYTES >> 12)

static struct test_ring many[NR_MANY], few;
static char dir[64];
static struct recorder *recorder;
static struct strata_error error;

static int open_world(void **state)
{
	uint32_t i;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/strata-fairness-XXXXXX");
	assert_non_null(mkdtemp(dir));
	recorder = test_open_recorder(dir);
	for (i = 0; i < NR_MANY; i++)
		test_ring_open(&many[i], i);
	test_ring_open(&few, 0);
	return 0;
}

static int close_world(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < NR_MANY; i++)
		test_ring_close(&many[i]);
	test_ring_close(&few);
	test_remove_dir(dir);
	return 0;
}

static struct principal *user(uint32_t uid)
{
	return principals_user(recorder_principals(recorder), uid);
}

/* Makes the files that the first packets would make, each at the cost of several packets. */
static void make_files(size_t index)
{
	const struct recorder_queue *queue =
		recorder_queue_of(recorder, recorder_source_of(recorder, index)->drain.who);
	enum drain_loss why;
	size_t i;

	for (i = 0; i < queue->nr; i++)
		assert_int_equal(
			drain_make_place(&recorder->drain, queue->streams[i], 1, &why, &error), 1);
}

/* A source of a user's, with one event and these rings. */
static size_t add_source(uint32_t uid, const char *name, struct test_ring *rings, size_t nr)
{
	const struct strata_event_desc event = {
		.name = "tick",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	size_t index, i;

	assert_int_equal(recorder_begin_source(recorder, user(uid), name, nr, 0, &index, &error),
			 0);
	recorder_recording(recorder)->sources[index].layer = STRATA_LAYER_KERNEL;
	assert_int_equal(recorder_add_event(recorder, index, &event, &error), 0);
	for (i = 0; i < nr; i++)
		assert_int_equal(recorder_add_ring(recorder, index, &rings[i].ring,
						   RECORDER_FROM_NOW, &error),
				 0);
	make_files(index);
	return index;
}

static uint64_t drain(void)
{
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_SOME, &nr_packets, &error), 0);
	return nr_packets;
}

static uint64_t packets_of(size_t index)
{
	const struct strata_source *source = &recorder_recording(recorder)->sources[index];
	uint64_t packets = 0;
	size_t i;

	for (i = 0; i < source->nr_streams; i++)
		packets += source->streams[i].packets;
	return packets;
}

static struct recorder_totals close_recorder(void)
{
	struct recorder_totals totals;

	assert_int_equal(recorder_close(recorder, &totals, &error), 0);
	return totals;
}

static void fill(struct test_ring *rings, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		while (!strata_reader_ready(&rings[i].ring.reader) ||
		       rings[i].ring.reader.read_count + strata_buffer_bytes(test_ring_geometry) !=
			       strata_subbuf_start(test_ring_geometry,
						   rings[i].writer->write_count))
			test_ring_write(&rings[i]);
}

static void many_rings_take_one_share_of_a_turn(void **state)
{
	const uint64_t all_of_few = strata_nr_subbufs(test_ring_geometry);
	size_t many_index, few_index;
	uint64_t turns = 0;
	uint32_t i;

	(void)state;
	/* However many sources they belong to. */
	many_index = add_source(MANY, "many", many, NR_MANY / 2);
	add_source(MANY, "more", &many[NR_MANY / 2], NR_MANY / 2);
	few_index = add_source(FEW, "few", &few, 1);
	for (i = 0; i < NR_MANY; i++)
		test_ring_fill(&many[i]);
	for (turns = 0; turns < 20; turns++) {
		test_ring_fill(&few);
		assert_int_equal(drain(), SHARE_SUBBUFS + all_of_few);
		assert_int_equal(packets_of(few_index), (turns + 1) * all_of_few);
		assert_true(recorder_is_behind(recorder));
	}
	assert_in_range(packets_of(many_index), 1, 20 * SHARE_SUBBUFS);
	/* Nothing is left behind. */
	assert_int_equal(close_recorder().events, NR_MANY * all_of_few + turns * all_of_few);
}

static void rings_of_one_user_take_turns(void **state)
{
	const struct strata_source *source;
	size_t index, i;

	(void)state;
	index = add_source(MANY, "many", many, NR_MANY);
	for (i = 0; i < NR_MANY; i++)
		test_ring_fill(&many[i]);
	drain();
	drain();
	/* Two shares for 300 rings: each came once or twice. */
	source = &recorder_recording(recorder)->sources[index];
	for (i = 0; i < NR_MANY; i++)
		assert_in_range(source->streams[i].packets, 1, 2);
	close_recorder();
}

static void work_of_another_kind_is_paid_with_the_same_credit(void **state)
{
	size_t index;

	(void)state;
	index = add_source(MANY, "many", many, 40);
	drain();
	fill(many, 40);
	principal_charge(user(MANY), PRINCIPAL_DRAINING, 3 * PRINCIPAL_DRAINING_BYTES);
	drain();
	drain();
	assert_int_equal(packets_of(index), 0);
	drain();
	drain();
	assert_in_range(packets_of(index), 1, 2 * SHARE_SUBBUFS);
	close_recorder();
}

static void a_source_that_leaves_is_drained_over_turns(void **state)
{
	const uint64_t all_of_few = strata_nr_subbufs(test_ring_geometry);
	size_t many_index, few_index, i;
	unsigned int turns = 0;

	(void)state;
	many_index = add_source(MANY, "many", many, NR_MANY);
	few_index = add_source(FEW, "few", &few, 1);
	for (i = 0; i < NR_MANY; i++) {
		test_ring_fill(&many[i]);
		assert_int_equal(user(MANY)->used[PRINCIPAL_RINGS], NR_MANY);
	}
	recorder_leave_source(recorder, many_index, STRATA_SOURCE_EXITED);
	for (turns = 0; recorder_presence(recorder, many_index) == RECORDER_SOURCE_LEAVES;
	     turns++) {
		uint64_t before = packets_of(many_index);

		test_ring_fill(&few);
		drain();
		assert_int_equal(packets_of(few_index), (turns + 1) * all_of_few);
		assert_in_range(packets_of(many_index) - before, 0, SHARE_SUBBUFS + 1);
	}
	assert_int_equal(recorder_presence(recorder, many_index), RECORDER_SOURCE_IS_GONE);
	assert_in_range(turns, NR_MANY * all_of_few / SHARE_SUBBUFS, 1000);
	assert_int_equal(packets_of(many_index), NR_MANY * all_of_few);
	assert_int_equal(recorder_recording(recorder)->sources[many_index].ended,
			 STRATA_SOURCE_EXITED);
	assert_int_equal(user(MANY)->used[PRINCIPAL_RINGS], 0);
	assert_int_equal(user(MANY)->used[PRINCIPAL_STREAMS], NR_MANY);
	close_recorder();
}

/* In the next turn. */
static void leave_credit_for_a_step(struct principal *who)
{
	while (principal_has_credit(who, PRINCIPAL_DRAINING))
		principal_charge(who, PRINCIPAL_DRAINING, PRINCIPAL_STEP_BYTES);
	principal_charge(who, PRINCIPAL_DRAINING, PRINCIPAL_DRAINING_BYTES - PRINCIPAL_STEP_BYTES);
}

/* Its writer stopped in the first sub-buffer, in which others nested that filled the rest. */
static void stop_in_the_first(struct test_ring *ring)
{
	struct strata_slot open;

	assert_true(strata_ring_reserve(ring->writer, 0, 8, &open));
	while (ring->writer->write_count >> test_ring_geometry.subbuf_bits <
	       strata_nr_subbufs(test_ring_geometry) - 1)
		test_ring_write(ring);
}

static void what_lies_behind_an_open_sub_buffer_is_taken_in_steps_too(void **state)
{
	const uint64_t all = strata_nr_subbufs(test_ring_geometry);
	uint64_t turns = 0;
	size_t index;

	(void)state;
	index = add_source(MANY, "many", many, 1);
	stop_in_the_first(&many[0]);
	recorder_leave_source(recorder, index, STRATA_SOURCE_CRASHED);
	while (recorder_presence(recorder, index) == RECORDER_SOURCE_LEAVES) {
		uint64_t before = packets_of(index);

		leave_credit_for_a_step(user(MANY));
		drain();
		assert_in_range(packets_of(index) - before, 0, 1);
		assert_in_range(turns++, 0, 100);
	}
	assert_in_range(packets_of(index), all / 2, all);
	close_recorder();
}

static void a_writer_that_goes_on_does_not_keep_its_source(void **state)
{
	unsigned int turns = 0;
	size_t index;

	(void)state;
	index = add_source(MANY, "many", many, 1);
	test_ring_fill(&many[0]);
	recorder_leave_source(recorder, index, STRATA_SOURCE_LEFT_OUT);
	while (recorder_presence(recorder, index) == RECORDER_SOURCE_LEAVES) {
		assert_in_range(turns++, 0, 10);
		drain();
		fill(many, 1);
	}
	close_recorder();
}

static bool is_there(const char *name)
{
	struct stat status;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &status) == 0;
}

/* A source leaves, and is drained. */
static void leave(size_t index)
{
	recorder_leave_source(recorder, index, STRATA_SOURCE_EXITED);
	while (recorder_presence(recorder, index) == RECORDER_SOURCE_LEAVES)
		drain();
}

static void a_source_that_recorded_nothing_costs_nothing(void **state)
{
	struct principal *who = user(MANY);
	struct strata_recording loaded;
	size_t index, again, i;

	(void)state;
	/* More often than there may be sources, streams or descriptions. */
	for (i = 0; i < 40; i++) {
		index = add_source(MANY, "gone", many, NR_MANY);
		assert_true(is_there("gone"));
		leave(index);
		assert_int_equal(recorder_presence(recorder, index), RECORDER_SOURCE_LEFT_NOTHING);
		assert_false(is_there("gone"));
	}
	for (i = 0; i < PRINCIPAL_NR_RESOURCES; i++)
		assert_int_equal(who->used[(enum principal_resource)i], 0);
	assert_int_equal(who->written, 0);
	assert_int_equal(who->files, 0);
	/* Its place is another's. */
	add_source(FEW, "few", &few, 1);
	assert_int_equal(recorder_recording(recorder)->nr_sources, 1);
	again = add_source(MANY, "gone", many, 1);
	assert_int_equal(again, 1);
	leave(again);
	/* A follower sees each in its place; a reader sees one. */
	assert_int_equal(recorder_save(recorder, &error), 0);
	assert_int_equal(strata_recording_load_places(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 2);
	assert_true(loaded.sources[1].vacant);
	assert_int_equal(loaded.nr_faults, 0);
	strata_recording_clear(&loaded);
	assert_int_equal(strata_recording_load(&loaded, dir, &error), 0);
	assert_int_equal(loaded.nr_sources, 1);
	assert_string_equal(loaded.sources[0].name, "few");
	strata_recording_clear(&loaded);
	close_recorder();
}

static void a_place_is_another_s_when_its_owner_knows(void **state)
{
	size_t gone, meanwhile;

	(void)state;
	gone = add_source(MANY, "gone", many, 1);
	recorder_leave_source(recorder, gone, STRATA_SOURCE_EXITED);
	while (is_there("gone"))
		drain();
	meanwhile = add_source(FEW, "few", &few, 1);
	assert_int_not_equal(meanwhile, gone);
	assert_int_equal(recorder_presence(recorder, gone), RECORDER_SOURCE_LEFT_NOTHING);
	assert_int_equal(add_source(MANY, "again", many, 1), gone);
	close_recorder();
}

static void streams_that_hold_nothing_are_given_back(void **state)
{
	struct principal *who = user(MANY);
	size_t index;

	(void)state;
	index = add_source(MANY, "many", many, 10);
	test_ring_write(&many[3]);
	leave(index);
	assert_int_equal(recorder_recording(recorder)->sources[index].nr_streams, 1);
	assert_int_equal(recorder_recording(recorder)->sources[index].streams[0].cpu, 3);
	assert_int_equal(who->used[PRINCIPAL_STREAMS], 1);
	assert_int_equal(who->used[PRINCIPAL_SOURCES], 1);
	assert_int_equal(who->used[PRINCIPAL_RINGS], 0);
	close_recorder();
}

static void losses_alone_are_of_when_their_source_came(void **state)
{
	struct strata_packet_header header;
	char path[128];
	size_t index;
	FILE *file;

	(void)state;
	index = add_source(MANY, "lost", many, 1);
	recorder_recording(recorder)->sources[index].since_ticks = 12345;
	many[0].writer_area->lost[0] += 7;
	leave(index);
	snprintf(path, sizeof(path), "%s/lost/cpu_0", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	fclose(file);
	assert_int_equal(header.events_discarded, 7);
	assert_int_equal(header.timestamp_begin, 12345);
	assert_int_equal(header.timestamp_end, 12345);
	close_recorder();
}

/* The sum of all losses, which the user sees, must not wrap. */
static void false_losses_of_one_do_not_hide_those_of_others(void **state)
{
	const uint32_t nr = 8;
	uint32_t i, kind;

	(void)state;
	add_source(MANY, "many", many, nr);
	add_source(FEW, "few", &few, 1);
	for (i = 0; i < nr; i++) {
		for (kind = 0; kind < STRATA_NR_LOST; kind++)
			many[i].writer_area->lost[kind] = INT64_MAX / STRATA_NR_LOST;
		test_ring_write(&many[i]);
	}
	strata_ring_count_lost(few.writer, STRATA_LOST_BIG);
	test_ring_write(&few);
	assert_int_equal(close_recorder().lost, 1);
}

/* A guest chooses how large its sub-buffers are. */
static void large_sub_buffers_of_one_take_no_room_from_others(void **state)
{
	const uint64_t all_of_few = strata_nr_subbufs(test_ring_geometry);
	size_t few_index;

	(void)state;
	recorder_set_of_now(recorder);
	recorder->drain.room_bytes = 6u << 20;
	recorder->drain.room_until_ticks = UINT64_MAX;
	many[0].ring.reader.geo.subbuf_bits = STRATA_SUBBUF_BITS_MAX;
	add_source(MANY, "many", many, 1);
	few_index = add_source(FEW, "few", &few, 1);
	test_ring_fill(&few);
	assert_int_equal(drain(), all_of_few);
	assert_int_equal(packets_of(few_index), all_of_few);
	close_recorder();
}

static unsigned int nr_put, nr_before_few;

static int put_and_count(struct ring *ring, struct strata_error *why)
{
	(void)why;
	if (ring == &few.ring)
		nr_before_few = nr_put;
	else
		nr_put++;
	strata_reader_put(&ring->reader);
	return 0;
}

/* Their writers may go on: a snapshot reads the rings of a flight recorder. */
static void the_rest_is_taken_in_turns(void **state)
{
	uint32_t i;

	(void)state;
	add_source(MANY, "many", many, NR_MANY);
	add_source(FEW, "few", &few, 1);
	for (i = 0; i < NR_MANY; i++) {
		test_ring_fill(&many[i]);
		many[i].ring.put = put_and_count;
	}
	test_ring_fill(&few);
	few.ring.put = put_and_count;
	nr_put = 0;
	assert_int_equal(close_recorder().events,
			 (NR_MANY + 1) * strata_nr_subbufs(test_ring_geometry));
	assert_in_range(nr_before_few, 1, SHARE_SUBBUFS);
	assert_int_equal(nr_put, NR_MANY * strata_nr_subbufs(test_ring_geometry));
}

static void count_call(void *data)
{
	size_t *nr_calls = data;

	++*nr_calls;
	/* At most one sub-buffer is taken between two calls. */
	assert_in_range(*nr_calls, nr_put, SIZE_MAX);
}

/* Programs that start wait for the recorder of a snapshot. */
static void others_are_served_while_the_rest_is_taken(void **state)
{
	size_t nr_calls = 0;
	uint32_t i;

	(void)state;
	add_source(MANY, "many", many, NR_MANY);
	for (i = 0; i < NR_MANY; i++) {
		test_ring_fill(&many[i]);
		many[i].ring.put = put_and_count;
	}
	nr_put = 0;
	recorder_set_meanwhile(recorder, count_call, &nr_calls);
	close_recorder();
	assert_in_range(nr_calls, NR_MANY * strata_nr_subbufs(test_ring_geometry), SIZE_MAX);
}

static void what_is_cleared_is_not_recorded(void **state)
{
	const uint64_t full = strata_nr_subbufs(test_ring_geometry);
	size_t many_index, few_index;
	uint64_t nr_packets;

	(void)state;
	many_index = add_source(MANY, "many", many, 2);
	few_index = add_source(FEW, "few", &few, 1);
	test_ring_fill(&many[0]);
	test_ring_write(&many[1]);
	test_ring_put(&many[1], 1);
	strata_ring_flush(many[1].writer);
	test_ring_fill(&few);
	/* What a program that has ended left stays. */
	recorder_leave_source(recorder, few_index, STRATA_SOURCE_UNLOADED);
	assert_int_equal(recorder_clear(recorder, &error), 0);
	test_ring_write(&many[0]);
	assert_int_equal(recorder_drain(recorder, RECORDER_DRAIN_NONE, &nr_packets, &error), 0);
	assert_int_equal(packets_of(many_index), 0);
	assert_int_equal(packets_of(few_index), full);
	assert_int_equal(close_recorder().events, full + 1);
}

static void add_few(void *data)
{
	size_t *index = data;

	if (*index == SIZE_MAX) {
		*index = add_source(FEW, "few", &few, 1);
		test_ring_fill(&few);
	}
}

static void what_comes_while_memory_is_cleared_stays(void **state)
{
	size_t index = SIZE_MAX, many_index;

	(void)state;
	many_index = add_source(MANY, "many", many, 2);
	test_ring_fill(&many[0]);
	test_ring_fill(&many[1]);
	recorder_set_meanwhile(recorder, add_few, &index);
	assert_int_equal(recorder_clear(recorder, &error), 0);
	recorder_set_meanwhile(recorder, NULL, NULL);
	assert_int_equal(packets_of(many_index), 0);
	assert_int_equal(close_recorder().events, strata_nr_subbufs(test_ring_geometry));
}

/* The ring of one whose programs had others before. */
static void a_ring_that_comes_while_memory_is_cleared_stays(void **state)
{
	size_t index = SIZE_MAX;

	(void)state;
	add_source(FEW, "before", many, 1);
	test_ring_fill(&many[0]);
	recorder_set_meanwhile(recorder, add_few, &index);
	assert_int_equal(recorder_clear(recorder, &error), 0);
	recorder_set_meanwhile(recorder, NULL, NULL);
	assert_int_equal(close_recorder().events, strata_nr_subbufs(test_ring_geometry));
}

#define test_in_world(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_world(many_rings_take_one_share_of_a_turn),
		test_in_world(rings_of_one_user_take_turns),
		test_in_world(work_of_another_kind_is_paid_with_the_same_credit),
		test_in_world(a_source_that_leaves_is_drained_over_turns),
		test_in_world(what_lies_behind_an_open_sub_buffer_is_taken_in_steps_too),
		test_in_world(a_writer_that_goes_on_does_not_keep_its_source),
		test_in_world(a_source_that_recorded_nothing_costs_nothing),
		test_in_world(a_place_is_another_s_when_its_owner_knows),
		test_in_world(streams_that_hold_nothing_are_given_back),
		test_in_world(losses_alone_are_of_when_their_source_came),
		test_in_world(false_losses_of_one_do_not_hide_those_of_others),
		test_in_world(large_sub_buffers_of_one_take_no_room_from_others),
		test_in_world(the_rest_is_taken_in_turns),
		test_in_world(others_are_served_while_the_rest_is_taken),
		test_in_world(what_is_cleared_is_not_recorded),
		test_in_world(what_comes_while_memory_is_cleared_stays),
		test_in_world(a_ring_that_comes_while_memory_is_cleared_stays),
	};

	return cmocka_run_group_tests_name("recorder fairness", tests, NULL, NULL);
}
