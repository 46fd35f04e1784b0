/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traces_write.h - merges traces and writes them in other formats, for `strata view`, `convert`,
 * `merge`. */
#ifndef STRATA_STRATA_TRACES_WRITE_H
#define STRATA_STRATA_TRACES_WRITE_H

#include "outputs/shown.h"
#include "strata/read/host_checks.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"

/* Whether there is such a format. */
bool write_format_known(const char *format);

/* Creates the writer of that format. @first_ns: of all events. NULL: out of memory. */
struct strata_event_writer *write_make_writer(const struct write_options *options,
					      uint64_t first_ns);

/* Binds the options' filter to a set, whose sources have the displayed names. Returns 0 or -1. */
int write_bind_filter(const struct write_options *options, const struct strata_trace_set *set,
		      const struct strata_shown *shown, struct strata_error *error);

/* What is known of the writing, for a verb that reports it as JSON. */
struct write_result {
	uint64_t events;               /* that were written */
	struct strata_ctf_tally tally; /* of all that was read */
	struct strata_error error;     /* why it failed; empty: it did not */
};

/* The traces to write, and the output format. */
struct write_job {
	const char *verb;
	const struct write_options *form;
	const struct write_options *ctf; /* CTF to write in the same pass; NULL: none */
	char *const *paths;
	size_t nr;
	const struct traces_shifts *shifts; /* or NULL */
	struct write_result *result;        /* OUT, initially 0; NULL: a failure is printed */
	/* Called when everything was written, with the results for recordings; may be NULL.
	 * Returns 0, or -1: it failed. */
	int (*done)(const struct write_job *job, const struct host_checks *checks, uint64_t events,
		    struct strata_error *error);
};

/* Prints why the job failed, or leaves it in the job's result. */
void write_failed(const struct write_job *job, const struct strata_error *error);

/* Opens, merges, writes, and reports errors. Returns the exit status. */
int write_traces(const struct write_job *job);

#endif /* STRATA_STRATA_TRACES_WRITE_H */
