/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_remove.h - removes a recording's files from its directory, when the recorder, `strata
 * recover` or `strata import` replaces or abandons it.
 */
#ifndef STRATA_MERGE_RECORDING_REMOVE_H
#define STRATA_MERGE_RECORDING_REMOVE_H

#include "recording/recording.h"
#include "files/safe_dir.h"

/* Whether the directory contains a recording, in any state. */
bool strata_recording_is_in(const struct strata_dir *dir);

/* Removes one source's streams, metadata and directory.  Other files stay, and the directory with
 * them. */
void strata_recording_remove_source(const struct strata_dir *dir, const char *source);

/* Removes all sources that recording.json names, and that file.  0, or -1: it cannot be read. */
int strata_recording_remove(const struct strata_dir *dir, struct strata_error *error);

#endif /* STRATA_MERGE_RECORDING_REMOVE_H */
