/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * written.h - merges a set of traces and writes one piece for each event, by any
 * writer (event_writer.h), with several threads; what comes out is the same whatever
 * their number.
 */
#ifndef STRATA_MERGE_OUTPUTS_WRITTEN_H
#define STRATA_MERGE_OUTPUTS_WRITTEN_H

#include "outputs/event_writer.h"
#include "outputs/shown.h"
#include "timeline/slices.h"

struct strata_written_options {
	const char *path; /* "-": standard output */
	bool force;       /* a file that is there is replaced */
	/* With several threads, each holds what comes of a slice: of text about five times
	 * slice_bytes. */
	struct strata_slice_options slices;
};

/*
 * Writes all events that the set's filter leaves.
 * @writer: the caller's; not used by anybody else meanwhile
 * @events: OUT, how many were written; may be NULL
 * 0; -1 with the reason, the file is incomplete.
 */
int strata_written(struct strata_trace_set *set, const struct strata_shown *shown,
		   struct strata_event_writer *writer, const struct strata_written_options *options,
		   uint64_t *events, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_WRITTEN_H */
