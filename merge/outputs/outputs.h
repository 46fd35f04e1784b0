/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outputs.h - what a merged timeline can be written as. */
#ifndef STRATA_MERGE_OUTPUTS_OUTPUTS_H
#define STRATA_MERGE_OUTPUTS_OUTPUTS_H

#include "merger.h"

/* One CTF 1.8 trace in the directory @dir, which is made, or emptied if it holds an earlier
 * merge.  NULL with the reason. */
struct strata_sink *strata_ctf_output_new(const struct strata_merge *merge, const char *dir,
					  struct strata_error *error);

/* A line for each event; @path "-" is standard output.  NULL with the reason. */
struct strata_sink *strata_text_output_new(const struct strata_merge *merge, const char *path,
					   struct strata_error *error);

struct json_object;

/* The summary of a merge that has run; the caller's. */
struct json_object *strata_summary_to_json(const struct strata_merge *merge);

/* Writes DIR/summary.json of a merge that has run.  0 or -1. */
int strata_summary_save(const struct strata_merge *merge, const char *dir,
			struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_OUTPUTS_H */
