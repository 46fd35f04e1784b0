/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_directory.h - the output directory of merge or convert, for CTF traces: a new one, an
 * empty one, or, with --force, that of an earlier output.
 */
#ifndef STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H
#define STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H

#include "files/safe_dir.h"

/* This text in the metadata marks what this program has written. */
#define STRATA_OUTPUT_MARK "Written by strata: --force may replace it."

/*
 * Opens the directory by the rules of safe_dir.h, and creates it if it is missing.
 * @force: removes an earlier output in it. Anything else is refused, and nothing is removed
 * Returns 0, or -1: it is not empty, or cannot be created.
 */
int strata_output_directory(struct strata_dir *dir, const char *path, bool force,
			    struct strata_error *error);

/* Removes an output that has just been written into @path.  @made: the directory, too.  What does
 * not look like an output stays. */
void strata_output_discard(const char *path, bool made);

/* Marks the directory as the start of an output trace: --force may replace it even if it is
 * interrupted before it has metadata. Returns 0 or -1. */
int strata_output_begin(const struct strata_dir *dir, struct strata_error *error);

/* Removes the mark, after the metadata was written. */
void strata_output_end(const struct strata_dir *dir);

#endif /* STRATA_MERGE_OUTPUTS_OUTPUT_DIRECTORY_H */
