// SPDX-License-Identifier: GPL-2.0-or-later
/* task_events.c - see task_events.h; for wakeup.c. */
#include "analyses/task_events.h"

#include <string.h>

static int find_waking(struct strata_task_events *events,
		       const struct strata_ctf_stream_class *stream,
		       const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	static const struct strata_ctf_path_part pid = { .name = "pid" };
	const struct strata_ctf_type *const before[] = { stream->event_context, event->context };
	int found = 0;

	if (event->payload)
		found = strata_ctf_access_make(&events->woken_tid, arena, before, 2, 1,
					       event->payload, &pid, 1);
	if (found > 0)
		events->waking = event;
	return found;
}

static int find_switch(struct strata_task_events *events,
		       const struct strata_ctf_stream_class *stream,
		       const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	const int found = strata_task_class_find(&events->task, stream, event, arena);

	if (found > 0)
		events->switching = event;
	return found;
}

int strata_task_events_find(struct strata_task_events *events,
			    const struct strata_ctf_metadata *metadata,
			    struct strata_ctf_arena *arena)
{
	size_t i, j;

	for (i = 0; i < metadata->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &metadata->streams[i];

		for (j = 0; j < stream->nr_events; j++) {
			const struct strata_ctf_event_class *event = &stream->events[j];

			if (strcmp(event->name, "sched_waking") == 0 &&
			    find_waking(events, stream, event, arena) < 0)
				return -1;
			if (strcmp(event->name, "sched_switch") == 0 &&
			    find_switch(events, stream, event, arena) < 0)
				return -1;
		}
	}
	return 0;
}

bool strata_task_events_woken(const struct strata_task_events *events,
			      const struct strata_ctf_cursor *cursor, int32_t *tid)
{
	struct strata_ctf_cursor moved = *cursor;
	const struct strata_ctf_type *type = strata_ctf_access_go(&events->woken_tid, &moved);
	uint64_t value;

	if (!type || type->kind > STRATA_CTF_ENUM || !strata_ctf_read_number(&moved, type, &value))
		return false;
	*tid = (int32_t)value;
	return true;
}
