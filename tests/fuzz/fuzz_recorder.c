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
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients.h"
#include "consumerd/host/recorder_number.h"
#include "deaths_named.h"
#include "fake_hypervisor.h"
#include "guest_costs.h"
#include "liars.h"
#include "lies_named.h"
#include "outcome.h"
#include "scribbler.h"
#include "verbs.h"
#include "watchdog.h"

/* A run takes milliseconds; this is for a loaded machine. */
#define SECONDS_MAX 300u
/* Looks at the rings that no wait comes before, and the sub-buffers that a liar's ring has. */
#define LOOKS_MORE  8u
#define SUBBUFS_MAX 8u
/* One copy of the largest sub-buffer, a directory's copy, and all the rest. */
#define HEAP_BYTES_MAX (12u << 20)

/* All that one run writes lies in work_dir: the recording, snapshots, the merge. */
static char dir[64], work_dir[80], raw[96], merged_dir[96];
static uint64_t run_seed;

static struct {
	uint64_t runs, listed, merged, written_out, heap_peak;
	uint64_t xen, overwritten, taken_over, honest_ends, granted, last_moments, honest;
	struct outcome outcome;
} seen;

/* One run ------------------------------------------------------------------------------------ */

/* One directory that the recorder wrote. */
static const char *check_recording(const char *path, uint64_t *xen_events)
{
	struct outcome outcome = { 0 };
	uint64_t honest_records;
	const char *wrong = outcome_streams(path, HONEST, &honest_records);

	if (wrong)
		return wrong;
	wrong = outcome_recording(path, honest_records, &outcome);
	/* However fast a writer is: each look at its ring takes no more than a ring holds. */
	if (!wrong && outcome.longest > (fake_host.waits + LOOKS_MORE) * SUBBUFS_MAX)
		wrong = "it goes on taking what a guest says is there";
	*xen_events += outcome.xen_events;
	seen.honest += honest_records;
	seen.xen += outcome.xen_events;
	seen.outcome.liars += outcome.liars;
	seen.outcome.packets += outcome.packets;
	seen.outcome.refused += outcome.refused;
	/* A snapshot that came before all guests is empty, and so is a recording of a refused liar
	 * alone: there is nothing to merge. */
	if (!outcome.streams)
		return wrong;
	if (!wrong && liars_decide(2)) {
		seen.merged++;
		wrong = outcome_merged(path, honest_records, outcome.refused);
	}
	if (!wrong && outcome.events && liars_decide(64)) {
		seen.written_out++;
		wrong = merge_checked(path, merged_dir,
				      honest_records > 0 || outcome.xen_events > 0);
	}
	return wrong;
}

static int is_written(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "raw", 3) || !strncmp(entry->d_name, "snap", 4);
}

/* The recording, and each snapshot: together they have all that there has to be. */
static const char *check_outcome(const struct plan *plan)
{
	const char *wrong = NULL;
	struct dirent **entries;
	int nr = scandir(work_dir, &entries, is_written, alphasort), i;
	uint64_t xen_events = 0;
	char path[400];

	if (nr < 1)
		return liars_are_alone() ? NULL : "nothing is recorded";
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", work_dir, entries[i]->d_name);
		seen.last_moments += !strncmp(entries[i]->d_name, "raw-died", 8);
		if (!wrong)
			wrong = check_recording(path, &xen_events);
		free(entries[i]);
	}
	free(entries);
	if (!wrong && plan->xen && !plan->overwrite && xen_events != fake_hypervisor_records())
		wrong = "records of Xen's are missing";
	if (!wrong && guests[HONEST].channel && guests[HONEST].life == FAKE_RUNS &&
	    guests[HONEST].nodes[FAKE_ROOT_REF].exists)
		wrong = "the rings of its channel stay in a kernel";
	return wrong ? wrong : outcome_complete(HONEST);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

/* A new one. */
static void make_work_dir(void)
{
	nftw(work_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (mkdir(work_dir, 0700)) {
		fprintf(stderr, "%s: %s\n", work_dir, strerror(errno));
		exit(1);
	}
}

/* Everything that one seed decides.  NULL: as it should be. */
static const char *run_checked(uint64_t seed, bool lying)
{
	const uint32_t number = seed % 3 ? 0 : 1 + (uint32_t)(seed / 3 % (RECORDERS_MAX - 2));
	const struct plan *plan = liars_begin_beside(seed, lying, number);
	const char *wrong, *answers;

	if (lying && liars_decide(4)) {
		seen.listed++;
		wrong = list_checked();
		if (wrong)
			return wrong;
		plan = liars_begin_beside(seed + 1, lying, number);
	}
	seen.overwritten += plan->overwrite;
	seen.taken_over += plan->left;
	seen.honest_ends += plan->ends;
	clients_begin(work_dir, raw, lying, plan->overwrite);
	if (liars_scribbled())
		scribbler_begin(&guests[0], &guests[2], seed);
	wrong = record_checked(raw, plan, lying || plan->ends, NULL);
	if (liars_scribbled())
		scribbler_end();
	answers = clients_end();
	seen.granted += clients_granted();
	if (!wrong)
		wrong = answers;
	return wrong ? wrong : check_outcome(plan);
}

static const char *run(uint64_t seed, bool lying)
{
	size_t before = watchdog_heap();
	const char *wrong;
	size_t peak;

	run_seed = seed;
	make_work_dir();
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

/* The liars' part of a run without lies. */
static const char *check_others(void)
{
	const char *wrong = NULL;
	uint64_t records;
	size_t i;

	for (i = 0; i < NR_GUESTS && !wrong; i++)
		if (i != HONEST)
			wrong = outcome_streams(raw, i, &records);
	/* Packets that snapshots took are not in the recording. */
	for (i = 0; i < NR_GUESTS && !wrong && !clients_granted() && !seen.last_moments; i++)
		wrong = outcome_complete(i);
	return wrong;
}

/* Without lies everything has to be there: else the harness proves nothing. */
static void control(void)
{
	const char *wrong = NULL;
	uint64_t seed;

	/* In the first run libraries allocate what they keep. */
	run(0, false);
	for (seed = 1; seed <= 60 && !wrong; seed++) {
		seen.last_moments = 0;
		wrong = run(seed, false);
		if (!wrong)
			wrong = check_others();
	}
	if (!wrong && (!seen.honest || !seen.outcome.packets))
		wrong = "nothing was written";
	if (!wrong && seen.outcome.refused)
		wrong = "packets of guests that do not lie are refused";
	if (!wrong && (!seen.xen || !seen.overwritten || !seen.taken_over || !seen.honest_ends ||
		       !seen.granted))
		wrong = "no flight recorder, none taken over, no death or no snapshot was among the runs";
	if (!wrong && !fake_parts)
		wrong = "nothing was taken of a guest that slept";
	result("guests that do not lie are recorded whole", wrong);
	fake_parts = 0;
	memset(&seen, 0, sizeof(seen));
}

/* Checks the costs of a guest for others by its life alone. */
static void costs(const struct guest_cost *cost)
{
	for (; cost->name; cost++) {
		make_work_dir();
		result(cost->name, cost->check(raw));
	}
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
	printf("# %" PRIu64 " records of Xen; %" PRIu64 " flight recorders, %" PRIu64
	       " snapshots, %" PRIu64 " of last moments, %" PRIu64
	       " requests that were none; %" PRIu64 " times the honest guest died or was paused\n",
	       seen.xen, seen.overwritten, seen.granted, seen.last_moments, clients_nonsense(),
	       seen.honest_ends);
	printf("# %" PRIu64 " packets behind parts that a writer who slept had left\n", fake_parts);
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
	snprintf(work_dir, sizeof(work_dir), "%s/run", dir);
	snprintf(raw, sizeof(raw), "%s/raw", work_dir);
	snprintf(merged_dir, sizeof(merged_dir), "%s/merged", work_dir);
	snprintf(fake_socket_path, sizeof(fake_socket_path), "%s/socket", dir);
}

static void remove_dir(void)
{
	if (nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS))
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
	uint64_t wanted = 100000, seed = 20260101, one = 0;
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
	/* The C library keeps the time zone, which a merge's text asks for, for ever. */
	tzset();
	watchdog_make();
	liars_make();
	scribbler_make();
	control();
	make_work_dir();
	result("a guest that lies is named, with the lie", lies_are_named(raw));
	make_work_dir();
	result("a domain that ends is recorded to its end, which is named", deaths_are_named(raw));
	verbs_shown = again;
	costs(life_costs);
	costs(turn_costs);
	costs(answer_costs);
	if (again)
		result("this seed", run(one, true));
	else
		fuzz(seed, wanted);
	printf("1..%u\n", results);
	fflush(stdout);
	remove_dir();
	return failed;
}
