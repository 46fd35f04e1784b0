/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_remove.h - what a recording consists of in its directory, for whoever replaces or
 * gives up one: the recorder, `strata recover`, `strata import`.
 */
#ifndef STRATA_MERGE_RECORDING_REMOVE_H
#define STRATA_MERGE_RECORDING_REMOVE_H

#include "recording/recording.h"
#include "files/safe_dir.h"

/* Whether a recording is there, whatever its state. */
bool strata_recording_is_in(const struct strata_dir *dir);

/* Removes the directory of one source with its streams and metadata; what else is in it stays, and
 * so does the directory then. */
void strata_recording_remove_source(const struct strata_dir *dir, const char *source);

/* Removes all sources that recording.json names, and that file.  0, or -1: it cannot be read. */
int strata_recording_remove(const struct strata_dir *dir, struct strata_error *error);

#endif /* STRATA_MERGE_RECORDING_REMOVE_H */
