/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.h - relates a shown event to the previous one: the time between them, and whether their
 * order is uncertain. */
#ifndef STRATA_MERGE_OUTPUTS_FOLLOW_H
#define STRATA_MERGE_OUTPUTS_FOLLOW_H

#include "outputs/event_writer.h"

/* The last event before another. */
struct strata_shown_last {
	bool any;
	uint64_t ns;
	uint64_t bound_ns;
	size_t clock_group;
};

static inline struct strata_shown_last strata_shown_last_of(const struct strata_shown_event *event)
{
	return (struct strata_shown_last){ true, event->ns, event->bound_ns, event->clock_group };
}

static inline void strata_shown_follow(struct strata_shown_event *event,
				       const struct strata_shown_last *last)
{
	const uint64_t since = event->ns - last->ns;

	/* It does not follow the event shown above it. */
	if (event->late) {
		event->is_first = event->unordered = false;
		event->previous_ns = event->ns;
		return;
	}
	event->is_first = !last->any;
	event->previous_ns = last->any ? last->ns : event->ns;
	/* Events of one clock are ordered by it. */
	event->unordered = last->any && event->clock_group != last->clock_group &&
			   event->bound_ns != UINT64_MAX && last->bound_ns != UINT64_MAX &&
			   (since < event->bound_ns || since - event->bound_ns < last->bound_ns);
}

#endif /* STRATA_MERGE_OUTPUTS_FOLLOW_H */
