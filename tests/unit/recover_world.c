// SPDX-License-Identifier: GPL-2.0-or-later
/* recover_world.c - see recover_world.h. */
#include "recover_world.h"

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

#include "consumerd/rings/app_ring.h"
#include "consumerd/packets/packet_reader.h"
#include "../packet_records.h"
#include "saved.h"

const struct strata_ring_geometry world_geo = { 12, 2 };
static char dir[64];

static const struct strata_event_desc event = {
	.name = "numbered",
	.nr_fields = 1,
	.fields = { { "number", STRATA_FIELD_UNSIGNED, 8, 1 } },
};

char *world_path(const char *name)
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
		strata_single_init((struct strata_single_area *)memory, world_geo, 0, false);
		return;
	}
	world->books = calloc(1, strata_ring_bytes(world_geo));
	assert_non_null(world->books);
	strata_ring_init(world->books, world_geo, memory + 2 * STRATA_PAGE_BYTES,
			 (struct strata_ring_writer_area *)memory,
			 (struct strata_ring_reader_area *)(memory + STRATA_PAGE_BYTES), 0, 0);
}

void world_begin(struct world *world, enum strata_app_mode mode)
{
	struct ring_file_header header = { .mode = mode,
					   .subbuf_bits = world_geo.subbuf_bits,
					   .nr_subbufs_bits = world_geo.nr_subbufs_bits,
					   .nr_rings = 1,
					   .ring_bytes = strata_app_ring_bytes(mode, world_geo),
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
	world->recorder = recorder_open(world_path("made"), OUTPUT_REPLACE, &error);
	assert_non_null(world->recorder);
	recording = recorder_recording(world->recorder);
	/* So slow a clock that whatever is published is old enough to be taken. */
	recording->tsc_khz = 1;
	recording->anchor_realtime_ns = 1;
	recorder_set_switch(world->recorder, 1);
	source = strata_recording_add_source(recording, NAME);
	assert_non_null(source);
	source->layer = STRATA_LAYER_APP;
	memcpy(source->uuid, header.uuid, sizeof(source->uuid));
	assert_int_equal(strata_source_add_event(source, &event, &error), 0);

	assert_int_equal(strata_dir_copy(&world->dir, recorder_dir(world->recorder), &error), 0);
	assert_int_equal(ring_file_make_dir(&world->dir, NULL, &error), 0);
	fd = app_memory_make(&world->memory, &world->dir, NULL, &header, &error);
	assert_true(fd >= 0);
	world->writers = mmap(NULL, header.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      STRATA_PAGE_BYTES * RING_FILE_FIRST_PAGE);
	assert_true(world->writers != MAP_FAILED);
	close(fd);
	strata_single_direct(&world->single, world->writers, 1, header.ring_bytes);
	start_rings(world, mode);
	assert_int_equal(ring_file_name(world->memory.file, &world->memory.header, &world->dir,
					NAME, world->memory.name, &error),
			 0);
	assert_int_equal(
		ring_file_add_event(world->memory.file, &world->memory.header, &event, &error), 0);
	assert_true(app_ring_open(&world->ring, &world->memory.header, 0, world->memory.rings));
	assert_int_equal(
		recorder_add_ring(world->recorder, 0, &world->ring, RECORDER_WITH_PAST, &error), 0);
	assert_int_equal(recorder_save(world->recorder, &error), 0);
}

void world_write_until(struct world *world, enum stage stage)
{
	const uint64_t body[2] = { 0, world->next++ };
	struct strata_slot slot;
	uint64_t *mark;

	assert_true(strata_ring_reserve(world->books, 0, sizeof(body), &slot));
	if (stage == RESERVED)
		return;
	mark = (uint64_t *)(world->writers + strata_app_marks_offset(world_geo)) +
	       strata_app_mark(world_geo, slot.position);
	*mark = (slot.position + slot.bytes) | STRATA_APP_MARK_OPEN;
	if (stage == BEGUN)
		return;
	memcpy(slot.payload, body, sizeof(body));
	*mark = slot.position + slot.bytes;
	if (stage == COMMITTED)
		strata_ring_commit(world->books, &slot);
}

void world_write(struct world *world, unsigned int how_many)
{
	while (how_many--) {
		const uint64_t body[2] = { 0, world->next };

		if (world->books) {
			world_write_until(world, COMMITTED);
			continue;
		}
		if (!strata_single_write(&world->single, 0, body, sizeof(body)))
			strata_single_write_slow(&world->single, 0, body, sizeof(body), NULL);
		world->next++;
	}
}

void world_lose(struct world *world)
{
	const uint64_t body[1] = { 0 };

	strata_single_write_slow(&world->single, 0, body, STRATA_SINGLE_BODY_MAX + 4, NULL);
}

uint64_t world_drain(struct world *world)
{
	struct strata_error error;
	uint64_t nr_packets;

	assert_int_equal(recorder_drain(world->recorder, RECORDER_DRAIN_ALL, &nr_packets, &error),
			 0);
	assert_int_equal(recorder_save(world->recorder, &error), 0);
	return nr_packets;
}

void world_leave(struct world *world)
{
	recorder_leave_source(world->recorder, 0, STRATA_SOURCE_EXITED);
	while (recorder_presence(world->recorder, 0) == RECORDER_SOURCE_LEAVES)
		world_drain(world);
}

struct bytes bytes_read(const char *path)
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

void bytes_write(const char *path, const void *at, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(at, 1, size, file), size);
	fclose(file);
}

struct bytes world_ring_bytes(void)
{
	return bytes_read(world_path("made/" RING_FILE_DIR "/" NAME RING_FILE_SUFFIX));
}

void world_end(struct world *world)
{
	struct recorder_totals totals;
	struct strata_error error;

	assert_int_equal(recorder_close(world->recorder, &totals, &error), 0);
	munmap(world->writers, world->memory.header.ring_bytes);
	app_memory_free(&world->memory);
	ring_file_remove_dir(&world->dir);
	strata_dir_close(&world->dir);
	free(world->books);
}

void numbers_read(const char *from, struct numbers *numbers)
{
	struct strata_packet_reader reader;
	struct strata_recording recording;
	struct strata_record record;
	struct strata_error error;
	size_t offset;

	numbers->nr = 0;
	if (loaded_recording(&recording, from, &error))
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

int world_set_up(void **state)
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

int world_tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}
