/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_directory.h - a directory of CTF traces that is about to be written, by merge or
 * convert: a new one, an empty one, or, if the user says so, the place of an earlier output.
 */
#ifndef STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H
#define STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H

#include "files/safe_dir.h"

/* In the metadata of what is written here: by this text an earlier output is known. */
#define STRATA_OUTPUT_MARK "Written by strata: --force may replace it."

/*
 * Opens the directory by the rules of safe_dir.h, and makes it if it is missing.
 * @force: an earlier output in it is removed.  Anything else is refused, and nothing is
 *         removed then
 * 0, or -1: it holds something, or cannot be made.
 */
int strata_output_directory(struct strata_dir *dir, const char *path, bool force,
			    struct strata_error *error);

/* Says that a trace of ours begins in the directory: --force may replace it also if it is
 * interrupted before it has metadata.  0 or -1. */
int strata_output_begin(const struct strata_dir *dir, struct strata_error *error);

/* Its metadata is written. */
void strata_output_end(const struct strata_dir *dir);

#endif /* STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H */
