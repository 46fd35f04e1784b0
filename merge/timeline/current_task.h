/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * current_task.h - which task runs on the CPU of a kernel's stream: what the last sched_switch,
 * exec or renaming on that stream says.
 *
 * Unknown before the first switch and from a loss of events to the next switch, for the lost ones
 * may be switches.  Somebody reads a stream from its beginning and shows each event in its order.
 */
#ifndef STRATA_MERGE_CURRENT_TASK_H
#define STRATA_MERGE_CURRENT_TASK_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/named_field.h"

#define STRATA_TASK_NAME_BYTES 64u /* Linux has 15 */

/* What events of a class tell. */
struct strata_task_class {
	enum {
		STRATA_TASK_NOTHING,
		STRATA_TASK_SWITCH,
		STRATA_TASK_EXEC,   /* it has the name of the file now, without its directory */
		STRATA_TASK_RENAME, /* it has another name */
	} tells;
	/* The task that runs from then on; and of a switch the one before. */
	struct strata_named_field name, tid, before_name, before_tid;
};

struct strata_task {
	bool is_known;
	uint32_t tid;
	size_t bytes;
	char name[STRATA_TASK_NAME_BYTES]; /* any bytes, ended by nothing */
};

/* Finds what the events of a class tell.  1: something, 0: nothing; -1: out of memory. */
int strata_task_class_find(struct strata_task_class *class,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event,
			   struct strata_ctf_arena *arena);

/* The task while an event happens: a switch is of the task that it ends.  @cursor: where the
 * event's contexts begin */
void strata_task_during(struct strata_task *task, const struct strata_task_class *class,
			const struct strata_ctf_cursor *cursor);

/* The task after the event. */
void strata_task_after(struct strata_task *task, const struct strata_task_class *class,
		       const struct strata_ctf_cursor *cursor);

#endif /* STRATA_MERGE_CURRENT_TASK_H */
