// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain.c - an application that writes events as fast as it can: drain SECONDS SIZE,
 * where SIZE is `small` (8 bytes of fields) or `large` (512).  Its one thread keeps to the
 * last CPU, and leaves the others to the recorder.  For drain.sh.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strata/tracepoint.h>

#define BETWEEN_LOOKS 1000u /* events, from one look at the clock to the next */

STRATA_EVENT(strata_drain, small, strata_u64(number));
STRATA_EVENT(strata_drain, large, strata_u64(number), strata_array_u64(words, 63));

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t words[63] = { 0 }, number = 0, end;
	cpu_set_t last;
	double until;
	int large;

	if (argc != 3) {
		fprintf(stderr, "drain: call it as: drain SECONDS small|large\n");
		return 1;
	}
	large = strcmp(argv[2], "large") == 0;
	CPU_ZERO(&last);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	for (until = now_s() + atof(argv[1]); now_s() < until;)
		for (end = number + BETWEEN_LOOKS; number < end; number++)
			if (large)
				STRATA_TRACE(strata_drain, large, number, words);
			else
				STRATA_TRACE(strata_drain, small, number);
	return 0;
}
