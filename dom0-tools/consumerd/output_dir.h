/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_dir.h - the directory that a recording is written to: made, cleared of
 * an older recording and of nothing else, and with a little room held back for
 * the tables that are saved last.  Called by the recorder.
 */
#ifndef STRATA_CONSUMERD_OUTPUT_DIR_H
#define STRATA_CONSUMERD_OUTPUT_DIR_H

#include "error.h"

/*
 * Makes @dir ready.  An old recording in it gives way; a directory that holds
 * anything else is refused, and so is one that is being recorded into.
 * Returns a descriptor that keeps other recorders out for as long as it is open,
 * or -1.
 */
int output_dir_open(const char *dir, struct strata_error *error);

/* Makes the directory of one source.  0 or -1. */
int output_dir_add(const char *dir, const char *source, struct strata_error *error);

/* Removes what a recording holds of one source, and nothing else of its directory. */
void output_dir_remove(const char *dir, const char *source);

/* Gives the room back: before the last tables are saved, full disk or not. */
void output_dir_free_reserve(const char *dir);

#endif /* STRATA_CONSUMERD_OUTPUT_DIR_H */
