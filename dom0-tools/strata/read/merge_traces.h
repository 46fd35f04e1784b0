/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_traces.h - `strata merge`: merges all traces and recordings under some paths into one
 * timeline. */
#ifndef STRATA_STRATA_MERGE_TRACES_H
#define STRATA_STRATA_MERGE_TRACES_H

#include <json-c/json.h>

#include "strata/read/traces_write.h"

struct merge_request {
	char *const *paths;
	size_t nr_paths;
	const char *out;
	const char *format;  /* "ctf" or "text"; NULL: a directory with both */
	const char *tcp_map; /* a file; or NULL */
	bool force;          /* replaces an earlier merge */
	struct traces_shifts shifts;
	struct write_result *result;    /* OUT, initially 0; NULL: results are printed */
	struct json_object *recordings; /* an array; with @result: gets each one's summary */
};

/* Whether there is exactly one path, and it is a recording. */
bool merge_is_of_recording(char *const *paths, size_t nr);

/* Merges, and reports the results. Returns the exit status. */
int merge_traces(const struct merge_request *request);

#endif /* STRATA_STRATA_MERGE_TRACES_H */
