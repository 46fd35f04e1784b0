// SPDX-License-Identifier: GPL-2.0-or-later
/* task_columns.c - see task_columns.h. */
#include "sql/task_columns.h"

#include <stdlib.h>

#include "filter/filter_binder.h"

/* The event's own context takes precedence, then its stream's, then its packet's. */
static void bind_tid(struct strata_binder *binder, struct bound_operand *bound)
{
	static const char *const names[] = { "tid", "vtid" };
	const struct strata_operand other = { .value.kind = STRATA_VALUE_INTEGER };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct strata_ctf_path_part *part =
			strata_ctf_arena_get(binder->arena, 1, sizeof(*part));
		struct strata_operand operand = { .kind = STRATA_OPERAND_CONTEXT,
						  .parts = part,
						  .nr_parts = 1 };

		binder->no_memory |= !part;
		if (!part)
			return;
		part->name = names[i];
		strata_bind_operand(binder, &operand, &other, bound);
		if (bound->kind != BOUND_CONSTANT)
			return;
	}
	if (binder->tasks)
		bound->kind = BOUND_TASK_NUMBER;
}

static int bind_class(struct strata_binder *binder, const struct strata_ctf_event_class *event,
		      struct sql_task_class *class)
{
	const struct strata_operand text = { .value.kind = STRATA_VALUE_PATTERN };
	struct strata_operand process = { .kind = STRATA_OPERAND_ATTRIBUTE,
					  .attribute = STRATA_ATTRIBUTE_PROCESS };

	binder->class = event;
	strata_bind_operand(binder, &process, &text, &class->process);
	bind_tid(binder, &class->tid);
	return binder->no_memory ? -1 : 0;
}

static int bind_stream(struct sql_tasks *tasks, struct strata_binder *binder, size_t trace,
		       size_t at)
{
	const struct strata_ctf_stream_class *stream = &binder->trace->metadata.streams[at];
	struct strata_task_class some;
	bool has_switch = false;
	size_t i;

	binder->kind = &binder->trace->kinds[at];
	for (i = 0; strcmp(binder->place->layer, "kernel") == 0 && i < stream->nr_events; i++) {
		struct strata_task_class *tells =
			&tasks->classes[trace][stream->events[i].index].tells;

		if (strata_task_class_find(tells, stream, &stream->events[i], binder->arena) < 0)
			return -1;
		has_switch |= tells->tells == STRATA_TASK_SWITCH;
	}
	binder->tasks = has_switch ? &some : NULL;
	for (i = 0; i < stream->nr_events; i++) {
		if (bind_class(binder, &stream->events[i],
			       &tasks->classes[trace][stream->events[i].index]))
			return -1;
	}
	return 0;
}

struct sql_tasks *sql_tasks_new(const struct strata_sql *sql)
{
	const struct strata_trace_set *set = sql->options.set;
	struct strata_binder binder = { .set = set };
	struct sql_tasks *tasks = calloc(1, sizeof(*tasks));
	size_t i, j;

	if (!tasks)
		return NULL;
	tasks->arena = binder.arena = strata_ctf_arena_new(SIZE_MAX);
	if (tasks->arena)
		tasks->classes =
			strata_ctf_arena_get(tasks->arena, set->nr_traces, sizeof(*tasks->classes));
	for (i = 0; tasks->classes && i < set->nr_traces; i++) {
		binder.trace = set->traces[i];
		binder.name = sql->sources[i];
		tasks->classes[i] = strata_ctf_arena_get(
			tasks->arena, binder.trace->metadata.nr_events, sizeof(**tasks->classes));
		if (!tasks->classes[i])
			goto no_memory;
		for (j = 0; j < binder.trace->metadata.nr_streams; j++) {
			binder.place = &sql->options.shown->places[i][j];
			if (bind_stream(tasks, &binder, i, j))
				goto no_memory;
		}
	}
	if (tasks->classes)
		return tasks;
no_memory:
	sql_tasks_free(tasks);
	return NULL;
}

static bool is_of_task(const struct bound_operand *bound)
{
	return bound->kind == BOUND_TASK_NAME || bound->kind == BOUND_TASK_NUMBER;
}

bool sql_tasks_are_followed(const struct strata_sql *sql, const struct sql_table *table)
{
	const struct strata_trace_set *set = sql->options.set;
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		for (j = 0; j < set->traces[i]->metadata.nr_events; j++) {
			const struct sql_task_class *class = &sql->tasks->classes[i][j];

			if ((!table->event || sql->catalog.classes[i][j].table == table) &&
			    (is_of_task(&class->process) || is_of_task(&class->tid)))
				return true;
		}
	}
	return false;
}

void sql_tasks_free(struct sql_tasks *tasks)
{
	if (!tasks)
		return;
	strata_ctf_arena_free(tasks->arena);
	free(tasks);
}
