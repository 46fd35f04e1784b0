// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recover_kill.c - a ring and its stream file as they are found when a recorder or
 * an application was killed, at each step that matters: what `strata recover` makes of
 * them.
 *
 * test_recover.sh kills processes at random; here the states are put together from
 * copies that were taken before and after each step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/rings/app_ring.h"
#include "consumerd/recover.h"
#include "recover_world.h"
#include "consumerd/recorder_state.h"

/* Before the first packet there is no file. */
static bool has_stream(void)
{
	return access(world_path("made/" NAME "/cpu_0"), F_OK) == 0;
}

static struct bytes stream_bytes(void)
{
	return bytes_read(has_stream() ? world_path("made/" NAME "/cpu_0") : "/dev/null");
}

/* The state that is found: the recording as it was made, with these for its ring and its stream. */
static void find(struct bytes ring, const void *stream, size_t stream_bytes)
{
	struct bytes table = bytes_read(world_path("made/" STRATA_RECORDING_FILE));
	struct bytes types = bytes_read(world_path("made/" NAME "/metadata"));

	mkdir(world_path("found"), 0700);
	mkdir(world_path("found/" NAME), 0700);
	mkdir(world_path("found/" RING_FILE_DIR), 0700);
	bytes_write(world_path("found/" STRATA_RECORDING_FILE), table.at, table.size);
	bytes_write(world_path("found/" NAME "/metadata"), types.at, types.size);
	unlink(world_path("found/" NAME "/cpu_0"));
	if (has_stream())
		bytes_write(world_path("found/" NAME "/cpu_0"), stream, stream_bytes);
	bytes_write(world_path("found/" RING_FILE_DIR "/" NAME RING_FILE_SUFFIX), ring.at,
		    ring.size);
	free(types.at);
	free(table.at);
}

/* Recovers the files as they are; a part of the ring that was unknown goes to @hole. */
static void recover_found(struct numbers *numbers, struct app_ring_hole *hole)
{
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error = { "" };
	unsigned int turn = 0;

	if (recover(&recovery, world_path("found"), world_path("recovered"), &error))
		fail_msg("%s", error.text);
	assert_int_equal(recovery.nr_streams, 1);
	assert_true(recovery.streams[0].noted);
	if (!app_ring_next_hole(recovery.streams[0].ring, &turn, hole))
		memset(hole, 0, sizeof(*hole));
	assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
	assert_int_equal(totals.bad_packets, 0);
	recover_release(&recovery);
	numbers_read(world_path("recovered"), numbers);
}

static void assert_counts_up(const struct numbers *numbers, uint64_t how_many)
{
	size_t i;

	assert_int_equal(numbers->nr, how_many);
	for (i = 0; i < numbers->nr; i++)
		assert_int_equal(numbers->number[i], i);
}

static void expect_all(struct bytes ring, const void *stream, size_t bytes, uint64_t how_many)
{
	struct app_ring_hole hole;
	struct numbers numbers;

	find(ring, stream, bytes);
	recover_found(&numbers, &hole);
	assert_counts_up(&numbers, how_many);
	assert_int_equal(hole.sequence + hole.at + hole.reserved + hole.behind, 0);
}

/* The steps of a recorder that takes something: it notes a packet, writes it, lets it go. */
static void a_recorder_is_killed(enum strata_app_mode mode)
{
	const size_t note = STRATA_PAGE_BYTES * RING_FILE_FIRST_PAGE +
			    app_ring_reader_offset(STRATA_APP_SINGLE_STORE) +
			    sizeof(struct strata_single_reader_area);
	struct bytes ring[2], stream[2], noted;
	struct world world;
	unsigned int round, alone = 0;
	uint64_t nr_packets;
	size_t torn;

	world_begin(&world, mode);
	/* Packets within a sub-buffer, of several, around the ring. */
	for (round = 0; round < 12; round++) {
		world_write(&world, 20 + 17 * round);
		ring[0] = world_ring_bytes();
		stream[0] = stream_bytes();
		nr_packets = world_drain(&world);
		ring[1] = world_ring_bytes();
		stream[1] = stream_bytes();
		noted = world_ring_bytes();
		memcpy(noted.at, ring[0].at, noted.size);
		if (mode == STRATA_APP_SINGLE_STORE)
			memcpy(noted.at + note, ring[1].at + note, 2 * sizeof(struct ring_taken));

		expect_all(ring[0], stream[0].at, stream[0].size, world.next);
		expect_all(ring[1], stream[1].at, stream[1].size, world.next);
		/* Of several packets each is let go before the next is noted. */
		if (nr_packets == 1) {
			alone++;
			expect_all(noted, stream[0].at, stream[0].size, world.next);
			expect_all(noted, stream[1].at, stream[1].size, world.next);
			for (torn = stream[0].size + 1; torn < stream[1].size; torn += 131)
				expect_all(noted, stream[1].at, torn, world.next);
		}
		free(ring[0].at);
		free(ring[1].at);
		free(stream[0].at);
		free(stream[1].at);
		free(noted.at);
	}
	assert_true(alone > 3);
	world_end(&world);
}

static void a_recorder_of_single_stores(void **state)
{
	(void)state;
	a_recorder_is_killed(STRATA_APP_SINGLE_STORE);
}

static void a_recorder_of_reserve_and_commit(void **state)
{
	(void)state;
	a_recorder_is_killed(STRATA_APP_RESERVE_COMMIT);
}

/* The application died first, and all that it had committed is written already. */
static void a_recorder_that_has_taken_the_rest(void **state)
{
	static const enum strata_app_mode modes[] = { STRATA_APP_SINGLE_STORE,
						      STRATA_APP_RESERVE_COMMIT };
	struct bytes ring, stream;
	struct world world;
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		world_begin(&world, modes[i]);
		world_write(&world, 170);
		world_leave(&world);
		ring = world_ring_bytes();
		stream = stream_bytes();
		expect_all(ring, stream.at, stream.size, world.next);
		free(ring.at);
		free(stream.at);
		world_end(&world);
	}
}

/* When and why a source ended is known, if the table was saved since. */
static void what_ended_before_the_recorder_died_has_ended_then(void **state)
{
	struct strata_recording made, recovered;
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error;
	struct bytes ring, stream;
	struct world world;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	recorder_recording(world.recorder)->sources[0].came_ticks = 7;
	world_write(&world, 10);
	world_leave(&world);
	ring = world_ring_bytes();
	stream = stream_bytes();
	find(ring, stream.at, stream.size);
	assert_int_equal(recover(&recovery, world_path("found"), world_path("recovered"), &error),
			 0);
	assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
	recover_release(&recovery);
	assert_int_equal(strata_recording_load(&made, world_path("made"), &error), 0);
	assert_int_equal(strata_recording_load(&recovered, world_path("recovered"), &error), 0);
	assert_true(made.sources[0].went_ticks > 7);
	assert_int_equal(recovered.sources[0].came_ticks, 7);
	assert_int_equal(recovered.sources[0].went_ticks, made.sources[0].went_ticks);
	assert_int_equal(recovered.sources[0].ended, STRATA_SOURCE_EXITED);
	strata_recording_clear(&made);
	strata_recording_clear(&recovered);
	free(ring.at);
	free(stream.at);
	world_end(&world);
}

/* A file of rings describes its events itself. */
static void without_metadata_the_rings_describe_the_events(void **state)
{
	struct strata_recording recovered;
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error;
	struct bytes ring, stream;
	struct world world;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	world_write(&world, 10);
	world_drain(&world);
	world_write(&world, 10);
	stream = stream_bytes();
	ring = world_ring_bytes();
	find(ring, stream.at, stream.size);
	assert_int_equal(unlink(world_path("found/" NAME "/metadata")), 0);
	assert_int_equal(recover(&recovery, world_path("found"), world_path("recovered"), &error),
			 0);
	assert_int_equal(recovery.left_out, 1);
	assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
	recover_release(&recovery);
	assert_int_equal(strata_recording_load(&recovered, world_path("recovered"), &error), 0);
	assert_int_equal(recovered.sources[0].streams[0].events, 20);
	strata_recording_clear(&recovered);
	free(ring.at);
	free(stream.at);
	world_end(&world);
}

/* Losses behind the last packet are written as a packet of their own. */
static void a_recorder_that_has_counted_the_last_losses(void **state)
{
	struct strata_recording recovered;
	struct recorder_totals totals;
	struct bytes ring, stream;
	struct strata_error error;
	struct world world;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	world_write(&world, 170);
	world_drain(&world);
	world_lose(&world);
	world_leave(&world);
	totals = recorder_totals(world.recorder);
	assert_int_equal(totals.lost, 1);
	ring = world_ring_bytes();
	stream = stream_bytes();
	expect_all(ring, stream.at, stream.size, world.next);
	/* It is in a packet of the stream, and in the ring: once in the recovered recording. */
	assert_int_equal(strata_recording_load(&recovered, world_path("recovered"), &error), 0);
	assert_int_equal(recovered.sources[0].streams[0].lost, 1);
	strata_recording_clear(&recovered);
	free(ring.at);
	free(stream.at);
	world_end(&world);
}

/* A machine that crashed may keep a ring and lose the end of its stream. */
static void a_stream_that_lost_its_end_is_named(void **state)
{
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error;
	struct bytes ring, stream;
	struct world world;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	world_write(&world, 10);
	world_drain(&world);
	stream = stream_bytes();
	world_write(&world, 10);
	world_drain(&world);
	world_write(&world, 10);
	world_drain(&world);
	ring = world_ring_bytes();
	find(ring, stream.at, stream.size);
	assert_int_equal(recover(&recovery, world_path("found"), world_path("recovered"), &error),
			 0);
	assert_false(recovery.streams[0].noted);
	assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
	/* All records of the ring, and those that the stream has once more. */
	assert_int_equal(totals.events, 30);
	recover_release(&recovery);
	free(stream.at);
	free(ring.at);
	world_end(&world);
}

/* Packets that the dead recorder refused are counted on; and a recording does not take rings of
 * another recording that have the name of one of its own. */
static void a_recording_keeps_its_refusals_and_its_own_rings(void **state)
{
	struct strata_recording recovered;
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error;
	struct bytes ring, stream;
	struct world world;
	unsigned int anothers;

	(void)state;
	for (anothers = 0; anothers < 2; anothers++) {
		world_begin(&world, STRATA_APP_SINGLE_STORE);
		world_write(&world, 10);
		world_drain(&world);
		recorder_recording(world.recorder)->sources[0].streams[0].bad_packets = 2;
		assert_int_equal(recorder_save(world.recorder, &error), 0);
		world_write(&world, 10);
		stream = stream_bytes();
		ring = world_ring_bytes();
		if (anothers)
			((struct ring_file_header *)ring.at)->uuid[0] ^= 1;
		find(ring, stream.at, stream.size);
		assert_int_equal(
			recover(&recovery, world_path("found"), world_path("recovered"), &error),
			0);
		assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
		recover_release(&recovery);
		assert_int_equal(strata_recording_load(&recovered, world_path("recovered"), &error),
				 0);
		assert_int_equal(recovered.sources[0].streams[0].bad_packets, 2);
		assert_int_equal(recovered.sources[0].streams[0].events, anothers ? 10 : 20);
		strata_recording_clear(&recovered);
		free(ring.at);
		free(stream.at);
		world_end(&world);
	}
}

/* Records that a full disk has no room for stay in a ring of single stores, and are taken when it
 * has room. */
static void what_finds_no_room_stays_in_its_ring(void **state)
{
	struct recorder_totals totals;
	struct stream_file *file;
	struct world world;
	uint64_t position;
	int full, room;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	world_write(&world, 10);
	world_drain(&world);
	file = &world.recorder->queues[0].streams[0]->file;
	room = dup(file->fd);
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(room >= 0 && full >= 0);
	assert_true(dup2(full, file->fd) >= 0);
	world_write(&world, 10);
	position = world.ring.single.position;
	world_drain(&world);
	assert_int_equal(world.ring.single.position, position);
	assert_int_equal(recorder_totals(world.recorder).events, 10);
	assert_true(dup2(room, file->fd) >= 0);
	world_drain(&world);
	totals = recorder_totals(world.recorder);
	assert_int_equal(totals.events, 20);
	assert_int_equal(totals.lost, 0);
	close(full);
	close(room);
	world_end(&world);
}

static void recover_world(struct world *world, struct numbers *numbers, struct app_ring_hole *hole)
{
	struct bytes ring = world_ring_bytes();

	find(ring, "", 0);
	recover_found(numbers, hole);
	free(ring.at);
	world_end(world);
}

static void up_to_the_slot_of_a_writer_that_died(void **state)
{
	static const uint32_t room = STRATA_PACKET_HEADER_BYTES;
	struct app_ring_hole hole;
	struct numbers numbers;
	struct world world;
	enum stage stage;

	(void)state;
	for (stage = RESERVED; stage <= COMMITTED; stage++) {
		world_begin(&world, STRATA_APP_RESERVE_COMMIT);
		world_write(&world, 10);
		world_write_until(&world, stage);
		recover_world(&world, &numbers, &hole);
		/* Whole records are taken, also if their writer did not publish them. */
		assert_counts_up(&numbers, stage >= COPIED ? 11 : 10);
		assert_int_equal(hole.at, stage == BEGUN ? room + 10 * RECORD_BYTES : 0);
		assert_int_equal(hole.reserved, stage == BEGUN ? RECORD_BYTES : 0);
		assert_int_equal(hole.behind, 0);
	}
}

static void what_other_writers_committed_behind_it_is_said_to_be_unknown(void **state)
{
	static const uint32_t room = STRATA_PACKET_HEADER_BYTES;
	struct app_ring_hole hole;
	struct numbers numbers;
	struct world world;
	enum stage stage;

	(void)state;
	for (stage = RESERVED; stage <= BEGUN; stage++) {
		world_begin(&world, STRATA_APP_RESERVE_COMMIT);
		world_write(&world, 10);
		world_write_until(&world, stage);
		world_write(&world, 5);
		recover_world(&world, &numbers, &hole);
		assert_counts_up(&numbers, 10);
		assert_int_equal(hole.sequence, 0);
		assert_int_equal(hole.at, room + 10 * RECORD_BYTES);
		assert_int_equal(hole.reserved, stage == BEGUN ? RECORD_BYTES : 0);
		assert_int_equal(hole.reserved + hole.behind, 6 * RECORD_BYTES);
		assert_false(hole.is_left);
	}
}

static void packets_behind_it_are_taken(void **state)
{
	const uint32_t a_packet =
		(uint32_t)(strata_subbuf_bytes(world_geo) - STRATA_PACKET_HEADER_BYTES) /
		RECORD_BYTES;
	struct app_ring_hole hole;
	struct numbers numbers;
	struct world world;
	size_t i;

	(void)state;
	world_begin(&world, STRATA_APP_RESERVE_COMMIT);
	world_write(&world, 10);
	world_write_until(&world, BEGUN);
	/* To the end of this packet, all of the next, and a part of the third. */
	world_write(&world, 2 * a_packet - 11 + 7);
	recover_world(&world, &numbers, &hole);
	assert_int_equal(numbers.nr, 10 + a_packet + 7);
	for (i = 10; i < numbers.nr; i++)
		assert_int_equal(numbers.number[i], a_packet + i - 10);
	assert_int_equal(hole.sequence, 0);
	assert_int_equal(hole.reserved, RECORD_BYTES);
	assert_true(hole.is_left);
	assert_int_equal(hole.at + hole.reserved + hole.behind, strata_subbuf_bytes(world_geo));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorder_of_single_stores),
		cmocka_unit_test(a_recorder_of_reserve_and_commit),
		cmocka_unit_test(a_recorder_that_has_taken_the_rest),
		cmocka_unit_test(what_ended_before_the_recorder_died_has_ended_then),
		cmocka_unit_test(without_metadata_the_rings_describe_the_events),
		cmocka_unit_test(a_recorder_that_has_counted_the_last_losses),
		cmocka_unit_test(a_stream_that_lost_its_end_is_named),
		cmocka_unit_test(a_recording_keeps_its_refusals_and_its_own_rings),
		cmocka_unit_test(what_finds_no_room_stays_in_its_ring),
		cmocka_unit_test(up_to_the_slot_of_a_writer_that_died),
		cmocka_unit_test(what_other_writers_committed_behind_it_is_said_to_be_unknown),
		cmocka_unit_test(packets_behind_it_are_taken),
	};

	return cmocka_run_group_tests_name("recover_kill", tests, world_set_up, world_tear_down);
}
