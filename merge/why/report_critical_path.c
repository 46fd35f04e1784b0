// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_critical_path.c - the report on the critical path of a task (critical_path.h): finds the
 * task, remembers all spans of its time, and makes tables of the path's segments.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why/answer.h"
#include "why/critical_path.h"
#include "why/matches.h"

/* Tasks listed in the message if not exactly one matches. */
#define NAMED_MAX 8u

struct named_task {
	size_t kernel;
	uint32_t tid;
	uint32_t name;
};

struct path_report {
	struct strata_report report;
	const char *kernel, *task;
	struct strata_why_names names;
	struct strata_why_recall *recall;
	struct strata_why_instance instance;
	struct named_task found[NAMED_MAX], others[NAMED_MAX];
	size_t nr_found, nr_others;
	struct strata_why_critical_path path;
	uint64_t first_ns;
	bool no_memory;
};

/* Returns the index of a task among @nr tasks; @nr: not found. */
static size_t place_of(const struct named_task *tasks, size_t nr, const struct strata_task *task)
{
	size_t i = 0;

	while (i < nr && (tasks[i].kernel != task->kernel->trace || tasks[i].tid != task->tid))
		i++;
	return i;
}

/* Returns the task's index; NAMED_MAX: too many others were found before it. */
static size_t name_task(struct path_report *report, struct named_task *tasks, size_t *nr,
			const struct strata_task *task)
{
	const size_t place = place_of(tasks, *nr, task);
	char text[STRATA_REPORT_NAME];

	if (place < *nr || place == NAMED_MAX)
		return place;
	strata_report_task_name(text, task);
	tasks[*nr] = (struct named_task){ task->kernel->trace, task->tid,
					  strata_why_names_add(&report->names, text, NULL,
							       STRATA_WHY_OWN) };
	return (*nr)++;
}

/* Checks whether a span belongs to the requested task. */
static void find_task(struct path_report *report, const struct strata_span *span)
{
	const struct strata_why_window *window = report->recall->windows;
	struct strata_why_instance *instance = &report->instance;
	const struct strata_task *task = span->task;
	const char *source = report->report.shown->sources[span->trace].name;
	const bool is_of_kernel = strata_why_source_fits(report->kernel, source);
	const bool fits = is_of_kernel && strata_why_task_fits(report->task, task);
	const uint64_t from = span->from_ns > window->from_ns ? span->from_ns : window->from_ns;
	const uint64_t to = span->to_ns < window->to_ns ? span->to_ns : window->to_ns;
	size_t place = place_of(report->found, report->nr_found, task);

	/* A task that changed its name is still the same task. */
	if (place == report->nr_found)
		place = fits ? name_task(report, report->found, &report->nr_found, task)
			     : NAMED_MAX;
	if (place != 0) {
		if (is_of_kernel && !fits)
			name_task(report, report->others, &report->nr_others, task);
		return;
	}
	if (from >= to)
		return;
	/* A time given by the user is exact. */
	if (!instance->has_task) {
		instance->from_ns = from;
		instance->from_bound_ns = from == span->from_ns ? span->from_bound_ns : 0;
	}
	instance->to_ns = to;
	instance->to_bound_ns = to == span->to_ns ? strata_span_to_bound(span) : 0;
	instance->bound_ns = strata_why_bounds(instance->from_bound_ns, instance->to_bound_ns);
	instance->has_task = true;
	instance->trace = instance->kernel = task->kernel->trace;
	instance->tid = task->tid;
	instance->task = report->found[0].name;
}

static void take(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct path_report *report = (struct path_report *)listener;

	report->recall->listener.span(&report->recall->listener, span);
	if (span->kind == STRATA_SPAN_TASK && span->task->tid)
		find_task(report, span);
}

/* "server-12 of g1, server-15 of dom0 and others" */
static const char *list(const struct path_report *report, const struct named_task *tasks, size_t nr,
			char text[600])
{
	size_t i, length = 0;

	text[0] = 0;
	for (i = 0; i < nr && length < 400; i++)
		length += (size_t)snprintf(text + length, 600 - length, "%s%.40s of %.40s",
					   i ? ", " : "",
					   strata_why_name(&report->names, tasks[i].name),
					   report->report.shown->sources[tasks[i].kernel].name);
	if (i < nr || nr == NAMED_MAX)
		snprintf(text + length, 600 - length, " and others");
	return text;
}

int strata_critical_path_check(struct strata_report *report, const struct strata_state_facts *facts,
			       struct strata_error *error)
{
	struct path_report *path = (struct path_report *)report;
	char text[600];

	path->first_ns = facts->first_ns;
	if (!facts->seen[STRATA_MEANS_SWITCH])
		return strata_fail(error,
				   "critical-path: the traces do not say when tasks run; "
				   "record that with `strata %s`",
				   strata_critical_path_kind.record);
	if (path->nr_found > 1)
		return strata_fail(error, "--task: several fit: %s; name one as KERNEL:NUMBER",
				   list(path, path->found, path->nr_found, text));
	if (!path->nr_found && !path->nr_others)
		return strata_fail(error, "--task: no kernel %s was traced",
				   path->kernel ? path->kernel : "");
	if (!path->nr_found)
		return strata_fail(error, "--task: no such task; there are: %s",
				   list(path, path->others, path->nr_others, text));
	if (!path->instance.has_task)
		return strata_fail(error, "--task: %s is not seen between --from and --to",
				   list(path, path->found, 1, text));
	return 0;
}

static void put_bound(struct strata_cell *cell, uint64_t bound_ns)
{
	if (bound_ns != UINT64_MAX)
		strata_cell_set(cell, bound_ns);
}

/* Times count from the first event of all traces. */
static void put_from(const struct path_report *report, struct strata_table *table,
		     struct strata_cell *text, struct strata_cell *ns, uint64_t from_ns)
{
	const uint64_t since = from_ns - report->first_ns;
	char words[40];

	snprintf(words, sizeof(words), "+%" PRIu64 ".%09" PRIu64, since / 1000000000,
		 since % 1000000000);
	strata_table_text(table, text, words);
	strata_cell_set(ns, from_ns);
}

/* Fills four cells: who, cause, words, behind. */
static void put_segment(const struct path_report *report, struct strata_table *table,
			struct strata_cell *cells, uint32_t who,
			const struct strata_why_step *cause, uint32_t by)
{
	char words[STRATA_WHY_WORDS];

	if (who)
		strata_table_text(table, &cells[0], strata_why_name(&report->names, who));
	strata_table_text(table, &cells[1], strata_why_key(cause->what));
	strata_table_text(table, &cells[2], strata_why_words(words, &report->names, cause));
	if (by)
		strata_table_text(table, &cells[3], strata_why_name(&report->names, by));
}

static void make_head(const struct path_report *report, struct strata_table *table)
{
	static const struct strata_table_column columns[] = {
		{ "task", "task", STRATA_CELL_TEXT },
		{ "kernel", "of", STRATA_CELL_TEXT },
		{ "from", "from", STRATA_CELL_FIGURE },
		{ "from_ns", NULL, STRATA_CELL_NS },
		{ "ns", "for", STRATA_CELL_NS },
		{ "bound_ns", "bound", STRATA_CELL_BOUND },
		{ "segments", "segments", STRATA_CELL_COUNT },
		{ "not_remembered", "spans not remembered", STRATA_CELL_COUNT },
	};
	const struct strata_why_instance *instance = &report->instance;
	struct strata_cell *row;

	strata_table_init(table, "critical_path_of", "Critical path of", columns,
			  sizeof(columns) / sizeof(columns[0]));
	row = strata_table_add(table);
	if (!row)
		return;
	strata_table_text(table, &row[0], strata_why_name(&report->names, instance->task));
	strata_table_text(table, &row[1], report->report.shown->sources[instance->kernel].name);
	put_from(report, table, &row[2], &row[3], instance->from_ns);
	strata_cell_set(&row[4], instance->to_ns - instance->from_ns);
	put_bound(&row[5], instance->bound_ns);
	strata_cell_set(&row[6], report->path.nr);
	strata_cell_set(&row[7], report->recall->not_remembered);
}

static void add_sum(const struct path_report *report, struct strata_table *table, size_t who,
		    size_t cause, size_t by)
{
	const struct strata_why_node *nodes = report->path.sums.nodes;
	const struct strata_why_node *node = &nodes[by];
	struct strata_cell *row = strata_table_add(table);

	if (!row)
		return;
	put_segment(report, table, &row[0], nodes[who].step.name, &nodes[cause].step,
		    node->step.name);
	strata_cell_set(&row[4], node->ns);
	put_bound(&row[5], node->bound_ns);
	strata_cell_set(&row[6], strata_share(node->ns, nodes[0].ns));
	strata_cell_set(&row[7], node->times);
}

static void make_sums(const struct path_report *report, struct strata_table *table)
{
	static const struct strata_table_column columns[] = {
		{ "who", "who", STRATA_CELL_TEXT },      { "cause", NULL, STRATA_CELL_TEXT },
		{ "words", "what", STRATA_CELL_TEXT },   { "behind", "behind", STRATA_CELL_TEXT },
		{ "ns", "for", STRATA_CELL_NS },         { "bound_ns", "bound", STRATA_CELL_BOUND },
		{ "share", "share", STRATA_CELL_SHARE }, { "times", "times", STRATA_CELL_COUNT },
	};
	const struct strata_why_node *nodes = report->path.sums.nodes;
	size_t who, cause, by;

	strata_table_init(table, "critical_path_sums", "Who ran or waited", columns,
			  sizeof(columns) / sizeof(columns[0]));
	for (who = report->path.sums.nr ? nodes[0].child : 0; who; who = nodes[who].next) {
		for (cause = nodes[who].child; cause; cause = nodes[cause].next) {
			for (by = nodes[cause].child; by; by = nodes[by].next)
				add_sum(report, table, who, cause, by);
		}
	}
	strata_table_sort(table, 4);
}

static void make_segments(const struct path_report *report, struct strata_table *table)
{
	static const struct strata_table_column columns[] = {
		{ "from", "from", STRATA_CELL_FIGURE },
		{ "from_ns", NULL, STRATA_CELL_NS },
		{ "ns", "for", STRATA_CELL_NS },
		{ "bound_ns", "bound", STRATA_CELL_BOUND },
		{ "share", "share", STRATA_CELL_SHARE },
		{ "wake_ups", "wake-ups", STRATA_CELL_COUNT },
		{ "who", "who", STRATA_CELL_TEXT },
		{ "cause", NULL, STRATA_CELL_TEXT },
		{ "words", "what", STRATA_CELL_TEXT },
		{ "behind", "behind", STRATA_CELL_TEXT },
	};
	const struct strata_why_instance *instance = &report->instance;
	size_t i;

	strata_table_init(table, "critical_path", "One after the other", columns,
			  sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < report->path.nr; i++) {
		const struct strata_why_segment *segment = &report->path.segments[i];
		struct strata_cell *row = strata_table_add(table);

		if (!row)
			return;
		put_from(report, table, &row[0], &row[1], segment->from_ns);
		strata_cell_set(&row[2], segment->to_ns - segment->from_ns);
		put_bound(&row[3], strata_why_bounds(segment->from_bound_ns, segment->to_bound_ns));
		strata_cell_set(&row[4], strata_share(segment->to_ns - segment->from_ns,
						      instance->to_ns - instance->from_ns));
		strata_cell_set(&row[5], segment->wake_ups);
		put_segment(report, table, &row[6], segment->who, &segment->cause, segment->by);
	}
}

static int make(struct strata_report *of, struct strata_table *tables, size_t *nr)
{
	struct path_report *report = (struct path_report *)of;

	if (strata_why_recall_finish(report->recall) ||
	    strata_why_find_critical_path(report->recall, &report->instance, &report->path))
		return -1;
	make_head(report, &tables[0]);
	make_sums(report, &tables[1]);
	make_segments(report, &tables[2]);
	*nr = 3;
	return tables[0].no_memory || tables[1].no_memory || tables[2].no_memory ||
			       report->names.no_memory
		       ? -1
		       : 0;
}

static void free_report(struct strata_report *of)
{
	struct path_report *report = (struct path_report *)of;

	strata_why_critical_path_clear(&report->path);
	strata_why_recall_free(report->recall);
	strata_why_names_clear(&report->names);
	free(report);
}

const struct strata_report_kind strata_critical_path_kind = {
	.name = "critical-path",
	.what = "what a task (--task) depended on: who ran or waited, one after the other",
	.needs = STRATA_MEANS_SWITCH,
	.record = "record --kernel 'DOMAIN:sched/*,irq/*'",
};

struct strata_report *strata_critical_path_new(const struct strata_shown *shown, const char *kernel,
					       const char *task, uint64_t from_ns, uint64_t to_ns)
{
	const struct strata_why_window window = { from_ns, to_ns };
	struct path_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->recall =
		strata_why_recall_new(&window, 1, STRATA_WHY_SPANS_MAX, shown, &report->names);
	if (!report->recall) {
		free(report);
		return NULL;
	}
	report->report = (struct strata_report){
		.listener.span = take,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.shown = shown,
		.make = make,
		.free = free_report,
	};
	report->kernel = kernel;
	report->task = task;
	return &report->report;
}
