/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels.h - names slices and assigns them to categories, which determine their colours. Internal
 * to tracks. */
#ifndef STRATA_MERGE_TRACKS_LABELS_H
#define STRATA_MERGE_TRACKS_LABELS_H

#include "tracks/tracks.h"

struct strata_labels {
	struct strata_tracks *tracks; /* receives the names and categories */
	struct strata_id_map names;   /* of spans, by the id of the named object: numbers + 1 */
	struct strata_id_map domains, requests; /* their categories + 1 */
	size_t categories_room;
	uint32_t nr_of_hue[STRATA_NR_HUES]; /* number of categories */
	bool no_memory;
};

/* Adds the categories that do not depend on the trace.  @labels: zeroed */
void strata_labels_init(struct strata_labels *labels, struct strata_tracks *tracks);

/* Returns the number of a span's name in the tracks' names. */
uint32_t strata_labels_name(struct strata_labels *labels, const struct strata_span *span);

/* Returns the number of a span's category. @name: of the span */
uint32_t strata_labels_category(struct strata_labels *labels, const struct strata_span *span,
				uint32_t name);

/* Does not free what the tracks own. */
void strata_labels_clear(struct strata_labels *labels);

#endif /* STRATA_MERGE_TRACKS_LABELS_H */
