// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace.c - files of xentrace's as a whole: how they are recognised, what is refused, that
 * every record arrives as it is, and that a recording comes of them which opens anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "xentrace_fixture.h"
#include "inputs/xentrace/xentrace_reader.h"

static bool is_xentrace(const char *path)
{
	struct strata_xentrace_reader reader;
	struct strata_error error;

	if (strata_xentrace_open(&reader, path, NULL, NULL, &error))
		return false;
	strata_xentrace_close(&reader);
	return true;
}

static void assert_recognised(const void *bytes, size_t nr, bool expected)
{
	struct xentrace_file file;

	xentrace_init(&file);
	xentrace_bytes(&file, bytes, nr);
	xentrace_write(&file);
	assert_int_equal(is_xentrace(file.path), expected);
	xentrace_free(&file);
}

static void a_file_of_xentraces_is_recognised(void **state)
{
	struct xentrace_file file;

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 60, 2400000, 100, 1);
	xentrace_write(&file);
	assert_true(is_xentrace(file.path));
	/* Torn wherever it may be, as long as a whole record is there. */
	assert_recognised(file.whole.bytes, 12 + 24, true);
	assert_recognised(file.whole.bytes, 12 + 24 + 3, true);
	assert_recognised(file.whole.bytes, file.whole.nr - 1, true);
	assert_recognised(file.whole.bytes, 12 + 23, false);
	assert_recognised(file.whole.bytes, 12, false);
	assert_recognised(file.whole.bytes, 11, false);
	/* And not its other records first. */
	assert_recognised(file.whole.bytes + 12, file.whole.nr - 12, false);
	xentrace_free(&file);
}

static void nothing_else_is_taken_for_one(void **state)
{
	static const char text[] = "/* CTF 1.8 */\ntypealias integer { size = 8; } := uint8_t;\n";
	static const uint32_t ctf_packet[64] = { 0xc1fc1fc1 };
	const uint32_t unknown_record[] = { 0x2001f003, 0, 8, 0, 0 };
	const uint32_t too_long[] = { 0x2001f003, 0, 8, 0x70021011, 1, 2, 3, 4, 5, 6, 7 };
	const uint32_t no_subclass[] = { 0x2001f003, 0, 8, 0x10020011, 1 };
	const uint32_t no_class[] = { 0x2001f003, 0, 8, 0x1000f011, 1 };
	const uint32_t no_cpu[] = { 0x2001f003, 70000, 8, 0x10021011, 1 };
	const uint32_t odd_size[] = { 0x2001f003, 0, 9, 0x10021011, 1, 0 };
	const uint32_t no_second[] = { 0x2001f003, 0, 8, 0x10021011, 1, 0x10021011, 1, 2 };
	uint8_t random[4096];
	unsigned int i, j;

	(void)state;
	assert_recognised("", 0, false);
	assert_recognised(text, sizeof(text), false);
	assert_recognised(ctf_packet, sizeof(ctf_packet), false);
	assert_recognised(unknown_record, sizeof(unknown_record), false);
	assert_recognised(too_long, sizeof(too_long), false);
	assert_recognised(no_subclass, sizeof(no_subclass), false);
	assert_recognised(no_class, sizeof(no_class), false);
	assert_recognised(no_cpu, sizeof(no_cpu), false);
	assert_recognised(odd_size, sizeof(odd_size), false);
	assert_recognised(no_second, sizeof(no_second), false);
	assert_false(is_xentrace("/proc/self/exe"));
	assert_false(is_xentrace("/dev/zero"));
	assert_false(is_xentrace("/tmp"));
	assert_false(is_xentrace("/nowhere"));
	for (i = 0; i < 60; i++) {
		for (j = 0; j < sizeof(random); j++)
			random[j] = (uint8_t)(rand() >> 7);
		assert_recognised(random, sizeof(random), false);
		/* Even behind the header of a window. */
		memcpy(random, "\x03\xf0\x01\x20\0\0\0\0\x20\0\0\0", 12);
		assert_recognised(random, sizeof(random), false);
	}
}

/* Walks through a stream's file by what include/strata/packet.h says of the bytes. */
static uint64_t find_in_stream(const struct xentrace_file *file, unsigned int cpu, uint32_t id,
			       uint64_t ticks, uint8_t *payload, uint64_t *nr)
{
	uint8_t bytes[65536];
	static uint32_t ids[STRATA_SOURCE_EVENTS_MAX];
	const size_t nr_ids = load_ids(file->raw, ids);
	uint64_t found = 0;
	char path[96];
	size_t got, at = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/xen/cpu_%u", file->raw, cpu);
	in = fopen(path, "r");
	assert_non_null(in);
	got = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	*nr = 0;
	while (at < got) {
		uint64_t content_bits, end, record_ticks;
		uint32_t record_id;

		memcpy(&content_bits, bytes + at + 40, 8);
		end = at + content_bits / 8;
		assert_true(end <= got);
		for (at += 104; at < end; at += 16 + (record_id >> 28) * 4) {
			memcpy(&record_id, bytes + at, 4);
			assert_true(record_id < nr_ids);
			record_id = ids[record_id];
			memcpy(&record_ticks, bytes + at + 4, 8);
			++*nr;
			if (record_id == id && record_ticks == ticks) {
				memcpy(payload, bytes + at + 16, (id >> 28) * 4);
				found++;
			}
		}
	}
	return found;
}

static void every_record_arrives_as_it_is(void **state)
{
	const uint32_t words[] = { 1, 0xfedcba98, 3, 0, 5, 0xffffffff, 7 };
	struct xentrace_file file;
	struct imported imported;
	uint8_t payload[28];
	uint64_t nr;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 1000, 1, 2, 1, 0);
	/* All seven words, and a kind that no table knows. */
	xentrace_timed(&file, 0, 2000, 0x802003, 7, words[0], words[1], words[2], words[3],
		       words[4], words[5], words[6]);
	xentrace_timed(&file, 0, 3000, 0xffff7ff, 2, 0x11223344, 0x55667788);
	xentrace_timed(&file, 0, 4000, 0x28008, 0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, 0);
	assert_int_equal(find_in_stream(&file, 0, 0x70802003, 2000, payload, &nr), 1);
	assert_memory_equal(payload, words, 28);
	assert_int_equal(find_in_stream(&file, 0, 0x2ffff7ff, 3000, payload, &nr), 1);
	assert_memory_equal(payload, "\x44\x33\x22\x11\x88\x77\x66\x55", 8);
	assert_int_equal(find_in_stream(&file, 0, 0x00028008, 4000, payload, &nr), 1);
	assert_int_equal(nr, 4);
	assert_event(&imported, 0, "runstate_runnable_to_running", 1000, UNKNOWN_VCPU);
	assert_event(&imported, 1, "irq_bind_vector", 2000, 1, 2);
	assert_event(&imported, 2, "trc_0xffff7ff", 3000, 1, 2);
	assert_event(&imported, 3, "sched_control", 4000, 1, 2);
	imported_free(&imported);
	xentrace_free(&file);
}

static int compare_files(const char *a, const char *b, const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "cmp %s/%s %s/%s", a, name, b, name);
	return system(command);
}

static void a_host_is_merged_and_opens_anywhere_and_is_the_same_each_time(void **state)
{
	struct strata_xentrace_options options = { .anchor_realtime_ns = 1790000000000000000ull };
	struct xentrace_file file;
	struct imported imported, again;
	char raw[sizeof(file.raw)], command[128];

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 2000, 2893202, 3000, 7);
	xentrace_write(&file);
	import_with(&imported, &file, options);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.merged.status, 0);
	assert_int_equal(imported.merged.nr_complaints, 0);
	assert_int_equal(imported.report.pcpus, 2);
	assert_int_equal(imported.report.windows, 80);
	assert_int_equal(imported.report.contradictions, 0);
	assert_int_equal(imported.report.tally.unknown, 0);
	assert_true(imported.report.tally.events > 20000);
	assert_int_equal(imported.merged.nr_events, imported.report.tally.events);
	assert_int_equal(merged_count(&imported.merged, "xen", "vm_exit"),
			 merged_count(&imported.merged, "xen", "hvm_halt"));
	/* The anchor is that of the last record. */
	assert_int_equal(imported.merged.result.last_ns, 1790000000000000000ull);

	strcpy(raw, file.raw);
	snprintf(command, sizeof(command), "babeltrace2 '%s' | wc -l | grep -qx %llu", raw,
		 (unsigned long long)imported.report.tally.events);
	assert_int_equal(system(command), 0);
	strcat(file.raw, "2");
	import_with(&again, &file, options);
	assert_int_equal(again.status, 0);
	assert_int_equal(compare_files(raw, file.raw, "recording.json"), 0);
	assert_int_equal(compare_files(raw, file.raw, "xen/metadata"), 0);
	assert_int_equal(compare_files(raw, file.raw, "xen/cpu_0"), 0);
	assert_int_equal(compare_files(raw, file.raw, "xen/cpu_1"), 0);
	imported_free(&imported);
	imported_free(&again);
	xentrace_free(&file);
}

static void a_date_that_nobody_knows_is_called_a_guess(void **state)
{
	struct strata_xentrace_options options = { .tsc_khz = 2400000 };
	struct xentrace_file file;
	struct imported imported;
	struct timespec times[2] = { { 1700000000, 5 }, { 1700000000, 5 } };

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 20, 2400000, 100, 3);
	xentrace_write(&file);
	assert_int_equal(utimensat(AT_FDCWD, file.path, times, 0), 0);
	import_with(&imported, &file, options);
	assert_true(imported.report.anchor_guessed);
	assert_said(&imported, "modification time is used as that of the last record");
	assert_int_equal(imported.merged.result.last_ns, 1700000000000000005ull);
	imported_free(&imported);
	xentrace_free(&file);
}

static void a_directory_that_has_a_recording_is_left_alone(void **state)
{
	struct xentrace_file file;
	struct imported imported;
	char metadata[96];

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 20, 2400000, 100, 3);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, 0);
	imported_free(&imported);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, "already holds a recording (use --force, or another -o)");
	snprintf(metadata, sizeof(metadata), "%s/xen/metadata", file.raw);
	assert_int_equal(access(metadata, F_OK), 0);
	xentrace_free(&file);
}

static void a_file_without_any_time_is_refused(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, "no record has a time");
	assert_int_equal(access(file.raw, F_OK), -1);
	xentrace_free(&file);
}

static void assert_refused(const struct xentrace_file *file, const char *why)
{
	struct imported imported;

	import_file(&imported, file, 2400000);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, file->path);
	assert_said(&imported, why);
	assert_int_equal(access(file->raw, F_OK), -1);
}

static void what_is_no_file_of_xentraces_is_refused(void **state)
{
	struct xentrace_file file;

	(void)state;
	xentrace_init(&file);
	assert_refused(&file, "No such file");
	xentrace_write(&file);
	assert_refused(&file, "the file is empty");
	xentrace_bytes(&file, "gzip or so, anything but that", 29);
	xentrace_write(&file);
	assert_refused(&file, "not a binary file of xentrace");
	snprintf(file.path, sizeof(file.path), "%s", file.dir);
	assert_refused(&file, "not a regular file");
	xentrace_free(&file);
}

static void a_test_that_fails_leaves_no_file_behind(void **state)
{
	struct xentrace_file file;
	char dir[sizeof(file.dir)];
	int ends[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		xentrace_init(&file);
		if (write(ends[1], file.dir, sizeof(file.dir)) != (ssize_t)sizeof(file.dir))
			_exit(1);
		exit(0);
	}
	assert_int_equal(read(ends[0], dir, sizeof(dir)), sizeof(dir));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(access(dir, F_OK), -1);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_that_fails_leaves_no_file_behind),
		cmocka_unit_test(a_file_of_xentraces_is_recognised),
		cmocka_unit_test(nothing_else_is_taken_for_one),
		cmocka_unit_test(every_record_arrives_as_it_is),
		cmocka_unit_test(a_host_is_merged_and_opens_anywhere_and_is_the_same_each_time),
		cmocka_unit_test(a_date_that_nobody_knows_is_called_a_guess),
		cmocka_unit_test(a_directory_that_has_a_recording_is_left_alone),
		cmocka_unit_test(a_file_without_any_time_is_refused),
		cmocka_unit_test(what_is_no_file_of_xentraces_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
