// SPDX-License-Identifier: GPL-2.0-or-later
/* current_task.c - see current_task.h. */
#include "timeline/current_task.h"

#include <string.h>

#define COMM_BYTES 15u /* of a task's name in Linux */

int strata_task_class_find(struct strata_task_class *class,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event,
			   struct strata_ctf_arena *arena)
{
	static const struct {
		const char *event, *name;
		const char *tid; /* Strata's name of the field, and LTTng's */
		int tells;
	} forms[] = {
		{ "sched_switch", "next_comm", "next_pid|next_tid", STRATA_TASK_SWITCH },
		{ "sched_process_exec", "filename", "pid|tid", STRATA_TASK_EXEC },
		{ "task_rename", "newcomm", "pid|tid", STRATA_TASK_RENAME },
	};
	const char *colon = strrchr(event->name, ':');
	const char *name = colon ? colon + 1 : event->name;
	size_t i;

	class->tells = STRATA_TASK_NOTHING;
	for (i = 0; event->payload && i < sizeof(forms) / sizeof(forms[0]); i++) {
		const bool is_switch = forms[i].tells == STRATA_TASK_SWITCH;

		if (strcmp(name, forms[i].event) != 0)
			continue;
		if (strata_named_field_find(&class->name, stream, event, forms[i].name, arena) <
			    0 ||
		    strata_named_field_find(&class->tid, stream, event, forms[i].tid, arena) < 0 ||
		    (is_switch && (strata_named_field_find(&class->before_name, stream, event,
							   "prev_comm", arena) < 0 ||
				   strata_named_field_find(&class->before_tid, stream, event,
							   "prev_pid|prev_tid", arena) < 0)))
			return -1;
		if (class->name.is_found && class->tid.is_found &&
		    (!is_switch || (class->before_name.is_found && class->before_tid.is_found)))
			class->tells = forms[i].tells;
	}
	return class->tells != STRATA_TASK_NOTHING;
}

static bool read_tid(const struct strata_named_field *field, const struct strata_ctf_cursor *cursor,
		     uint32_t *tid)
{
	uint64_t value;

	if (!strata_named_field_number(field, cursor, &value) || value > INT32_MAX)
		return false;
	*tid = (uint32_t)value;
	return true;
}

static void set(struct strata_task *task, const struct strata_named_field *name,
		const struct strata_named_field *tid, const struct strata_ctf_cursor *cursor)
{
	const char *text = "";
	size_t bytes = 0;

	task->is_known = strata_named_field_text(name, cursor, &text, &bytes) &&
			 read_tid(tid, cursor, &task->tid);
	task->bytes = bytes < sizeof(task->name) ? bytes : sizeof(task->name);
	memcpy(task->name, text, task->bytes);
}

void strata_task_during(struct strata_task *task, const struct strata_task_class *class,
			const struct strata_ctf_cursor *cursor)
{
	if (class->tells == STRATA_TASK_SWITCH)
		set(task, &class->before_name, &class->before_tid, cursor);
}

void strata_task_after(struct strata_task *task, const struct strata_task_class *class,
		       const struct strata_ctf_cursor *cursor)
{
	const char *text, *slash;
	uint32_t tid;
	size_t bytes;

	if (class->tells == STRATA_TASK_NOTHING)
		return;
	if (class->tells == STRATA_TASK_SWITCH) {
		set(task, &class->name, &class->tid, cursor);
		return;
	}
	/* Other events may be about any task. */
	if (!task->is_known || !read_tid(&class->tid, cursor, &tid) || tid != task->tid)
		return;
	task->is_known = strata_named_field_text(&class->name, cursor, &text, &bytes);
	if (!task->is_known)
		return;
	slash = class->tells == STRATA_TASK_EXEC ? memrchr(text, '/', bytes) : NULL;
	if (slash) {
		bytes -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	task->bytes = bytes < COMM_BYTES ? bytes : COMM_BYTES;
	memcpy(task->name, text, task->bytes);
}
