// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check_bound.c - ties the clocks of two machines by the TCP segments in their traces, and holds
 *what comes of it against what the machines learnt of their clocks over shared memory
 *(compare_clocks.c), which knows nothing of TCP.
 *
 *	check_bound TRACE-A TRACE-B CLOCKS
 *
 * Prints TAP, and the figures behind it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock_sync/clock_sync.h"
#include "clock_sync/clock_sync_report.h"
#include "inputs/tcp_trace.h"

#define PAIRS_LEAST       1000u
#define BOUND_MOST_NS     5000000u
#define COMPARISONS_MOST  4096u
#define COMPARISONS_LEAST 20u
#define NS_PER_S          1000000000

enum { A, B };

/*
 * Linux steers its clock by steps of the rate of some 1e-7, at each of its ticks, which stop while
 * it is idle: compared with each other, two such clocks change their rates by 2e-7 a second.
 */
#define SLEW_PPT 1000000u

/* Readings of both clocks: at @before of A's, B's had not yet shown @other, at @after it had. */
struct comparison {
	int64_t before, other, after;
};

struct check {
	struct strata_clock_sync *by_tcp;
	struct strata_clock_sync *by_memory;
	struct strata_clock_cursor truth; /* of B, by memory */
	struct comparison comparisons[COMPARISONS_MOST];
	size_t nr_comparisons;
	uint64_t nr_pairs[2]; /* that were sent by A, by B */
	uint64_t nr_false;
	unsigned int nr_results;
};

static struct strata_error error;

static void fail(const char *what)
{
	printf("Bail out! %s: %s\n", what, error.text);
	exit(1);
}

static void result(struct check *check, bool good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++check->nr_results, what);
}

static struct strata_clock_sync *two_clocks(void)
{
	const struct strata_clock_rate rate = { NS_PER_S, 1 };
	const struct strata_clock_limits limits = { STRATA_CLOCK_DRIFT_PPB, SLEW_PPT,
						    STRATA_CLOCK_WINDOW_MS };
	struct strata_clock_sync *sync = strata_clock_sync_new();

	if (!sync || strata_clock_sync_add_clock(sync, "a", rate, &error) != A ||
	    strata_clock_sync_add_clock(sync, "b", rate, &error) != B ||
	    strata_clock_sync_limit(sync, A, B, limits, &error))
		fail("clocks");
	return sync;
}

/* Opens a trace, adds its segments, and gives what its clock's readings are counted from. */
static int64_t add_trace(struct strata_tcp_pairs *pairs, const char *path, uint32_t clock)
{
	struct strata_ctf_trace *trace = strata_ctf_trace_open(path, NULL, NULL, &error);
	int64_t base;

	if (!trace || !trace->metadata.nr_streams ||
	    strata_tcp_trace_add(pairs, trace, clock, &error))
		fail(path);
	base = trace->kinds[0].time.base_ns;
	strata_ctf_trace_close(trace);
	return base;
}

static void read_comparisons(struct check *check, const char *path, int64_t base_a, int64_t base_b)
{
	FILE *file = fopen(path, "r");
	struct comparison it;

	if (!file)
		fail(path);
	while (check->nr_comparisons < COMPARISONS_MOST &&
	       fscanf(file, "%" SCNd64 " %" SCNd64 " %" SCNd64, &it.before, &it.other, &it.after) ==
		       3) {
		it.before += base_a;
		it.other += base_b;
		it.after += base_a;
		check->comparisons[check->nr_comparisons++] = it;
		if (strata_clock_sync_between(check->by_memory, A, it.before, it.after,
					      (struct strata_clock_event){ B, it.other }, 0,
					      &error))
			fail(path);
	}
	fclose(file);
}

/* What B's clock showed, as A's, at the earliest or the latest that it can have been. */
static int64_t on_a(struct strata_clock_cursor *cursor, int64_t reading, int sign)
{
	const struct strata_clock_time time = strata_clock_convert(cursor, reading);

	return time.value + sign * (int64_t)time.bound;
}

static int take_pair(void *data, const struct strata_tcp_pair *pair)
{
	struct check *check = data;

	check->nr_pairs[pair->sent_clock]++;
	if (pair->sent_clock == A)
		check->nr_false += on_a(&check->truth, pair->received, 1) < pair->sent;
	else
		check->nr_false += on_a(&check->truth, pair->sent, -1) > pair->received;
	return strata_clock_sync_before(
		check->by_tcp, (struct strata_clock_event){ (int)pair->sent_clock, pair->sent },
		(struct strata_clock_event){ (int)pair->received_clock, pair->received }, 0, 0,
		&error);
}

static void check_comparisons(struct check *check)
{
	struct strata_clock_cursor cursor = strata_clock_cursor(check->by_tcp, B);
	uint64_t least = UINT64_MAX, greatest = 0;
	size_t i, nr_outside = 0;

	for (i = 0; i < check->nr_comparisons; i++) {
		const struct comparison *it = &check->comparisons[i];
		const struct strata_clock_time time = strata_clock_convert(&cursor, it->other);

		least = time.bound < least ? time.bound : least;
		greatest = time.bound > greatest ? time.bound : greatest;
		if (on_a(&cursor, it->other, 1) < it->before ||
		    on_a(&cursor, it->other, -1) > it->after)
			nr_outside++;
	}
	result(check, check->nr_comparisons >= COMPARISONS_LEAST && !nr_outside,
	       "the truth is within the bound whenever the clocks were compared");
	result(check, greatest <= BOUND_MOST_NS, "the bound is below 5 ms");
	printf("# %zu comparisons, %zu outside; bound from %" PRIu64 " to %" PRIu64 " ns\n",
	       check->nr_comparisons, nr_outside, least, greatest);
}

int main(int argc, char **argv)
{
	static struct check check;
	struct strata_tcp_pairs *pairs = strata_tcp_pairs_new(STRATA_TCP_SIGHTINGS);
	const struct strata_clock_sync_report *report;
	struct strata_tcp_tally tally;
	int64_t base_a, base_b;

	if (argc != 4 || !pairs) {
		fprintf(stderr, "usage: check_bound TRACE-A TRACE-B CLOCKS\n");
		return 2;
	}
	check.by_tcp = two_clocks();
	check.by_memory = two_clocks();
	base_a = add_trace(pairs, argv[1], A);
	base_b = add_trace(pairs, argv[2], B);
	read_comparisons(&check, argv[3], base_a, base_b);
	if (strata_clock_sync_solve(check.by_memory, A, &error))
		fail("comparisons");
	check.truth = strata_clock_cursor(check.by_memory, B);
	if (strata_tcp_pairs_match(pairs, take_pair, &check, &tally) ||
	    strata_clock_sync_solve(check.by_tcp, A, &error))
		fail("pairs");
	result(&check, check.nr_pairs[A] >= PAIRS_LEAST && check.nr_pairs[B] >= PAIRS_LEAST,
	       "segments are paired both ways");
	printf("# %" PRIu64 " sightings; %" PRIu64 " pairs from a, %" PRIu64 " from b\n",
	       tally.sightings, check.nr_pairs[A], check.nr_pairs[B]);
	result(&check, !check.nr_false, "no pair is false");
	report = strata_clock_sync_report(check.by_tcp, &error);
	result(&check, report && !report->nr_breaches, "the pairs do not contradict each other");
	report = strata_clock_sync_report(check.by_memory, &error);
	result(&check, report && !report->nr_breaches, "nor do the comparisons");
	check_comparisons(&check);
	printf("1..%u\n", check.nr_results);
	strata_clock_sync_free(check.by_tcp);
	strata_clock_sync_free(check.by_memory);
	strata_tcp_pairs_free(pairs);
	return 0;
}
