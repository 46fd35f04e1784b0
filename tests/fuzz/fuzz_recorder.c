// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_recorder.c - records guests that lie, again and again, beside one that
 * does not.  The recorder is the real one, `strata record` from its options to
 * its exit status, and so are the loader and the merger that read what it
 * wrote; only Xen below them is not (fake_host.h).
 *
 *     fuzz_recorder [--mutations N] [--seed N]   runs until N mutations were made
 *     fuzz_recorder --one SEED                   one run again, as a failure named it
 *
 * Speaks TAP.  What the sanitizers find ends it, with the seed.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "liars.h"
#include "lies_named.h"
#include "outcome.h"
#include "scribbler.h"
#include "verbs.h"
#include "watchdog.h"

/* A run takes milliseconds; this is for a loaded machine. */
#define SECONDS_MAX 20u
/* Looks at the rings that no wait comes before, and the sub-buffers that a liar's ring has. */
#define LOOKS_MORE  4u
#define SUBBUFS_MAX 8u
/* One copy of the largest sub-buffer, a directory's copy, and all the rest. */
#define HEAP_BYTES_MAX (12u << 20)

static char dir[64], raw[96], merged_dir[96];
static uint64_t run_seed;

static struct {
	uint64_t runs, listed, merged, written_out, heap_peak;
	struct outcome outcome;
} seen;

/* One run ------------------------------------------------------------------------------------ */

static const char *check_outcome(void)
{
	struct outcome outcome;
	const char *wrong = outcome_streams(raw, HONEST);

	if (wrong)
		return wrong;
	wrong = outcome_recording(raw, &outcome);
	/* However fast a writer is: each look at its ring takes no more than a ring holds. */
	if (!wrong && outcome.longest > (fake_host.waits + LOOKS_MORE) * SUBBUFS_MAX)
		wrong = "it goes on taking what a guest says is there";
	seen.outcome.liars += outcome.liars;
	seen.outcome.packets += outcome.packets;
	seen.outcome.refused += outcome.refused;
	if (!wrong && liars_decide(2)) {
		seen.merged++;
		wrong = outcome_merged(raw, &outcome);
	}
	if (!wrong && liars_decide(64)) {
		seen.written_out++;
		wrong = merge_checked(raw, merged_dir);
	}
	return wrong;
}

/* Everything that one seed decides.  NULL: as it should be. */
static const char *run_checked(uint64_t seed, bool lying)
{
	const char *wrong;

	liars_begin(seed, lying);
	if (lying && liars_decide(4)) {
		seen.listed++;
		wrong = list_checked();
		if (wrong)
			return wrong;
		liars_begin(seed + 1, lying);
	}
	if (liars_scribbled())
		scribbler_begin(&guests[0], &guests[2], seed);
	wrong = record_checked(raw, lying, liars_decide(2) ? "t[ai]*,?*o*,*" : NULL, NULL);
	if (liars_scribbled())
		scribbler_end();
	return wrong ? wrong : check_outcome();
}

static const char *run(uint64_t seed, bool lying)
{
	size_t before = watchdog_heap();
	const char *wrong;
	size_t peak;

	run_seed = seed;
	watchdog_begin(seed, SECONDS_MAX);
	wrong = run_checked(seed, lying);
	peak = watchdog_end() - before;
	if (!wrong && watchdog_heap() != before)
		wrong = "memory is not given back";
	if (!wrong && peak > HEAP_BYTES_MAX)
		wrong = "it takes too much memory";
	if (peak > seen.heap_peak)
		seen.heap_peak = peak;
	seen.runs++;
	return wrong;
}

/* The program -------------------------------------------------------------------------------- */

static unsigned int results;
static bool failed;

static bool result(const char *name, const char *wrong)
{
	printf("%s %u - %s\n", wrong ? "not ok" : "ok", ++results, name);
	if (wrong)
		printf("# %s; seed %" PRIu64 ", again with --one%s\n", wrong, run_seed,
		       liars_scribbled() ? " (a few times: a thread took part)" : "");
	fflush(stdout);
	failed |= wrong != NULL;
	return !wrong;
}

/* Without lies everything has to be there: else the harness proves nothing. */
static void control(void)
{
	const char *wrong = NULL;
	uint64_t seed;
	size_t i;

	/* The first run makes what libraries keep. */
	run(0, false);
	for (seed = 1; seed <= 40 && !wrong; seed++) {
		wrong = run(seed, false);
		for (i = 0; i < NR_GUESTS && !wrong; i++)
			wrong = outcome_streams(raw, i);
	}
	if (!wrong && (!honest_records() || !seen.outcome.packets))
		wrong = "nothing was written";
	if (!wrong && seen.outcome.refused)
		wrong = "packets of guests that do not lie are refused";
	result("guests that do not lie are recorded whole", wrong);
	memset(&seen, 0, sizeof(seen));
}

static void tell(uint64_t first_seed)
{
	unsigned int i;

	printf("# seed %" PRIu64 ": %" PRIu64 " runs, %" PRIu64 " mutations, and %" PRIu64
	       " stores of another thread meanwhile\n#",
	       first_seed, seen.runs, nr_mutations(), scribbler_stores());
	for (i = 0; i < NR_MUTATIONS; i++)
		printf(" %s %" PRIu64, mutation_names[i], mutations[i]);
	printf("\n# %" PRIu64 " times a liar was recorded: %" PRIu64
	       " of its packets taken, %" PRIu64 " refused; %" PRIu64 " merges, %" PRIu64
	       " written out; %" PRIu64 " times listed\n",
	       seen.outcome.liars, seen.outcome.packets, seen.outcome.refused, seen.merged,
	       seen.written_out, seen.listed);
	printf("# at most %" PRIu64 " KiB of heap in a run\n", seen.heap_peak >> 10);
}

static void fuzz(uint64_t first_seed, uint64_t wanted)
{
	struct randomness seeds = { first_seed };
	const char *wrong = NULL;
	unsigned int i;

	printf("# seed %" PRIu64 "\n", first_seed);
	fflush(stdout);
	while (!wrong && nr_mutations() < wanted)
		wrong = run(random_next(&seeds), true);
	tell(first_seed);
	if (!result("no lie of a guest harms the recorder, nor the honest guest's streams", wrong))
		return;
	for (i = 0; i < NR_MUTATIONS && !wrong; i++)
		wrong = mutations[i] ? NULL : mutation_names[i];
	result("lies of every kind were told", wrong);
}

static void make_dir(void)
{
	snprintf(dir, sizeof(dir), "%s/strata-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir)) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		exit(1);
	}
	snprintf(raw, sizeof(raw), "%s/raw", dir);
	snprintf(merged_dir, sizeof(merged_dir), "%s/merged", dir);
}

static void remove_dir(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		fprintf(stderr, "%s stays\n", dir);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mutations", required_argument, NULL, 'm' },
		{ "seed", required_argument, NULL, 's' },
		{ "one", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t wanted = 150000, seed = 20260101, one = 0;
	bool again = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'm')
			wanted = strtoull(optarg, NULL, 10);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'o')
			one = strtoull(optarg, NULL, 10), again = true;
		else
			return 2;
	}
	make_dir();
	watchdog_make();
	liars_make();
	scribbler_make();
	control();
	result("a guest that lies is named, with the lie", lies_are_named(raw));
	verbs_shown = again;
	if (again)
		result("this seed", run(one, true));
	else
		fuzz(seed, wanted);
	printf("1..%u\n", results);
	fflush(stdout);
	remove_dir();
	return failed;
}
