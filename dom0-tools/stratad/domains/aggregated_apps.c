// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * aggregated_apps.c - see aggregated_apps.h.
 *
 * Each process has its words of now and of the look before.  When it ends, both are added to those
 * of the program's ended processes; so what is new since the look before stays exact.
 */
#include "stratad/domains/aggregated_apps.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/aggregate.h>

#include "consumerd/apps/app_tables.h"
#include "stratad/domains/counted_programs.h"
#include "stratad/select/select_kernel.h"

struct counted_process {
	struct counted_process *next;
	struct counted_program *program;
	struct app *app;
	struct principal *who;
	bool unreadable;
	uint16_t *event_of; /* by the process's ids */
	size_t nr_known;
	struct counted_sum sum;
	uint64_t others[STRATA_AGGREGATE_OTHERS];
};

static bool of_times(const struct aggregated_apps *all)
{
	return all->spec.kind == STRATA_AGGREGATE_TIME;
}

/* Grows a sum to @words words.  0 or -1. */
static int grow(struct counted_sum *sum, size_t nr, struct strata_error *error)
{
	uint64_t *words;

	if (nr <= sum->nr)
		return 0;
	words = reallocarray(sum->now, nr, sizeof(*words));
	if (words)
		sum->now = words;
	if (words)
		words = reallocarray(sum->before, nr, sizeof(*words));
	if (!words)
		return strata_fail(error, "out of memory");
	sum->before = words;
	memset(sum->now + sum->nr, 0, (nr - sum->nr) * sizeof(*words));
	memset(sum->before + sum->nr, 0, (nr - sum->nr) * sizeof(*words));
	sum->nr = nr;
	return 0;
}

static void free_sum(struct counted_sum *sum)
{
	free(sum->now);
	free(sum->before);
}

/* Adds up words of one row each, or of the one row of times. */
static void add_words(const struct aggregated_apps *all, uint64_t *to, const uint64_t *from,
		      size_t nr)
{
	size_t i;

	if (of_times(all)) {
		strata_aggregate_add(STRATA_AGGREGATE_TIME, to, (const unsigned long *)from);
		return;
	}
	for (i = 0; i < nr; i++)
		strata_aggregate_add(STRATA_AGGREGATE_COUNT, &to[i],
				     (const unsigned long *)&from[i]);
}

int aggregated_apps_open(struct aggregated_apps *all, const struct aggregate_choice *what,
			 struct strata_error *error)
{
	all->what = what;
	all->spec = strata_app_spec(what->kind);
	all->shown = all->spec;
	all->shown.by_owner = what->by_process;
	all->principals = principals_new();
	return all->principals ? 0 : strata_fail(error, "out of memory");
}

void aggregated_apps_choose(const struct aggregated_apps *all,
			    const struct app_selection *selection, const struct app *app,
			    struct event_set *events, struct event_set *ends)
{
	size_t i;

	if (!of_times(all)) {
		select_app_events(selection, app, events);
		return;
	}
	for (i = 0; i < app->nr_events; i++) {
		if (select_matches_event(all->what->begin, app->events[i]))
			event_set_add(events, i);
		if (select_matches_event(all->what->end, app->events[i]))
			event_set_add(ends, i);
	}
	if (event_set_count(events) && event_set_count(ends))
		return;
	memset(events, 0, sizeof(*events));
	memset(ends, 0, sizeof(*ends));
}

struct counted_process *aggregated_apps_begin(struct aggregated_apps *all, struct app *app,
					      struct principal *who, struct strata_error *error)
{
	struct counted_program *program = counted_program_of(all, app, who, error);
	struct counted_process *process, **place = &all->processes;

	if (!program)
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	process->program = program;
	process->app = app;
	process->who = who;
	while (*place)
		place = &(*place)->next;
	*place = process;
	return process;
}

int aggregated_apps_learn(struct aggregated_apps *all, struct counted_process *process,
			  struct principal *who, struct strata_error *error)
{
	struct counted_program *program = process->program;
	const struct app *app = process->app;
	uint16_t *event_of;

	if (of_times(all))
		return grow(&process->sum, STRATA_AGGREGATE_TIME_WORDS, error) ||
				       grow(program->ended, STRATA_AGGREGATE_TIME_WORDS, error)
			       ? -1
			       : 0;
	event_of = reallocarray(process->event_of, app->nr_events + 1, sizeof(*event_of));
	if (!event_of)
		return strata_fail(error, "out of memory");
	process->event_of = event_of;
	for (; process->nr_known < app->nr_events; process->nr_known++)
		if (counted_program_event(program, app->events[process->nr_known],
					  process->nr_known, who, &event_of[process->nr_known],
					  error))
			return -1;
	return grow(&process->sum, program->nr_names, error) ||
			       grow(program->ended, program->nr_names, error)
		       ? -1
		       : 0;
}

/* Sorts what a process has counted by its program's events. */
static void take_words(const struct aggregated_apps *all, struct counted_process *process,
		       const uint64_t *words, const uint64_t *others)
{
	uint64_t *now = process->sum.now;
	size_t i;

	memcpy(process->others, others, sizeof(process->others));
	memset(now, 0, process->sum.nr * sizeof(*now));
	if (of_times(all)) {
		memcpy(now, words, STRATA_AGGREGATE_TIME_WORDS * sizeof(*now));
		return;
	}
	for (i = 0; i < process->nr_known; i++) {
		if (process->event_of[i] == COUNTED_NO_EVENT)
			process->others[STRATA_AGGREGATE_NO_ROW] += words[i];
		else
			strata_aggregate_add(STRATA_AGGREGATE_COUNT, &now[process->event_of[i]],
					     (const unsigned long *)&words[i]);
	}
}

static void read_process(const struct aggregated_apps *all, struct counted_process *process)
{
	uint64_t others[STRATA_AGGREGATE_OTHERS];
	/* Room for what it may have described since it learnt. */
	uint64_t words[STRATA_APP_EVENTS_MAX];

	_Static_assert(STRATA_AGGREGATE_TIME_WORDS <= STRATA_APP_EVENTS_MAX, "either has room");
	if (process->unreadable || !process->sum.nr)
		return;
	if (app_tables_read(process->app, &all->spec, others, words)) {
		take_words(all, process, words, others);
		return;
	}
	process->unreadable = true;
	principal_complain(process->who, "the tables of process %d cannot be read: %s",
			   process->app->pid, strerror(process->app->memory.pages.failed));
}

void aggregated_apps_end(struct aggregated_apps *all, struct counted_process *process,
			 bool is_needed)
{
	struct counted_process **place = &all->processes;
	struct counted_program *program = process->program;
	size_t i;

	while (*place != process)
		place = &(*place)->next;
	*place = process->next;
	if (is_needed) {
		read_process(all, process);
		if (process->sum.nr) {
			add_words(all, program->ended->now, process->sum.now, process->sum.nr);
			add_words(all, program->ended->before, process->sum.before,
				  process->sum.nr);
		}
		for (i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
			program->others[i] += process->others[i];
	}
	free_sum(&process->sum);
	free(process->event_of);
	free(process);
}

/* Adds a row to a program's rows of now and of before.  0 or -1. */
static int add_row(struct counted_program *program, size_t words, uint64_t key, const uint64_t *now,
		   const uint64_t *before, struct strata_error *error)
{
	struct aggregate_rows *rows[2] = { &program->now, &program->before };
	const uint64_t *from[2] = { now, before };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint64_t *row;

		if (rows[i]->nr == rows[i]->room) {
			const size_t room = rows[i]->room ? rows[i]->room * 2 : 16;

			row = reallocarray(rows[i]->words, room * (1 + words), sizeof(*row));
			if (!row)
				return strata_fail(error, "out of memory");
			rows[i]->words = row;
			rows[i]->room = room;
		}
		row = rows[i]->words + rows[i]->nr++ * (1 + words);
		row[0] = key;
		memcpy(row + 1, from[i], words * sizeof(*row));
	}
	return 0;
}

static bool is_counted(const struct aggregated_apps *all, const uint64_t *words)
{
	size_t i;

	if (!of_times(all))
		return words[0];
	for (i = 0; i < STRATA_AGGREGATE_BUCKETS; i++)
		if (words[STRATA_AGGREGATE_BUCKET + i])
			return true;
	return false;
}

/* Adds the rows of a sum: of what was counted in it. */
static int add_rows(const struct aggregated_apps *all, struct counted_program *program,
		    const struct counted_sum *sum, uint32_t owner, struct strata_error *error)
{
	const size_t words = strata_aggregate_row_words(&all->spec);
	size_t i;

	for (i = 0; i * words < sum->nr; i++) {
		const uint64_t *now = &sum->now[i * words];

		if (is_counted(all, now) &&
		    add_row(program, words, strata_aggregate_key((uint32_t)i, owner), now,
			    &sum->before[i * words], error))
			return -1;
	}
	return 0;
}

/* Makes the rows of a program. */
static int list_program(struct aggregated_apps *all, struct counted_program *program,
			struct strata_error *error)
{
	const size_t nr = of_times(all) ? STRATA_AGGREGATE_TIME_WORDS : program->nr_names;
	struct counted_process *process;
	struct counted_sum sum = { 0 };
	int result = grow(&sum, nr, error);
	size_t i;

	program->now.nr = program->before.nr = 0;
	memcpy(program->now.others, program->others, sizeof(program->others));
	if (!result && grow(program->ended, nr, error))
		result = -1;
	if (!result && nr) {
		memcpy(sum.now, program->ended->now, nr * sizeof(*sum.now));
		memcpy(sum.before, program->ended->before, nr * sizeof(*sum.before));
	}
	if (!result && all->what->by_process)
		result = add_rows(all, program, &sum, 0, error);
	for (process = all->processes; process && !result; process = process->next) {
		if (process->program != program || !process->sum.nr)
			continue;
		for (i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
			program->now.others[i] += process->others[i];
		if (all->what->by_process) {
			result = add_rows(all, program, &process->sum, (uint32_t)process->app->pid,
					  error);
			continue;
		}
		add_words(all, sum.now, process->sum.now, process->sum.nr);
		add_words(all, sum.before, process->sum.before, process->sum.nr);
	}
	if (!result && !all->what->by_process)
		result = add_rows(all, program, &sum, 0, error);
	free_sum(&sum);
	return result;
}

/* The next look's look before is this one. */
static void pass_on(struct counted_sum *sum)
{
	if (sum->nr)
		memcpy(sum->before, sum->now, sum->nr * sizeof(*sum->now));
}

int aggregated_apps_read(struct aggregated_apps *all, struct strata_error *error)
{
	struct counted_process *process;
	size_t i;

	for (process = all->processes; process; process = process->next)
		read_process(all, process);
	for (i = 0; i < all->nr; i++) {
		if (list_program(all, all->programs[i], error))
			return -1;
		pass_on(all->programs[i]->ended);
	}
	for (process = all->processes; process; process = process->next)
		pass_on(&process->sum);
	return 0;
}

void aggregated_apps_close(struct aggregated_apps *all)
{
	while (all->nr) {
		struct counted_program *program = all->programs[--all->nr];

		aggregate_rows_clear(&program->now);
		aggregate_rows_clear(&program->before);
		free_sum(program->ended);
		free(program->ended);
		counted_program_free(program);
	}
	free(all->programs);
	if (all->principals)
		principals_free(all->principals);
	memset(all, 0, sizeof(*all));
}
