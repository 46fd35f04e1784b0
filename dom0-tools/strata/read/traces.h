/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces.h - the traces that a command line names, opened; shared by the verbs that read them. */
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

#define COMPLAINTS_MAX 100u /* that are shown */

struct traces {
	const char *verb;                   /* that complaints begin with */
	const struct traces_shifts *shifts; /* or NULL */
	struct strata_inputs inputs;
	struct strata_trace_set set;
	struct strata_recording_traces **recordings; /* of Strata's own, whose sources are in it */
	size_t nr_recordings;
	struct strata_machines machines; /* whose clocks they have */
	struct traces_symbols symbols;
	struct progress_line line; /* its lock also guards the complaints of reading threads */
	struct strata_progress progress;
	bool is_silent;                /* an earlier pass has reported what is wrong */
	unsigned int complaints;       /* number shown, or suppressed */
	uint64_t told[COMPLAINTS_MAX]; /* ids of the first ones */
};

#define TRACES_SHIFTS_MAX 16u

/* Sources of recordings that are moved in time, to see checks fail. */
struct traces_shift {
	char source[80];
	int64_t ticks;
};

struct traces_shifts {
	struct traces_shift of[TRACES_SHIFTS_MAX];
	size_t nr;
};

/*
 * Opens everything that is found under @paths.  What cannot be opened is named and left out.
 * @tcp_map: a file with rules for events that tell of TCP; NULL: the built-in ones alone
 * @shifts:  for each recording; NULL: none
 * 0, or -1 with @error: nothing is left, or a recording has no such source.  To be closed in any
 * case.
 */
int traces_open(struct traces *traces, const char *verb, const char *tcp_map,
		const struct traces_shifts *shifts, char *const *paths, size_t nr,
		struct strata_error *error);

void traces_close(struct traces *traces);

/*
 * Ends a verb that answered from the traces: prints @error if @status is negative, and closes them.
 * @status: 0; 1: failed, which was reported; -1: failed
 * Returns the exit status.
 */
int traces_finish(struct traces *traces, int status, const struct strata_error *error);

/* Reports a wrong command line of a verb.  @which: the argument that is wrong, or NULL.  Returns
 * the exit status. */
int traces_wrong(const char *verb, const char *what, const char *which);

/* Says what is wrong, which the exit status tells, too; @data are the traces. */
void traces_complain(void *data, const char *message);

/* Says something that is worth knowing, and not wrong; @data are the traces. */
void traces_remark(void *data, const char *message);

/* Begins to show progress, as a share of @bytes; traces_progress_end() ends it. */
void traces_progress_begin(struct traces *traces, uint64_t bytes);
void traces_progress_end(struct traces *traces);

/* Before the traces are read once more: their tallies count once, and what is wrong was said. */
void traces_read_again(struct traces *traces);

/* The sum over the streams of a trace: strata_recording_tally(). */
struct strata_ctf_tally traces_tally(const struct traces *traces, size_t trace);

/* Says what is missing of the streams, as their tracers say.
 * @filter: only of those that it may leave events of; NULL: of all */
void traces_say_losses(const struct traces *traces, const struct strata_filter *filter);

/* How many threads to merge with if nobody says: as many as there are CPUs. */
unsigned int traces_threads(void);

#endif /* STRATA_STRATA_TRACES_H */
