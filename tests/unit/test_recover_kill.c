// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recover_kill.c - files of rings as they are found when a recorder or an
 * application was killed at each step that matters, and as nobody should find them:
 * what `strata recover` makes of them.
 *
 * test_recover.sh kills processes at random; here the state of ring and stream file is
 * put together from copies that were taken before and after each step.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <strata/ring_single_writer.h>
#include <strata/ring_writer.h>

#include "app_memory.h"
#include "app_ring.h"
#include "packet_reader.h"
#include "recover.h"

#define NAME         "app-tested"
#define RECORD_BYTES 28u /* header, context, one number */

static const struct strata_ring_geometry geo = { 12, 2 };
static char dir[64];

static const struct strata_event_desc event = {
	.name = "numbered",
	.nr_fields = 1,
	.fields = { { "number", STRATA_FIELD_UNSIGNED, 8, 1 } },
};

/* A recorder with one application, of one ring; both are this process. */
struct world {
	struct recorder *recorder;
	struct app_memory memory;
	struct ring ring;
	unsigned char *writers; /* the ring as its application maps it */
	struct strata_ring *books;
	uint64_t next; /* number to be written */
};

static char *path_of(const char *name)
{
	static char paths[4][256];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void start_rings(struct world *world, enum strata_app_mode mode)
{
	unsigned char *memory = world->writers;

	if (mode == STRATA_APP_SINGLE_STORE) {
		strata_single_init((struct strata_single_area *)memory, geo, 0, false);
		return;
	}
	world->books = calloc(1, strata_ring_bytes(geo));
	assert_non_null(world->books);
	strata_ring_init(world->books, geo, memory + 2 * STRATA_PAGE_BYTES,
			 (struct strata_ring_writer_area *)memory,
			 (struct strata_ring_reader_area *)(memory + STRATA_PAGE_BYTES), 0, 0);
}

static void begin(struct world *world, enum strata_app_mode mode)
{
	struct ring_file_header header = { .mode = mode,
					   .subbuf_bits = geo.subbuf_bits,
					   .nr_subbufs_bits = geo.nr_subbufs_bits,
					   .nr_rings = 1,
					   .ring_bytes = strata_app_ring_bytes(mode, geo),
					   .pid = 77,
					   .comm = "tested",
					   .uuid = { 1, 2, 3 },
					   .tsc_khz = 1,
					   .anchor_realtime_ns = 1 };
	struct strata_recording *recording;
	struct strata_source *source;
	struct strata_error error;
	int fd;

	memset(world, 0, sizeof(*world));
	world->memory.file = -1;
	world->recorder = recorder_open(path_of("made"), &error);
	assert_non_null(world->recorder);
	recording = recorder_recording(world->recorder);
	/* So slow a clock that whatever is published is old enough to be taken. */
	recording->tsc_khz = 1;
	recording->anchor_realtime_ns = 1;
	source = strata_recording_add_source(recording, NAME);
	assert_non_null(source);
	source->layer = STRATA_LAYER_APP;
	memcpy(source->uuid, header.uuid, sizeof(source->uuid));
	assert_int_equal(strata_source_add_event(source, &event, &error), 0);

	assert_int_equal(ring_file_make_dir(path_of("made"), NULL, &error), 0);
	fd = app_memory_make(&world->memory, path_of("made"), &header, &error);
	assert_true(fd >= 0);
	world->writers = mmap(NULL, header.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      STRATA_PAGE_BYTES * RING_FILE_FIRST_PAGE);
	assert_true(world->writers != MAP_FAILED);
	close(fd);
	start_rings(world, mode);
	assert_int_equal(ring_file_name(world->memory.file, &world->memory.header, path_of("made"),
					NAME, world->memory.path, sizeof(world->memory.path),
					&error),
			 0);
	assert_int_equal(
		ring_file_add_event(world->memory.file, &world->memory.header, &event, &error), 0);
	assert_true(app_ring_open(&world->ring, &world->memory.header, 0, world->memory.rings));
	assert_int_equal(
		recorder_add_ring(world->recorder, 0, &world->ring, RECORDER_WITH_PAST, &error), 0);
	assert_int_equal(recorder_save(world->recorder, &error), 0);
}

/* How far a writer comes with a record in a ring of reserve and commit. */
enum stage { RESERVED, BEGUN, COPIED, COMMITTED };

static void write_until(struct world *world, enum stage stage)
{
	const uint64_t body[2] = { 0, world->next++ };
	struct strata_slot slot;
	uint64_t *mark;

	assert_true(strata_ring_reserve(world->books, 0, sizeof(body), &slot));
	if (stage == RESERVED)
		return;
	mark = (uint64_t *)(world->writers + strata_app_marks_offset(geo)) +
	       strata_app_mark(geo, slot.position);
	*mark = (slot.position + slot.bytes) | STRATA_APP_MARK_OPEN;
	if (stage == BEGUN)
		return;
	memcpy(slot.payload, body, sizeof(body));
	*mark = slot.position + slot.bytes;
	if (stage == COMMITTED)
		strata_ring_commit(world->books, &slot);
}

static void write_records(struct world *world, unsigned int how_many)
{
	while (how_many--) {
		const uint64_t body[2] = { 0, world->next };

		if (world->books) {
			write_until(world, COMMITTED);
			continue;
		}
		if (!strata_single_write(world->writers, 1, world->memory.header.ring_bytes, 0,
					 body, sizeof(body)))
			strata_single_write_slow(world->writers, 1, world->memory.header.ring_bytes,
						 0, body, sizeof(body));
		world->next++;
	}
}

/* Returns the packets that it took. */
static uint64_t drain(struct world *world)
{
	struct strata_error error;
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(world->recorder, RECORDER_DRAIN_ALL, &nr_packets, &error),
			 0);
	assert_int_equal(recorder_save(world->recorder, &error), 0);
	return nr_packets;
}

struct bytes {
	unsigned char *at;
	size_t size;
};

static struct bytes read_file(const char *path)
{
	struct bytes bytes = { NULL, 0 };
	FILE *file = fopen(path, "re");
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	bytes.size = (size_t)status.st_size;
	bytes.at = malloc(bytes.size + 1);
	assert_non_null(bytes.at);
	assert_int_equal(fread(bytes.at, 1, bytes.size, file), bytes.size);
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const void *at, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(at, 1, size, file), size);
	fclose(file);
}

static struct bytes ring_bytes(void)
{
	return read_file(path_of("made/" RING_FILE_DIR "/" NAME RING_FILE_SUFFIX));
}

static struct bytes stream_bytes(void)
{
	return read_file(path_of("made/" NAME "/cpu_0"));
}

/* The state that is found: the recording as it was made, with these for its ring and its stream. */
static void find(struct bytes ring, const void *stream, size_t stream_bytes)
{
	struct bytes table = read_file(path_of("made/" STRATA_RECORDING_FILE));

	mkdir(path_of("found"), 0700);
	mkdir(path_of("found/" NAME), 0700);
	mkdir(path_of("found/" RING_FILE_DIR), 0700);
	write_file(path_of("found/" STRATA_RECORDING_FILE), table.at, table.size);
	write_file(path_of("found/" NAME "/cpu_0"), stream, stream_bytes);
	write_file(path_of("found/" RING_FILE_DIR "/" NAME RING_FILE_SUFFIX), ring.at, ring.size);
	free(table.at);
}

static void end(struct world *world)
{
	struct recorder_totals totals;
	struct strata_error error;

	assert_int_equal(recorder_close(world->recorder, &totals, &error), 0);
	munmap(world->writers, world->memory.header.ring_bytes);
	app_memory_free(&world->memory);
	ring_file_remove_dir(path_of("made"));
	free(world->books);
}

/* Numbers that a recording holds, in their order. */
struct numbers {
	uint64_t number[4096];
	size_t nr;
};

static void read_numbers(const char *from, struct numbers *numbers)
{
	struct strata_packet_reader reader;
	struct strata_recording recording;
	struct strata_record record;
	struct strata_error error;
	size_t offset;

	numbers->nr = 0;
	if (strata_recording_load(&recording, from, &error))
		fail_msg("%s", error.text);
	assert_int_equal(recording.nr_sources, 1);
	assert_int_equal(strata_packet_reader_open(&reader, from, &recording.sources[0],
						   &recording.sources[0].streams[0], NULL, NULL,
						   &error),
			 0);
	while (strata_packet_reader_next(&reader)) {
		offset = STRATA_PACKET_HEADER_BYTES;
		while (strata_packet_next(&recording.sources[0], reader.bytes, &reader.packet,
					  &offset, &record)) {
			assert_true(numbers->nr < 4096);
			memcpy(&numbers->number[numbers->nr++], record.payload, sizeof(uint64_t));
		}
	}
	assert_int_equal(reader.bad_packets, 0);
	strata_packet_reader_close(&reader);
	strata_recording_clear(&recording);
}

/* Recovers what is found; what was not known of its ring, if anything, goes to @hole. */
static void recover_found(struct numbers *numbers, struct app_ring_hole *hole)
{
	struct recorder_totals totals;
	struct recovery recovery;
	struct strata_error error = { "" };
	unsigned int turn = 0;

	if (recover(&recovery, path_of("found"), path_of("recovered"), &error))
		fail_msg("%s", error.text);
	assert_int_equal(recovery.nr_streams, 1);
	assert_true(recovery.streams[0].noted);
	if (!app_ring_next_hole(recovery.streams[0].ring, &turn, hole))
		memset(hole, 0, sizeof(*hole));
	assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
	assert_int_equal(totals.bad_packets, 0);
	recover_release(&recovery);
	read_numbers(path_of("recovered"), numbers);
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

	begin(&world, mode);
	/* Packets within a sub-buffer, of several, around the ring. */
	for (round = 0; round < 12; round++) {
		write_records(&world, 20 + 17 * round);
		ring[0] = ring_bytes();
		stream[0] = stream_bytes();
		nr_packets = drain(&world);
		ring[1] = ring_bytes();
		stream[1] = stream_bytes();
		noted = ring_bytes();
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
	end(&world);
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

static void recover_world(struct world *world, struct numbers *numbers, struct app_ring_hole *hole)
{
	struct bytes ring = ring_bytes();

	find(ring, "", 0);
	recover_found(numbers, hole);
	free(ring.at);
	end(world);
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
		begin(&world, STRATA_APP_RESERVE_COMMIT);
		write_records(&world, 10);
		write_until(&world, stage);
		recover_world(&world, &numbers, &hole);
		/* What is whole is taken, also if its writer did not come to say so. */
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
		begin(&world, STRATA_APP_RESERVE_COMMIT);
		write_records(&world, 10);
		write_until(&world, stage);
		write_records(&world, 5);
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
		(uint32_t)(strata_subbuf_bytes(geo) - STRATA_PACKET_HEADER_BYTES) / RECORD_BYTES;
	struct app_ring_hole hole;
	struct numbers numbers;
	struct world world;
	size_t i;

	(void)state;
	begin(&world, STRATA_APP_RESERVE_COMMIT);
	write_records(&world, 10);
	write_until(&world, BEGUN);
	/* To the end of this packet, all of the next, and a part of the third. */
	write_records(&world, 2 * a_packet - 11 + 7);
	recover_world(&world, &numbers, &hole);
	assert_int_equal(numbers.nr, 10 + a_packet + 7);
	for (i = 10; i < numbers.nr; i++)
		assert_int_equal(numbers.number[i], a_packet + i - 10);
	assert_int_equal(hole.sequence, 0);
	assert_int_equal(hole.reserved, RECORD_BYTES);
	assert_true(hole.is_left);
	assert_int_equal(hole.at + hole.reserved + hole.behind, strata_subbuf_bytes(geo));
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Changes a few words, of those that lead somewhere rather than of the records. */
static void lie(struct bytes bytes, enum strata_app_mode mode)
{
	const size_t ring = STRATA_PAGE_BYTES * RING_FILE_FIRST_PAGE;
	const size_t end = ring + strata_app_ring_bytes(mode, geo);
	const size_t marks = ring + strata_app_marks_offset(geo);
	unsigned int lies = 1 + (unsigned int)(random_word() % 3);
	uint64_t word;
	size_t at;

	while (lies--) {
		switch (random_word() % 5) {
		case 0:
			at = random_word() % sizeof(struct ring_file_header);
			break;
		case 1:
			at = ring + random_word() % 160;
			break;
		case 2:
			at = ring + app_ring_reader_offset(mode) + random_word() % 128;
			break;
		case 3:
			at = end + random_word() % (bytes.size - end);
			break;
		default:
			at = mode == STRATA_APP_SINGLE_STORE ? ring + random_word() % 2048
							     : marks + random_word() % 1024;
			break;
		}
		memcpy(&word, bytes.at + (at & ~(size_t)7), sizeof(word));
		switch (random_word() % 4) {
		case 0:
			word = random_word();
			break;
		case 1:
			word ^= 1ull << random_word() % 64;
			break;
		case 2:
			word += random_word() % 8192 - 4096;
			break;
		default:
			word = random_word() % 2 ? 0 : ~(uint64_t)0;
			break;
		}
		memcpy(bytes.at + (at & ~(size_t)7), &word, sizeof(word));
	}
}

/* 0 if it was refused, with a reason; 1 if it was recovered, and then what is there can be read. */
static int recover_lies(struct bytes bytes)
{
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recovery recovery;
	struct numbers numbers;
	int result;

	write_file(path_of("lies" RING_FILE_SUFFIX), bytes.at, bytes.size);
	result = recover(&recovery, path_of("lies" RING_FILE_SUFFIX), path_of("lied"), &error);
	if (result) {
		assert_true(error.text[0]);
		if (recovery.recorder)
			recorder_abandon(recovery.recorder);
	} else {
		assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
		if (totals.events)
			read_numbers(path_of("lied"), &numbers);
	}
	recover_release(&recovery);
	return !result;
}

static void lies_are_refused_or_harmless(enum strata_app_mode mode)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), errors = dup(STDERR_FILENO);
	unsigned int refused = 0, recovered = 0, i;
	struct bytes honest, lied;
	struct world world;

	begin(&world, mode);
	write_records(&world, 300);
	drain(&world);
	write_records(&world, 150);
	honest = ring_bytes();
	lied.at = malloc(honest.size);
	assert_non_null(lied.at);
	dup2(null, STDERR_FILENO);
	for (i = 0; i < 400; i++) {
		memcpy(lied.at, honest.at, honest.size);
		lied.size = honest.size;
		lie(lied, mode);
		if (i % 16 == 0)
			lied.size = random_word() % honest.size;
		if (recover_lies(lied))
			recovered++;
		else
			refused++;
	}
	dup2(errors, STDERR_FILENO);
	close(errors);
	close(null);
	assert_true(refused > 20);
	assert_true(recovered > 20);
	free(honest.at);
	free(lied.at);
	end(&world);
}

static void lies_of_single_stores(void **state)
{
	(void)state;
	lies_are_refused_or_harmless(STRATA_APP_SINGLE_STORE);
}

static void lies_of_reserve_and_commit(void **state)
{
	(void)state;
	lies_are_refused_or_harmless(STRATA_APP_RESERVE_COMMIT);
}

static int set_up(void **state)
{
	cpu_set_t first;

	(void)state;
	/* The one ring is CPU 0's. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		return -1;
	snprintf(dir, sizeof(dir), "/dev/shm/strata-recover-XXXXXX");
	if (!mkdtemp(dir))
		snprintf(dir, sizeof(dir), "/tmp/strata-recover-XXXXXX");
	return access(dir, W_OK) && !mkdtemp(dir) ? -1 : 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorder_of_single_stores),
		cmocka_unit_test(a_recorder_of_reserve_and_commit),
		cmocka_unit_test(up_to_the_slot_of_a_writer_that_died),
		cmocka_unit_test(what_other_writers_committed_behind_it_is_said_to_be_unknown),
		cmocka_unit_test(packets_behind_it_are_taken),
		cmocka_unit_test(lies_of_single_stores),
		cmocka_unit_test(lies_of_reserve_and_commit),
	};

	return cmocka_run_group_tests_name("recover_kill", tests, set_up, tear_down);
}
