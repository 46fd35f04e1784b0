/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture.h - many threads on the rings of few CPUs, and a reader that may not
 * be up to it.
 *
 * A thread asks which CPU it is on and writes to that CPU's ring; before it
 * commits it may have been moved to another CPU, stopped for the others' sake,
 * or interrupted by signals whose handlers write, too.  Every record carries
 * (level, number), where a level is a thread at a depth of nesting; the books
 * (record_audit.h) say what became of each.  Counters begin just below their wrap.
 */
#ifndef STRATA_TESTS_TORTURE_H
#define STRATA_TESTS_TORTURE_H

#include <strata/ring_state.h>

#define TORTURE_THREADS_MAX 8u
#define TORTURE_DEPTH_MAX   5u /* a thread, and signals nested four deep */
#define TORTURE_RINGS_MAX   4u

enum torture_reader {
	READER_STEADY,   /* a thread that takes what there is */
	READER_SLOW,     /* ... and stops again and again, for longer than the rings last */
	READER_VANISHES, /* a process that is killed with a sub-buffer in its hands; then the next
			  */
};

struct torture_plan {
	const char *name;
	unsigned int share; /* of all events, in hundredths */
	unsigned int threads;
	unsigned int rings;
	unsigned int depth; /* 1: without signals */
	struct strata_ring_geometry geo;
	unsigned int flush_every; /* one record in so many, by each thread; 0: no flush */
	bool overwrite;
	enum torture_reader reader;
};

/* What a run did, if there was no error. */
struct torture_report {
	uint64_t attempts, found, lost, packets;
	uint64_t at_depth[TORTURE_DEPTH_MAX];
	uint64_t moves;   /* of threads to another CPU */
	uint64_t readers; /* that vanished */
	uint64_t wraps;   /* rings whose counters wrapped */
	double seconds;
	double cpu_seconds; /* of writers and reader together */
	unsigned long errors;
	char first_error[256];
};

/*
 * Runs @plan until its threads have tried to write @events records between them
 * (and their signals' handlers some more).  @seed decides sizes, moves and signals.
 */
void torture_run(const struct torture_plan *plan, uint64_t events, uint32_t seed,
		 struct torture_report *report);

#endif /* STRATA_TESTS_TORTURE_H */
