// SPDX-License-Identifier: GPL-2.0-or-later
/* current_task.c - see current_task.h. */
#include "timeline/current_task.h"

#include <string.h>

#define COMM_BYTES 15u /* of a task's name in Linux */

/* Finds the first of the fields; false: it has none, or there is no memory. */
static bool find(struct strata_ctf_access *access, const struct strata_ctf_stream_class *stream,
		 const struct strata_ctf_event_class *event, const char *name, const char *other,
		 struct strata_ctf_arena *arena, bool *no_memory)
{
	const struct strata_ctf_type *const before[] = { stream->event_context, event->context };
	const char *const names[] = { name, other };
	size_t i;

	for (i = 0; i < 2 && names[i]; i++) {
		/* The way keeps it. */
		struct strata_ctf_path_part *part = strata_ctf_arena_get(arena, 1, sizeof(*part));
		int found = -1;

		if (part) {
			part->name = names[i];
			found = strata_ctf_access_make(access, arena, before, 2, 1, event->payload,
						       part, 1);
		}
		*no_memory |= found < 0;
		if (found)
			return found > 0;
	}
	return false;
}

int strata_task_class_find(struct strata_task_class *class,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event,
			   struct strata_ctf_arena *arena)
{
	static const struct {
		const char *event, *name;
		const char *tid, *other_tid; /* Strata's name of the field, and LTTng's */
		int tells;
	} forms[] = {
		{ "sched_switch", "next_comm", "next_pid", "next_tid", STRATA_TASK_SWITCH },
		{ "sched_process_exec", "filename", "pid", "tid", STRATA_TASK_EXEC },
		{ "task_rename", "newcomm", "pid", "tid", STRATA_TASK_RENAME },
	};
	const char *colon = strrchr(event->name, ':');
	const char *name = colon ? colon + 1 : event->name;
	bool no_memory = false;
	size_t i;

	class->tells = STRATA_TASK_NOTHING;
	for (i = 0; event->payload && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(name, forms[i].event) != 0 ||
		    !find(&class->name, stream, event, forms[i].name, NULL, arena, &no_memory) ||
		    !find(&class->tid, stream, event, forms[i].tid, forms[i].other_tid, arena,
			  &no_memory))
			continue;
		if (forms[i].tells == STRATA_TASK_SWITCH &&
		    (!find(&class->before_name, stream, event, "prev_comm", NULL, arena,
			   &no_memory) ||
		     !find(&class->before_tid, stream, event, "prev_pid", "prev_tid", arena,
			   &no_memory)))
			continue;
		class->tells = forms[i].tells;
	}
	if (no_memory)
		return -1;
	return class->tells != STRATA_TASK_NOTHING;
}

static bool read_text(const struct strata_ctf_access *access, struct strata_ctf_cursor cursor,
		      const char **text, size_t *bytes)
{
	const struct strata_ctf_type *type = strata_ctf_access_go(access, &cursor);
	uint64_t length;

	if (!type || type->encoding != STRATA_CTF_UTF8)
		return false;
	if (type->kind == STRATA_CTF_STRING) {
		if (!strata_ctf_read_string(&cursor, type, text, &length))
			return false;
		*bytes = length;
		return true;
	}
	if (!strata_ctf_is_text(type) || !strata_ctf_read_length(&cursor, type, &length) ||
	    cursor.at % 8 != 0)
		return false;
	*text = (const char *)cursor.bytes + cursor.at / 8;
	*bytes = strnlen(*text, length);
	return true;
}

static bool read_tid(const struct strata_ctf_access *access, struct strata_ctf_cursor cursor,
		     uint32_t *tid)
{
	const struct strata_ctf_type *type = strata_ctf_access_go(access, &cursor);
	uint64_t value;

	if (!type || type->kind > STRATA_CTF_ENUM ||
	    !strata_ctf_read_number(&cursor, type, &value) || value > INT32_MAX)
		return false;
	*tid = (uint32_t)value;
	return true;
}

static void set(struct strata_task *task, const struct strata_ctf_access *name,
		const struct strata_ctf_access *tid, const struct strata_ctf_cursor *cursor)
{
	const char *text = "";
	size_t bytes = 0;

	task->is_known = read_text(name, *cursor, &text, &bytes) &&
			 read_tid(tid, *cursor, &task->tid);
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
	/* Others tell of any task. */
	if (!task->is_known || !read_tid(&class->tid, *cursor, &tid) || tid != task->tid)
		return;
	task->is_known = read_text(&class->name, *cursor, &text, &bytes);
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
