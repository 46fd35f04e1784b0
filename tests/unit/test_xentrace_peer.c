// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_xentrace_peer.c - a real file, which Debian's xentrace recorded of Debian's Xen
 * with a PVH and a PV guest (tests/xen/xentrace_file.sh makes it again): what the
 * importer makes of it, beside what Xen's own xenalyze reads in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "xentrace_fixture.h"

#define REAL_FILE    "tests/unit/data/host.xentrace"
#define REAL_TSC_KHZ 2445427u /* that host's Xen: "Detected 2445.427 MHz processor." */

#define RECORDS_MAX 20000u
#define IDLE        0x7fffu

/* A record as both have it. */
struct record {
	uint32_t cpu;
	uint32_t event;
	uint32_t words;
	uint32_t payload[7];
	uint64_t ticks; /* 0: it has none */
};

struct records {
	struct record *all;
	size_t nr;
};

static struct record *add(struct records *records)
{
	assert_true(records->nr < RECORDS_MAX);
	if (!records->all)
		records->all = calloc(RECORDS_MAX, sizeof(*records->all));
	assert_non_null(records->all);
	return &records->all[records->nr++];
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct record));
}

/* "R p 0 o000000000000000c   20100d 1   140640106109 [       17 ...]"; what it is no record of is
 * xentrace's own, and what fills a buffer's end. */
static void read_peer_line(struct records *records, char *line)
{
	unsigned int cpu, event, words, i;
	char time[32], *rest;
	struct record *record;
	int length = 0;

	if (sscanf(line, "R p%u o%*x %x %u %31s%n", &cpu, &event, &words, time, &length) != 4)
		return;
	if (event == 0x1f002 || event == 0x1f003)
		return;
	record = add(records);
	record->cpu = cpu;
	record->event = event;
	record->words = words;
	record->ticks = strcmp(time, "-") == 0 ? 0 : strtoull(time, NULL, 10);
	rest = strchr(line + length, '[');
	assert_non_null(rest);
	rest++;
	for (i = 0; i < words; i++)
		record->payload[i] = (uint32_t)strtoul(rest, &rest, 16);
}

static void read_peer(struct records *records, const char *arguments)
{
	char command[200], line[1024];
	FILE *peer;

	snprintf(command, sizeof(command), "tests/unit/xenalyze.sh %s " REAL_FILE " 2>/dev/null",
		 arguments);
	peer = popen(command, "r");
	assert_non_null(peer);
	while (fgets(line, sizeof(line), peer))
		read_peer_line(records, line);
	assert_int_equal(pclose(peer), 0);
}

/* The importer's packets, by what include/strata/packet.h says of their bytes. */
static void read_stream(struct records *records, const char *raw, unsigned int cpu)
{
	static uint32_t ids[STRATA_SOURCE_EVENTS_MAX];
	static uint8_t bytes[1 << 20];
	const size_t nr_ids = load_ids(raw, ids);
	char path[96];
	size_t nr, at = 0, end;
	FILE *in;

	snprintf(path, sizeof(path), "%s/xen/cpu_%u", raw, cpu);
	in = fopen(path, "r");
	assert_non_null(in);
	nr = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	while (at < nr) {
		uint64_t content_bits;

		memcpy(&content_bits, bytes + at + 40, sizeof(content_bits));
		end = at + content_bits / 8;
		for (at += 104; at < end;) {
			struct record *record = add(records);
			uint32_t id;

			memcpy(&id, bytes + at, sizeof(id));
			assert_true(id < nr_ids);
			id = ids[id];
			memcpy(&record->ticks, bytes + at + 4, sizeof(record->ticks));
			record->cpu = cpu;
			record->event = id & 0x0fffffffu;
			record->words = id >> 28;
			memcpy(record->payload, bytes + at + 16, record->words * 4);
			at += 16 + record->words * 4;
		}
	}
}

/* Of those that have no time of their own only the rest can be the same. */
static void forget_times(struct records *records, const struct records *untimed)
{
	size_t i, j;

	for (i = 0; i < records->nr; i++) {
		for (j = 0; j < untimed->nr; j++) {
			if (untimed->all[j].ticks == 0 &&
			    untimed->all[j].event == records->all[i].event) {
				records->all[i].ticks = 0;
				break;
			}
		}
	}
}

static void import_real_file(struct imported *imported, struct xentrace_file *file)
{
	xentrace_init(file);
	strcpy(file->path, REAL_FILE);
	import_file(imported, file, REAL_TSC_KHZ);
	assert_int_equal(imported->status, 0);
	assert_int_equal(imported->merged.status, 0);
	assert_int_equal(imported->merged.nr_complaints, 0);
}

static void xenalyze_reads_the_same_records(void **state)
{
	struct records peers = { 0 }, ours = { 0 };
	struct xentrace_file file;
	struct imported imported;
	size_t i;

	(void)state;
	import_real_file(&imported, &file);
	read_peer(&peers, "--dump-no-processing");
	read_stream(&ours, file.raw, 0);
	read_stream(&ours, file.raw, 1);
	assert_true(peers.nr > 2000);
	assert_int_equal(ours.nr, peers.nr);
	forget_times(&ours, &peers);
	forget_times(&peers, &peers);
	qsort(ours.all, ours.nr, sizeof(*ours.all), compare);
	qsort(peers.all, peers.nr, sizeof(*peers.all), compare);
	for (i = 0; i < ours.nr; i++)
		assert_memory_equal(&ours.all[i], &peers.all[i], sizeof(*ours.all));
	free(ours.all);
	free(peers.all);
	imported_free(&imported);
	xentrace_free(&file);
}

/* "   0.236836902 |x d2v0 vcpu_wake d1v0": who ran, by its own reckoning; "d?v?" while it does not
 * know, and domain 32768 before it has seen anybody. */
static void xenalyze_finds_the_same_vcpus_running(void **state)
{
	const char *names[] = { "vmentry", "vmexit", "hypercall" };
	unsigned int theirs[3][4] = { 0 }, ours[3][4] = { 0 };
	struct xentrace_file file;
	struct imported imported;
	char line[1024];
	FILE *peer;
	size_t i, j;

	(void)state;
	import_real_file(&imported, &file);
	peer = popen("tests/unit/xenalyze.sh --dump-all --svm-mode " REAL_FILE " 2>/dev/null", "r");
	assert_non_null(peer);
	while (fgets(line, sizeof(line), peer)) {
		unsigned int domain, vcpu;
		char name[32];

		if (sscanf(line + 1, " %*s %*s d%uv%u %31s", &domain, &vcpu, name) != 3 ||
		    domain > 2)
			continue;
		for (i = 0; i < 3; i++)
			theirs[i][domain] += strcmp(name, names[i]) == 0;
	}
	pclose(peer);
	for (j = 0; j < imported.merged.nr_events; j++) {
		const struct merged_event *event = &imported.merged.events[j];
		const char *same[] = { "vm_entry", "vm_exit", "pv_hypercall" };

		for (i = 0; i < 3 && event->domain <= 2; i++)
			ours[i][event->domain] += strcmp(event->name, same[i]) == 0;
		/* It calls a part of a multicall so, too. */
		if (event->domain <= 2 && strcmp(event->name, "pv_multicall") == 0)
			ours[2][event->domain]++;
	}
	/* The PVH guest alone enters and exits; dom0 and the PV guest alone make such hypercalls.
	 */
	assert_true(ours[0][1] > 50 && ours[1][1] > 50 && ours[2][0] > 50 && ours[2][2] > 0);
	assert_int_equal(ours[0][0] + ours[0][2] + ours[1][0] + ours[1][2] + ours[2][1], 0);
	for (i = 0; i < 3; i++) {
		/* It forgets for a while what it had seen when records were lost. */
		for (j = 0; j < 3; j++)
			assert_in_range(theirs[i][j], ours[i][j] * 9 / 10, ours[i][j]);
	}
	imported_free(&imported);
	xentrace_free(&file);
}

static void a_real_file_says_what_it_can(void **state)
{
	struct xentrace_file file;
	struct imported imported;

	(void)state;
	import_real_file(&imported, &file);
	assert_int_equal(imported.report.pcpus, 2);
	assert_int_equal(imported.report.exits, STRATA_EXITS_SVM);
	assert_int_equal(imported.report.bad_places, 0);
	assert_int_equal(imported.report.contradictions, 0);
	assert_int_equal(imported.report.tally.steps_back, 0);
	assert_true(imported.report.wraps > 0);
	assert_true(imported.report.tally.lost > 0);
	assert_int_equal(imported.merged.result.tally.discarded, imported.report.tally.lost);
	assert_int_equal(imported.merged.result.tally.clamped_times, 0);
	assert_true(imported.report.tally.unknown < imported.report.tally.events / 100);
	imported_free(&imported);
	xentrace_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xenalyze_reads_the_same_records),
		cmocka_unit_test(xenalyze_finds_the_same_vcpus_running),
		cmocka_unit_test(a_real_file_says_what_it_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
