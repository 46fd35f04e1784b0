/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels.h - names slices, and sorts them into categories, which give them their colours.  Internal
 * to tracks. */
#ifndef STRATA_MERGE_TRACKS_LABELS_H
#define STRATA_MERGE_TRACKS_LABELS_H

#include "tracks/tracks.h"

struct strata_labels {
	struct strata_tracks *tracks;           /* gets the names and categories */
	struct strata_id_map names;             /* of spans, by ids of what they are: numbers + 1 */
	struct strata_id_map domains, requests; /* their categories + 1 */
	size_t categories_room;
	uint32_t nr_of_hue[STRATA_NR_HUES]; /* categories */
	bool no_memory;
};

/* Adds the categories that do not depend on the trace.  @labels: zeroed */
void strata_labels_init(struct strata_labels *labels, struct strata_tracks *tracks);

/* The number of a span's name, of those of the tracks. */
uint32_t strata_labels_name(struct strata_labels *labels, const struct strata_span *span);

/* The number of a span's category.  @name: of the span */
uint32_t strata_labels_category(struct strata_labels *labels, const struct strata_span *span,
				uint32_t name);

/* Does not free what the tracks got. */
void strata_labels_clear(struct strata_labels *labels);

#endif /* STRATA_MERGE_TRACKS_LABELS_H */
