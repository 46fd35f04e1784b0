/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * excerpt.h - a few events kept in copy, to be shown as lines of the timeline
 * when the merge is over.
 */
#ifndef STRATA_MERGE_ANALYSES_EXCERPT_H
#define STRATA_MERGE_ANALYSES_EXCERPT_H

#include <stdio.h>

#include "outputs/shown.h"

#define STRATA_EXCERPT_LINES     14u
#define STRATA_SAVED_EVENT_BYTES 256u

struct strata_saved_event {
	uint64_t ticks;
	struct strata_shown_event shown; /* its cursor points nowhere, but for its places */
	uint8_t bytes[STRATA_SAVED_EVENT_BYTES + STRATA_CTF_PADDING];
};

struct strata_excerpt {
	struct strata_saved_event lines[STRATA_EXCERPT_LINES];
	unsigned int nr;
	uint64_t omitted; /* events before the last line that found no room */
};

/* Whether the event is small enough to be kept. */
bool strata_saved_event_fits(const struct strata_lane_event *event);

/*
 * Saves an event that fits.
 * @view:   of the set that is merged
 * @stream: of the set; @reader: the stream's, as observers are handed it
 * @ticks:  of the host
 */
void strata_saved_event_set(struct strata_saved_event *saved, struct strata_shown_view *view,
			    size_t stream, struct strata_ctf_reader *reader,
			    const struct strata_lane_event *event, uint64_t ticks);

/* Adds the latest event: it is the last line; when there is no room, those before it give way.
 * One that does not fit is counted as omitted. */
void strata_excerpt_add(struct strata_excerpt *excerpt, struct strata_shown_view *view,
			size_t stream, struct strata_ctf_reader *reader,
			const struct strata_lane_event *event, uint64_t ticks);

/* Prints heading and lines, as the whole timeline has them. */
void strata_excerpt_print(const struct strata_excerpt *excerpt, const struct strata_shown *shown,
			  FILE *out);

#endif /* STRATA_MERGE_ANALYSES_EXCERPT_H */
