// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_xentrace.c - any bytes as a file of xentrace's: they are refused, or become a
 * recording that is whole whatever they were, and that merges to its end.
 *
 * libFuzzer calls it; see parsers.mk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inputs/xentrace/xentrace.h"
#include "../../merge_alone.h"
#include "files/out_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr);

/* In memory: a recording is made for each input, and carried to the disk. */
static char dir[] = "/dev/shm/strata-fuzz-XXXXXX";
static char raw[64];
static char path[64];
static int file;
static uint64_t complaints;

static void empty_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	file = memfd_create("input", 0);
	if (file < 0 || !mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	snprintf(raw, sizeof(raw), "%s/raw", dir);
	return atexit(empty_directory);
}

/* What was written, by the same rule as the importer's: a stream for each CPU that is named. */
static void remove_recording(const struct strata_recording *recording)
{
	char name[128];
	size_t i;

	for (i = 0; i < recording->sources[0].nr_streams; i++) {
		snprintf(name, sizeof(name), "%s/xen/cpu_%u", raw,
			 recording->sources[0].streams[i].cpu);
		unlink(name);
	}
	snprintf(name, sizeof(name), "%s/xen/metadata", raw);
	unlink(name);
	snprintf(name, sizeof(name), "%s/recording.json", raw);
	unlink(name);
	snprintf(name, sizeof(name), "%s/xen", raw);
	rmdir(name);
	if (rmdir(raw))
		abort();
}

static void count_complaint(void *data, const char *message)
{
	(void)data;
	(void)message;
	complaints++;
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "it does not hold that %s\n", what);
	abort();
}

static void merge(const struct strata_xentrace_report *report)
{
	const struct strata_host_figures *figures;
	struct strata_error error;
	struct merge_alone alone;

	complaints = 0;
	check(merge_alone_open(&alone, raw, count_complaint, NULL, NULL, 0, &error) == 0,
	      "what was imported opens");
	check(merge_alone_run(&alone, NULL, &error) == 0, "it merges");
	check(complaints == 0, "nothing in it is wrong");
	figures = strata_host_check_figures(alone.check);
	check(figures->events == report->tally.events, "all of it is there");
	remove_recording(&figures->host->recording);
	merge_alone_close(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr)
{
	struct strata_xentrace_options options = { .complain = count_complaint };
	struct strata_xentrace_report report;
	struct strata_error error;

	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET) || strata_write_all(file, bytes, nr))
		abort();
	/* The frequency is looked for, and given if that is in vain. */
	complaints = 0;
	if (strata_xentrace_import(path, raw, &options, &report, &error)) {
		options.tsc_khz = 2400000;
		complaints = 0;
		if (strata_xentrace_import(path, raw, &options, &report, &error)) {
			check(access(raw, F_OK) != 0, "what failed leaves nothing");
			return 0;
		}
	}
	check(report.left_out_bytes <= nr && report.bytes == nr, "the sums are right");
	check(complaints >= report.bad_places, "each bad place is named");
	merge(&report);
	return 0;
}
