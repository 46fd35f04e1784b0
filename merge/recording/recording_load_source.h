/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_load_source.h - loads one source of recording.json. Its JSON object is hostile: numbers
 * and names are checked.
 *
 * Called by recording_load.c, which adds the source to the recording and drops it on an error.
 */
#ifndef STRATA_MERGE_RECORDING_LOAD_SOURCE_H
#define STRATA_MERGE_RECORDING_LOAD_SOURCE_H

#include <json-c/json.h>

#include "recording/recording.h"

/* What the sources loaded so far use of the limits of a recording. */
struct recording_load {
	struct strata_recording *recording;
	size_t nr_streams;
};

/* Fills @source, the recording's last one, from @entry.  0, or -1 with the reason. */
int recording_load_source(struct recording_load *load, struct strata_source *source,
			  struct json_object *entry, struct strata_error *error);

#endif /* STRATA_MERGE_RECORDING_LOAD_SOURCE_H */
