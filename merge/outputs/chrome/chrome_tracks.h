/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chrome_tracks.h - tracks and slices (tracks/track.h) as the JSON that Chrome's about:tracing,
 * Perfetto and others open, for small traces. The output is written as slices arrive.
 */
#ifndef STRATA_MERGE_OUTPUTS_CHROME_TRACKS_H
#define STRATA_MERGE_OUTPUTS_CHROME_TRACKS_H

#include "files/out_file.h"
#include "tracks/track.h"

struct strata_chrome_tracks;

/* @out: must outlive it; stores write errors
 * @origin_ns: origin of times
 * Returns NULL if out of memory. */
struct strata_chrome_tracks *strata_chrome_tracks_new(struct strata_out_file *out,
						      uint64_t origin_ns);

struct strata_track_sink *strata_chrome_tracks_sink(struct strata_chrome_tracks *chrome);

/* Returns 0, or -1: out of memory, the output is incomplete. */
int strata_chrome_tracks_finish(struct strata_chrome_tracks *chrome, struct strata_error *error);

void strata_chrome_tracks_free(struct strata_chrome_tracks *chrome);

#endif /* STRATA_MERGE_OUTPUTS_CHROME_TRACKS_H */
