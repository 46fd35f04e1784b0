/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * written.h - merges a set of traces and writes each event with any writer (event_writer.h), using
 * several threads; the output does not depend on their number.
 */
#ifndef STRATA_MERGE_OUTPUTS_WRITTEN_H
#define STRATA_MERGE_OUTPUTS_WRITTEN_H

#include "outputs/event_writer.h"
#include "outputs/shown.h"
#include "timeline/slices.h"

struct strata_written_options {
	const char *path; /* "-": standard output */
	bool force;       /* replaces an existing file */
	/* Each of several threads buffers the output of a slice: for text, about five times
	 * slice_bytes. */
	struct strata_slice_options slices;
	/* Decides, with the number of events, whether a complete output stays: 0, or -1 with the
	 * reason why it is discarded.  NULL: it stays. */
	int (*accept)(void *data, uint64_t events, struct strata_error *error);
	void *accept_data;
};

/*
 * Writes all events that pass the set's filter.
 * @writer: the caller's; must not be used elsewhere meanwhile
 * @events: OUT, number of events written; may be NULL
 * Returns 0, or -1 with the reason: the file is incomplete, or was not accepted and is removed.
 */
int strata_written(struct strata_trace_set *set, const struct strata_shown *shown,
		   struct strata_event_writer *writer, const struct strata_written_options *options,
		   uint64_t *events, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_WRITTEN_H */
