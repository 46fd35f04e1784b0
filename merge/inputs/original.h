/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * original.h - checks that a recording has what a copy of one of its sources has, so that nothing
 * is lost if only the recording is shown.
 */
#ifndef STRATA_MERGE_INPUTS_ORIGINAL_H
#define STRATA_MERGE_INPUTS_ORIGINAL_H

#include "host/recording_traces.h"

/* Whether a source has packets of each stream of its copy, according to the recording's table.
 * @error: OUT, what it lacks */
bool strata_original_has_streams(const struct strata_source *source,
				 const struct strata_ctf_trace *copy, struct strata_error *error);

/*
 * Whether the files of a source have all packets of the recording's table, and can be shown. Reads
 * the headers of its packets, and no event.
 * @raw:   path of the recording
 * @error: OUT, what is wrong
 */
bool strata_original_is_whole(struct strata_recording_traces *recording, const char *raw,
			      size_t source, struct strata_error *error);

#endif /* STRATA_MERGE_INPUTS_ORIGINAL_H */
