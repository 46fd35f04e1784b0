// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_recover_lies.c - files of rings that nobody should find: words of header, rings,
 * marks and table are overwritten, ends are cut off.  `strata recover` refuses them, or
 * makes a recording of them that can be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/rings/app_ring.h"
#include "consumerd/recover.h"
#include "recover_world.h"

/* Files that lie, of each kind. */
#ifndef LIES
#define LIES 400u
#endif

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
	const size_t end = ring + strata_app_ring_bytes(mode, world_geo);
	/* Of the sub-buffer that is being written: the fourth. */
	const size_t marks = ring + strata_app_marks_offset(world_geo) +
			     3 * strata_app_marks_bytes(world_geo) / 4;
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
							     : marks + random_word() % 336;
			break;
		}
		at = (at < bytes.size - 8 ? at : bytes.size - 8) & ~(size_t)3;
		memcpy(&word, bytes.at + at, sizeof(word));
		switch (random_word() % 5) {
		case 0:
			word = random_word();
			break;
		case 3:
			/* A value nearby: for marks, a step back. */
			memcpy(&word, bytes.at + at - (at < 64 ? 0 : 4 * (random_word() % 16)),
			       sizeof(word));
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
		memcpy(bytes.at + at, &word, sizeof(word));
	}
}

/* 0: it was refused, with a reason; 1: it was recovered, and its result can be read. */
static int recover_lies(struct bytes bytes)
{
	struct strata_error error = { "" };
	struct recorder_totals totals;
	struct recovery recovery;
	struct numbers numbers;
	int result;

	bytes_write(world_path("lies" RING_FILE_SUFFIX), bytes.at, bytes.size);
	result =
		recover(&recovery, world_path("lies" RING_FILE_SUFFIX), world_path("lied"), &error);
	if (result) {
		assert_true(error.text[0]);
		if (recovery.recorder)
			recorder_abandon(recovery.recorder);
	} else {
		assert_int_equal(recorder_close(recovery.recorder, &totals, &error), 0);
		if (totals.events)
			numbers_read(world_path("lied"), &numbers);
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

	world_begin(&world, mode);
	world_write(&world, 300);
	world_drain(&world);
	world_write(&world, 150);
	honest = world_ring_bytes();
	lied.at = malloc(honest.size);
	assert_non_null(lied.at);
	dup2(null, STDERR_FILENO);
	for (i = 0; i < LIES; i++) {
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
	world_end(&world);
}

/* Each size or count in the header, at an impossible value. */
static void a_header_that_cannot_be_is_refused(void **state)
{
	struct ring_file_header *header;
	struct bytes honest, lied;
	struct world world;
	unsigned int lie;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	world_write(&world, 30);
	honest = world_ring_bytes();
	lied.at = malloc(honest.size);
	assert_non_null(lied.at);
	header = (struct ring_file_header *)lied.at;
	for (lie = 0; lie < 6; lie++) {
		lied.size = honest.size;
		memcpy(lied.at, honest.at, honest.size);
		if (lie == 0)
			header->nr_rings = 0;
		else if (lie == 1)
			header->nr_rings = STRATA_APP_RINGS_MAX + 1;
		else if (lie == 2)
			header->ring_bytes++;
		else if (lie == 3)
			lied.size = ring_file_table_offset(header) + header->table_bytes - 1;
		else if (lie == 4)
			header->anchor_realtime_ns = (uint64_t)INT64_MAX + 1;
		else
			header->pid = 0;
		assert_int_equal(recover_lies(lied), 0);
	}
	memcpy(lied.at, honest.at, honest.size);
	lied.size = honest.size;
	assert_int_equal(recover_lies(lied), 1);
	free(lied.at);
	free(honest.at);
	world_end(&world);
}

/* A recorder that knew no formats copied the size of one, but not the format. */
static void a_table_of_version_2_has_no_formats(void **state)
{
	struct strata_error error = { "" };
	struct strata_event_desc *first, *second;
	struct ring_file_header *header;
	struct bytes honest, old;
	struct ring_file file;
	struct world world;
	size_t table, entry;

	(void)state;
	world_begin(&world, STRATA_APP_SINGLE_STORE);
	honest = world_ring_bytes();
	header = (struct ring_file_header *)honest.at;
	table = ring_file_table_offset(header);
	entry = header->table_bytes;
	old.size = table + 2 * entry;
	old.at = calloc(1, old.size);
	assert_non_null(old.at);
	memcpy(old.at, honest.at, table + entry);
	memcpy(old.at + table + entry, honest.at + table, entry);
	header = (struct ring_file_header *)old.at;
	header->version = 2;
	header->nr_events = 2;
	header->table_bytes = 2 * entry;
	first = (struct strata_event_desc *)(old.at + table);
	second = (struct strata_event_desc *)(old.at + table + entry);
	first->format_bytes = 9;
	second->id = 1;
	strcpy(second->name, "second");
	bytes_write(world_path("old" RING_FILE_SUFFIX), old.at, old.size);
	if (ring_file_load(&file, world_path("old" RING_FILE_SUFFIX), &error))
		fail_msg("refused: %s", error.text);
	assert_null(strata_event_format(&file.events[0]));
	assert_string_equal(file.events[1].name, "second");
	ring_file_clear(&file);
	free(old.at);
	free(honest.at);
	world_end(&world);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_that_cannot_be_is_refused),
		cmocka_unit_test(a_table_of_version_2_has_no_formats),
		cmocka_unit_test(lies_of_single_stores),
		cmocka_unit_test(lies_of_reserve_and_commit),
	};

	return cmocka_run_group_tests_name("recover_lies", tests, world_set_up, world_tear_down);
}
