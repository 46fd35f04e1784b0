/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_tracks.h - tracks and slices (tracks/track.h) as a trace for Perfetto
 * (https://ui.perfetto.dev), written as they arrive.
 */
#ifndef STRATA_MERGE_OUTPUTS_PERFETTO_TRACKS_H
#define STRATA_MERGE_OUTPUTS_PERFETTO_TRACKS_H

#include "files/out_file.h"
#include "tracks/track.h"

struct strata_perfetto_tracks;

/* @out: must outlive it; stores write errors. NULL: out of memory. */
struct strata_perfetto_tracks *strata_perfetto_tracks_new(struct strata_out_file *out);

struct strata_track_sink *strata_perfetto_tracks_sink(struct strata_perfetto_tracks *perfetto);

/* Returns 0, or -1: out of memory, the output is incomplete. */
int strata_perfetto_tracks_finish(struct strata_perfetto_tracks *perfetto,
				  struct strata_error *error);

void strata_perfetto_tracks_free(struct strata_perfetto_tracks *perfetto);

#endif /* STRATA_MERGE_OUTPUTS_PERFETTO_TRACKS_H */
