/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * excerpt.h - a few events kept in copy, to be shown as lines of the timeline
 * when the merge is over.
 */
#ifndef STRATA_MERGE_ANALYSES_EXCERPT_H
#define STRATA_MERGE_ANALYSES_EXCERPT_H

#include <stdio.h>

#include "host/merger.h"

#define STRATA_EXCERPT_LINES       14u
#define STRATA_SAVED_PAYLOAD_BYTES 192u

struct strata_saved_event {
	struct strata_timeline_event event; /* its context and payload point nowhere */
	uint8_t context[8];
	uint8_t payload[STRATA_SAVED_PAYLOAD_BYTES];
};

struct strata_excerpt {
	struct strata_saved_event lines[STRATA_EXCERPT_LINES];
	unsigned int nr;
	uint64_t omitted; /* events before the last line that found no room */
};

/* Whether the event's payload is small enough to be kept. */
bool strata_saved_event_fits(const struct strata_timeline_event *event);

/* @event fits. */
void strata_saved_event_set(struct strata_saved_event *saved,
			    const struct strata_timeline_event *event);

/* Adds the latest event: it is the last line; when there is no room, those before it give way.
 * One that does not fit is counted as omitted. */
void strata_excerpt_add(struct strata_excerpt *excerpt, const struct strata_timeline_event *event);

/* Prints heading and lines, with times as in the whole timeline. */
void strata_excerpt_print(const struct strata_excerpt *excerpt, const struct strata_merge *merge,
			  FILE *out);

#endif /* STRATA_MERGE_ANALYSES_EXCERPT_H */
