/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_traces.h - `strata merge` of traces of any tracer, and of several recordings. */
#ifndef STRATA_STRATA_MERGE_TRACES_H
#define STRATA_STRATA_MERGE_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether there is one path, and that is a recording of Strata's. */
bool merge_is_of_recording(char *const *paths, size_t nr);

/*
 * Merges all traces that are found under the paths.
 * @tcp_map, @out, @format, @force: as on the command line; NULL: a directory with CTF and text
 * The exit status.
 */
int merge_traces(const char *tcp_map, char *const *paths, size_t nr, const char *out,
		 const char *format, bool force);

/* Makes the directory of a merge in all formats, in which nothing of an earlier one is, unless with
 * @force.  0 or -1. */
int merge_make_out(const char *out, bool force, struct strata_error *error);

#endif /* STRATA_STRATA_MERGE_TRACES_H */
