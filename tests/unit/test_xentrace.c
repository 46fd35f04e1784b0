// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace.c - files of xentrace's: how they are recognised, that every record
 * arrives as it is, and what is concluded that the file does not say: who ran, when,
 * how fast the counter runs, whose processor it was.  What is broken:
 * test_xentrace_damage.c.
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

#include <cmocka.h>

#include "xentrace_fixture.h"
#include "inputs/xentrace_reader.h"

#define IDLE    0x7fffu
#define UNKNOWN 0x7ff4u, 0xffffu

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
	assert_event(&imported, 0, "runstate_runnable_to_running", 1000, UNKNOWN);
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

static void who_runs_follows_from_the_runstates(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	/* Nothing tells of the first; the one who stops was there before. */
	xentrace_timed(&file, 0, 10, 0x28008, 0);
	xentrace_timed(&file, 0, 20, 0x2800e, 3, 1, 0, 5);
	xentrace_timed(&file, 0, 21, 0x2800f, 4, 2, 3, 0, 0);
	xentrace_timed(&file, 0, 22, 0x2800a, 4, 1, 0, 2, 3);
	xentrace_runstate(&file, 0, 23, 1, 0, 0, 2);
	/* The switch itself comes behind this one. */
	xentrace_runstate(&file, 0, 24, 2, 3, 1, 0);
	xentrace_timed(&file, 0, 30, 0x28008, 0);
	/* Another vCPU is woken from here: that changes nothing. */
	xentrace_runstate(&file, 0, 40, 1, 0, 2, 1);
	xentrace_timed(&file, 0, 50, 0x21002, 1, 2u << 16 | 3u);
	xentrace_window(&file, 0);
	/* Of another CPU it is known from where it begins to run on. */
	xentrace_timed(&file, 1, 60, 0x28008, 0);
	xentrace_runstate(&file, 1, 70, 1, 0, 1, 0);
	xentrace_timed(&file, 1, 80, 0x28008, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_event(&imported, 0, "sched_control", 10, 1, 0);
	assert_event(&imported, 1, "sched_switch_prev", 20, 1, 0);
	assert_event(&imported, 2, "sched_switch_next", 21, 1, 0);
	assert_event(&imported, 3, "sched_switch", 22, 1, 0);
	assert_event(&imported, 4, "runstate_running_to_blocked", 23, 1, 0);
	assert_event(&imported, 5, "runstate_runnable_to_running", 24, 1, 0);
	assert_event(&imported, 6, "sched_control", 30, 2, 3);
	assert_event(&imported, 7, "runstate_blocked_to_runnable", 40, 2, 3);
	assert_event(&imported, 8, "continue_running", 50, 2, 3);
	assert_event(&imported, 9, "sched_control", 60, UNKNOWN);
	assert_event(&imported, 10, "runstate_runnable_to_running", 70, UNKNOWN);
	assert_event(&imported, 11, "sched_control", 80, 1, 0);
	assert_int_equal(imported.report.contradictions, 0);
	assert_int_equal(imported.report.tally.unknown, 2);
	imported_free(&imported);
}

static void without_runstates_the_switch_tells(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, 10, 0x2800a, 4, 1, 0, IDLE, 0);
	xentrace_timed(&file, 0, 20, 0x28008, 0);
	xentrace_timed(&file, 0, 30, 0x2800a, 4, IDLE, 0, 2, 5);
	xentrace_timed(&file, 0, 40, 0x81001, 0);
	/* That cannot be: idle was left for 2/5. */
	xentrace_timed(&file, 0, 50, 0x28011, 4, 3, 1, 0, 0);
	xentrace_timed(&file, 0, 60, 0x81001, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 0, "sched_switch", 10, 1, 0);
	assert_event(&imported, 1, "sched_control", 20, IDLE, 0);
	assert_event(&imported, 2, "sched_switch", 30, IDLE, 0);
	assert_event(&imported, 3, "vm_entry", 40, 2, 5);
	assert_event(&imported, 4, "sched_switch_continue", 50, 3, 1);
	assert_event(&imported, 5, "vm_entry", 60, 3, 1);
	assert_int_equal(imported.report.contradictions, 1);
	imported_free(&imported);
}

static void lost_records_are_counted_and_say_who_runs(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 100, 1, 0, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_timed(&file, 0, 900, 0x1f001, 4, 25u, 7u << 16 | 2u, 300u, 0u);
	xentrace_timed(&file, 0, 901, 0x28008, 0);
	xentrace_timed(&file, 0, 1900, 0x1f001, 4, 17u, 7u << 16 | 2u, 1300u, 0u);
	xentrace_window(&file, 0);
	xentrace_runstate(&file, 1, 100, 5, 0, 1, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_int_equal(imported.report.tally.lost, 42);
	assert_int_equal(imported.merged.result.lost, 42);
	assert_int_equal(imported.merged.lost[0], 42);
	assert_int_equal(imported.merged.lost[1], 0);
	assert_int_equal(imported.merged.result.missing_packets, 0);
	assert_event(&imported, 3, "lost_records", 900, 2, 7);
	assert_event(&imported, 4, "sched_control", 901, 2, 7);
	imported_free(&imported);
}

/* Between the packet before and the end of that one, and no longer, something is missing. */
static void a_loss_has_a_packet_of_its_own(void **state)
{
	const uint64_t content[] = { 104 + 20 + 16, 104 + 32, 104 + 16 }, lost[] = { 0, 25, 25 };
	struct xentrace_file file;
	struct imported imported;
	uint8_t bytes[1024];
	char path[96];
	size_t i, nr, at = 0;
	FILE *in;

	(void)state;
	xentrace_init(&file);
	xentrace_runstate(&file, 0, 100, 1, 0, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_timed(&file, 0, 900, 0x1f001, 4, 25u, 1u, 300u, 0u);
	xentrace_timed(&file, 0, 901, 0x28008, 0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	snprintf(path, sizeof(path), "%s/xen/cpu_0", file.raw);
	in = fopen(path, "r");
	assert_non_null(in);
	nr = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	for (i = 0; i < 3; i++) {
		uint64_t bits, discarded;

		memcpy(&bits, bytes + at + 40, sizeof(bits));
		memcpy(&discarded, bytes + at + 64, sizeof(discarded));
		assert_int_equal(bits, content[i] * 8);
		assert_int_equal(discarded, lost[i]);
		at += bits / 8;
	}
	assert_int_equal(at, nr);
	imported_free(&imported);
	xentrace_free(&file);
}

static void what_fills_a_buffers_end_is_left_out(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_timed(&file, 0, 100, 0x28008, 0);
	/* These bytes are whatever was there before: not even their time is one. */
	xentrace_untimed(&file, 0, 0x1f002, 3, 0xdead, 0xbeef, 0);
	xentrace_timed(&file, 0, 0xffffffffffffffffull, 0x1f002, 1, 0);
	xentrace_timed(&file, 0, 200, 0x28008, 0);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_int_equal(imported.report.wraps, 2);
	assert_int_equal(imported.merged.nr_events, 2);
	assert_int_equal(imported.report.tally.steps_back, 0);
	imported_free(&imported);
}

static void a_record_without_a_time_has_that_of_the_one_before(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	/* The first ones have that of the one behind. */
	xentrace_untimed(&file, 0, 0x82013, 1, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 500, 0x81001, 0);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 700, 0x81001, 0);
	xentrace_window(&file, 0);
	/* One CPU that has none at all. */
	xentrace_untimed(&file, 1, 0x82018, 0);
	xentrace_window(&file, 1);
	import_written(&imported, &file);
	assert_int_equal(imported.merged.nr_events, 5);
	assert_event(&imported, 0, "hvm_halt", 500, UNKNOWN);
	assert_event(&imported, 1, "hvm_clts", 500, UNKNOWN);
	assert_event(&imported, 2, "vm_entry", 500, UNKNOWN);
	assert_event(&imported, 3, "hvm_clts", 500, UNKNOWN);
	assert_event(&imported, 4, "vm_entry", 700, UNKNOWN);
	assert_int_equal(imported.report.tally.untimed, 3);
	assert_int_equal(imported.report.tally.timeless, 1);
	assert_said(&imported, "1 records are left out");
	imported_free(&imported);
}

/* Also where that is the end of their packet. */
static void records_wait_for_a_time_until_a_loss(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_untimed(&file, 0, 0x82018, 0);
	xentrace_timed(&file, 0, 500, 0x1f001, 4, 1u, 1u, 300u, 0u);
	xentrace_window(&file, 0);
	import_written(&imported, &file);
	assert_event(&imported, 0, "hvm_clts", 500, UNKNOWN);
	assert_event(&imported, 1, "lost_records", 500, 1, 0);
	assert_int_equal(imported.report.tally.timeless, 0);
	imported_free(&imported);
}

static void a_frequency_is_found_within_its_stated_error(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 30; seed++) {
		struct strata_xentrace_frequency found;
		struct strata_error error;
		struct xentrace_file file;
		uint32_t khz = (uint32_t)(500000 + seed * 1234567 % 4500000);
		double apart;

		xentrace_init(&file);
		xentrace_host(&file, 1500, khz, (uint32_t)(seed * 997 % 20000), seed);
		xentrace_write(&file);
		assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
		xentrace_free(&file);
		apart = (double)found.tsc_khz - (double)khz;
		if (apart < 0)
			apart = -apart;
		if (found.tsc_khz == 0 || apart > 0.5 + khz * 1e-6 * found.error_ppm)
			fail_msg("seed %llu: %u kHz within %u ppm, and it is %u",
				 (unsigned long long)seed, found.tsc_khz, found.error_ppm, khz);
	}
}

static void a_frequency_is_found_where_a_cpu_idles(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	uint64_t ns = 4294000000ull; /* 32 bits of it wrap soon */
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++, ns += 50000 + i * 7919 % 100000) {
		uint64_t tsc = ns * 3 + i * 613 % 900;

		if (i % 2)
			xentrace_timed(&file, 0, tsc, 0x801003, 6, 1, (uint32_t)ns, 0, 0, 0, 0);
		else
			xentrace_timed(&file, 0, tsc, 0x801002, 4, 1, (uint32_t)ns, 0, 0);
	}
	xentrace_window(&file, 0);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_in_range(found.tsc_khz, 2999900, 3000100);
	assert_true(found.error_ppm < 20);
	xentrace_free(&file);
}

/* Ticks of a clock that is not system time have a slope that no frequency has. */
static void another_clocks_ticks_are_not_taken_for_nanoseconds(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++) /* 3.579545 MHz */
		xentrace_timed(&file, 0, 1000 + (uint64_t)i * 670000, 0x801002, 4, 1, i * 1000u, 0,
			       0);
	xentrace_window(&file, 0);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	xentrace_free(&file);
}

static void assert_found_khz(struct xentrace_file *file, uint32_t khz)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;

	xentrace_window(file, 0);
	xentrace_write(file);
	assert_int_equal(strata_xentrace_find_frequency(file->path, &found, &error), 0);
	xentrace_free(file);
	if (found.tsc_khz < khz - khz / 20000 || found.tsc_khz > khz + khz / 20000)
		fail_msg("%u kHz were found, not %u", found.tsc_khz, khz);
}

/* 32 bits of nanoseconds say nothing of seconds. */
static void a_long_sleep_is_no_link_of_a_chain(void **state)
{
	struct xentrace_file file;
	uint64_t ns = 0;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++, ns += i == 300 ? 10000000000ull : 100000)
		xentrace_timed(&file, 0, 1000 + ns * 3, 0x801002, 4, 1, (uint32_t)ns, 0, 0);
	assert_found_khz(&file, 3000000);
}

/* One vCPU for 100 us, then the other: the last one ran for @ran_ns. */
static void add_switch(struct xentrace_file *file, uint64_t ns, uint32_t ran_ns, uint32_t domain)
{
	xentrace_timed(file, 0, ns * 3, 0x2800e, 3, domain, 0u, ran_ns);
	xentrace_timed(file, 0, ns * 3 + 9, 0x2800a, 4, domain, 0u, 3u - domain, 0u);
}

static void what_was_lost_breaks_a_chain(void **state)
{
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 2000; i++) {
		/* Two switches of each hundred are lost: then the vCPU that runs is the same. */
		if (i % 100 == 1)
			xentrace_timed(&file, 0, i * 300000ull + 300, 0x1f001, 4, 4u, 2u - i % 2,
				       0u, 0u);
		else if (i % 100 != 0)
			add_switch(&file, i * 100000ull, 100000, 1 + i % 2);
	}
	assert_found_khz(&file, 3000000);
}

static void who_stops_without_having_started_breaks_a_chain(void **state)
{
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 1; i < 2000; i++) {
		if (i % 100)
			add_switch(&file, i * 100000ull, 100000, 1 + i % 2);
	}
	assert_found_khz(&file, 3000000);
}

static void readings_that_lie_far_apart_tell_no_frequency(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;

	(void)state;
	xentrace_init(&file);
	/* Up to 16 us late, in 84 ms. */
	xentrace_host(&file, 400, 2400000, 40000, 5);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	assert_false(found.contradicts);
	xentrace_free(&file);
}

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

static void a_frequency_that_nothing_tells_is_asked_for(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 20, 2400000, 100, 3);
	xentrace_write(&file);
	import_file(&imported, &file, 0);
	assert_int_equal(imported.status, -1);
	assert_said(&imported, file.path);
	assert_said(&imported, "--tsc-khz KHZ");
	assert_said(&imported, "xl dmesg");
	assert_false(exists(file.raw));
	/* Told, it is used. */
	import_file(&imported, &file, 1234567);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.tsc_khz, 1234567);
	assert_int_equal(imported.report.tsc_error_ppm, 0);
	imported_free(&imported);
	xentrace_free(&file);
}

static void one_that_is_told_and_contradicted_is_used_and_named(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	xentrace_init(&file);
	xentrace_host(&file, 1000, 2893202, 100, 3);
	xentrace_write(&file);
	import_file(&imported, &file, 2400000);
	assert_int_equal(imported.status, 0);
	assert_int_equal(imported.report.tsc_khz, 2400000);
	assert_said(&imported, "--tsc-khz says 2400000, but by the file's own records it is 28932");
	imported_free(&imported);
	xentrace_free(&file);
}

static void cpus_that_contradict_each_other_tell_no_frequency(void **state)
{
	struct strata_xentrace_frequency found;
	struct strata_error error;
	struct xentrace_file file;
	unsigned int i;

	(void)state;
	xentrace_init(&file);
	for (i = 0; i < 1000; i++) {
		xentrace_timed(&file, 0, i * 300000u, 0x801002, 4, 1, i * 100000u, 0, 0);
		xentrace_timed(&file, 1, i * 300300u, 0x801002, 4, 1, i * 100000u, 0, 0);
	}
	xentrace_window(&file, 0);
	xentrace_window(&file, 1);
	xentrace_write(&file);
	assert_int_equal(strata_xentrace_find_frequency(file.path, &found, &error), 0);
	assert_int_equal(found.tsc_khz, 0);
	assert_true(found.contradicts);
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
	assert_said(&imported, "time of modification is taken as that of the last record");
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
	assert_true(exists(metadata));
	xentrace_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_xentraces_is_recognised),
		cmocka_unit_test(nothing_else_is_taken_for_one),
		cmocka_unit_test(every_record_arrives_as_it_is),
		cmocka_unit_test(a_host_is_merged_and_opens_anywhere_and_is_the_same_each_time),
		cmocka_unit_test(who_runs_follows_from_the_runstates),
		cmocka_unit_test(without_runstates_the_switch_tells),
		cmocka_unit_test(lost_records_are_counted_and_say_who_runs),
		cmocka_unit_test(a_loss_has_a_packet_of_its_own),
		cmocka_unit_test(what_fills_a_buffers_end_is_left_out),
		cmocka_unit_test(a_record_without_a_time_has_that_of_the_one_before),
		cmocka_unit_test(records_wait_for_a_time_until_a_loss),
		cmocka_unit_test(a_frequency_is_found_within_its_stated_error),
		cmocka_unit_test(a_frequency_is_found_where_a_cpu_idles),
		cmocka_unit_test(another_clocks_ticks_are_not_taken_for_nanoseconds),
		cmocka_unit_test(a_long_sleep_is_no_link_of_a_chain),
		cmocka_unit_test(what_was_lost_breaks_a_chain),
		cmocka_unit_test(who_stops_without_having_started_breaks_a_chain),
		cmocka_unit_test(readings_that_lie_far_apart_tell_no_frequency),
		cmocka_unit_test(a_frequency_that_nothing_tells_is_asked_for),
		cmocka_unit_test(one_that_is_told_and_contradicted_is_used_and_named),
		cmocka_unit_test(cpus_that_contradict_each_other_tell_no_frequency),
		cmocka_unit_test(a_date_that_nobody_knows_is_called_a_guess),
		cmocka_unit_test(a_directory_that_has_a_recording_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
