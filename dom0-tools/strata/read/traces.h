/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces.h - opens the traces that a command line names, for all verbs that read traces. */
#ifndef STRATA_STRATA_TRACES_H
#define STRATA_STRATA_TRACES_H

#include "inputs/find.h"
#include "inputs/machines.h"
#include "host/recording_traces.h"
#include "base/progress.h"
#include "strata/read/progress_line.h"
#include "strata/read/traces_symbols.h"
#include "timeline/slices.h"

struct strata_filter;

#define COMPLAINTS_MAX 100u /* limit of messages */

struct traces {
	const char *verb;                   /* the prefix of messages */
	const struct traces_shifts *shifts; /* or NULL */
	struct strata_inputs inputs;
	struct strata_trace_set set;
	/* Strata recordings, whose sources are in the set */
	struct strata_recording_traces **recordings;
	size_t nr_recordings;
	struct strata_machines machines; /* the machines, by clock */
	struct traces_symbols symbols;
	struct progress_line line; /* its lock also guards the complaints of reading threads */
	struct strata_progress progress;
	bool is_silent;                /* an earlier pass has reported all damage */
	unsigned int complaints;       /* number shown, or suppressed */
	uint64_t told[COMPLAINTS_MAX]; /* ids of the first ones */
};

#define TRACES_SHIFTS_MAX 16u

/* Sources of recordings to shift in time, to test the checks. */
struct traces_shift {
	char source[80];
	int64_t ticks;
};

struct traces_shifts {
	struct traces_shift of[TRACES_SHIFTS_MAX];
	size_t nr;
};

/*
 * Opens everything found under @paths. Inputs that cannot be opened are reported and left out.
 * @tcp_map: a file with rules for events about TCP; NULL: only the built-in rules
 * @shifts:  for each recording; NULL: none
 * Returns 0, or -1 with @error: nothing is left, or a recording has no such source. The caller must
 * close the traces in either case.
 */
int traces_open(struct traces *traces, const char *verb, const char *tcp_map,
		const struct traces_shifts *shifts, char *const *paths, size_t nr,
		struct strata_error *error);

void traces_close(struct traces *traces);

/*
 * Ends a verb: prints @error (NULL: nothing) if @status is negative, and closes the traces.
 * @status: 0; 1: failed, which was reported; -1: failed
 * Returns the exit status.
 */
int traces_finish(struct traces *traces, int status, const struct strata_error *error);

/* Reports a wrong command line. @which: the wrong argument, or NULL. Returns the exit status. */
int traces_wrong(const char *verb, const char *what, const char *which);

/* Prints a warning, which also changes the exit status; @data are the traces. */
void traces_complain(void *data, const char *message);

/* Prints a remark, which does not change the exit status; @data are the traces. */
void traces_remark(void *data, const char *message);

/* Begins to show progress, as a share of @bytes; traces_progress_end() ends it. */
void traces_progress_begin(struct traces *traces, uint64_t bytes);
void traces_progress_end(struct traces *traces);

/* To be called before the traces are read again: resets their tallies, and suppresses repeated
 * messages. */
void traces_read_again(struct traces *traces);

/* Returns the sum over the streams of a trace: see strata_recording_tally(). */
struct strata_ctf_tally traces_tally(const struct traces *traces, size_t trace);

/* The same, of all traces together. */
struct strata_ctf_tally traces_tally_all(const struct traces *traces);

/* Reports the losses of the streams, according to their tracers.
 * @filter: only for streams in which an event may match; NULL: for all */
void traces_say_losses(const struct traces *traces, const struct strata_filter *filter);

/* Returns the default number of threads for a merge: the number of CPUs. */
unsigned int traces_threads(void);

#endif /* STRATA_STRATA_TRACES_H */
