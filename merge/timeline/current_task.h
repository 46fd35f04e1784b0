/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * current_task.h - the task that runs on the CPU of a kernel's stream, from the last sched_switch,
 * exec or renaming on that stream.
 *
 * Unknown before the first switch, and from a loss of events to the next switch, because lost
 * events may include switches. The caller reads a stream from its beginning and passes each event
 * in order.
 */
#ifndef STRATA_MERGE_CURRENT_TASK_H
#define STRATA_MERGE_CURRENT_TASK_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/named_field.h"

#define STRATA_TASK_NAME_BYTES 64u /* Linux has 15 */

/* What events of a class say about tasks. */
struct strata_task_class {
	enum {
		STRATA_TASK_NOTHING,
		STRATA_TASK_SWITCH,
		STRATA_TASK_EXEC,   /* its name is now that of the file, without the directory */
		STRATA_TASK_RENAME, /* it gets another name */
	} tells;
	/* The task that runs from then on; for a switch also the previous one. */
	struct strata_named_field name, tid, before_name, before_tid;
};

struct strata_task {
	bool is_known;
	uint32_t tid;
	size_t bytes;
	char name[STRATA_TASK_NAME_BYTES]; /* any bytes, not terminated */
};

/* Determines what the events of a class say. Returns 1: something, 0: nothing; -1: out of
 * memory. */
int strata_task_class_find(struct strata_task_class *class,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event,
			   struct strata_ctf_arena *arena);

/* Updates the task before an event: a switch belongs to the task that it ends. @cursor: at the
 * start of the event's contexts */
void strata_task_during(struct strata_task *task, const struct strata_task_class *class,
			const struct strata_ctf_cursor *cursor);

/* Updates the task after the event. */
void strata_task_after(struct strata_task *task, const struct strata_task_class *class,
		       const struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_CURRENT_TASK_H */
