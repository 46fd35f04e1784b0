// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_app_tables.c - what applications have counted (app_tables.c, aggregated_apps.c): sums over
 * CPUs, processes and looks, and tables and names of applications that lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consumerd/apps/app_tables.h"
#include "stratad/domains/aggregated_apps.h"

#define TABLES 3u /* two CPUs, and one more */

static struct strata_error failure;
static struct aggregate_choice what;
static struct aggregated_apps all;
static struct principal *who;

static unsigned char *make_tables(struct app *app, const struct strata_aggregate_spec *spec)
{
	app->nr_cpus = TABLES - 1;
	app->memory.header.nr_rings = TABLES;
	app->memory.header.ring_bytes = strata_app_table_bytes(spec);
	app->memory.bytes = TABLES * app->memory.header.ring_bytes;
	app->memory.rings = mmap(NULL, app->memory.bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(app->memory.rings != MAP_FAILED);
	return app->memory.rings;
}

static uint64_t *table_of(const struct app *app, unsigned int cpu)
{
	return (uint64_t *)(void *)(app->memory.rings + cpu * app->memory.header.ring_bytes);
}

static void describe(struct app *app, const char *group, const char *name)
{
	struct strata_event_desc event = { 0 };

	app->events = realloc(app->events, (app->nr_events + 1) * sizeof(*app->events));
	assert_non_null(app->events);
	snprintf(event.group, sizeof(event.group), "%s", group);
	snprintf(event.name, sizeof(event.name), "%s", name);
	app->events[app->nr_events] = strata_event_copy(&event);
	assert_non_null(app->events[app->nr_events]);
	app->nr_events++;
}

static struct app *make_app(const char *program, uint32_t uid, int32_t pid)
{
	struct app *app = calloc(1, sizeof(*app));

	assert_non_null(app);
	snprintf(app->program, sizeof(app->program), "%s", program);
	app->starter = app->uid = uid;
	app->pid = pid;
	make_tables(app, &all.spec);
	return app;
}

static void free_app(struct app *app)
{
	size_t i;

	munmap(app->memory.rings, app->memory.bytes);
	for (i = 0; i < app->nr_events; i++)
		free(app->events[i]);
	free(app->events);
	free(app);
}

static void given(enum strata_aggregate_kind kind, bool by_process)
{
	what = (struct aggregate_choice){ .kind = kind, .by_process = by_process };
	assert_int_equal(aggregated_apps_open(&all, &what, &failure), 0);
	who = principals_user(all.principals, 61001);
	assert_non_null(who);
}

static struct counted_process *begin(struct app *app)
{
	struct counted_process *process = aggregated_apps_begin(&all, app, who, &failure);

	assert_non_null(process);
	assert_int_equal(aggregated_apps_learn(&all, process, who, &failure), 0);
	return process;
}

static void look(void)
{
	assert_int_equal(aggregated_apps_read(&all, &failure), 0);
}

/* The count of a row, and of the look before. */
static uint64_t row_of(const struct aggregate_rows *rows, size_t row)
{
	assert_true(row < rows->nr);
	return rows->words[2 * row + 1];
}

static void tables_of_all_cpus_add_up(void **state)
{
	const struct strata_aggregate_spec spec = strata_app_spec(STRATA_AGGREGATE_COUNT);
	uint64_t others[STRATA_AGGREGATE_OTHERS], words[2];
	struct app app = { .nr_events = 2 };
	unsigned int cpu;

	(void)state;
	make_tables(&app, &spec);
	for (cpu = 0; cpu < TABLES; cpu++) {
		table_of(&app, cpu)[STRATA_AGGREGATE_OTHERS + 1] = cpu + 1;
		table_of(&app, cpu)[STRATA_AGGREGATE_NO_BEGIN] = 2;
		/* Of an event that it has not described. */
		table_of(&app, cpu)[STRATA_AGGREGATE_OTHERS + 2] = 99;
	}
	assert_true(app_tables_read(&app, &spec, others, words));
	assert_int_equal(words[0], 0);
	assert_int_equal(words[1], 6);
	assert_int_equal(others[STRATA_AGGREGATE_NO_BEGIN], 6);
	munmap(app.memory.rings, app.memory.bytes);
}

/* Rows beyond the events that it has described are not even touched. */
static void only_rows_of_events_are_read(void **state)
{
	const struct strata_aggregate_spec spec = strata_app_spec(STRATA_AGGREGATE_COUNT);
	uint64_t others[STRATA_AGGREGATE_OTHERS], words[504];
	struct app app = { .nr_events = STRATA_PAGE_BYTES / 8 - STRATA_AGGREGATE_OTHERS };
	unsigned int cpu;

	(void)state;
	make_tables(&app, &spec);
	for (cpu = 0; cpu < TABLES; cpu++)
		mprotect(app.memory.rings + cpu * app.memory.header.ring_bytes + STRATA_PAGE_BYTES,
			 app.memory.header.ring_bytes - STRATA_PAGE_BYTES, PROT_NONE);
	table_of(&app, 2)[STRATA_PAGE_BYTES / 8 - 1] = 7;
	assert_true(app_tables_read(&app, &spec, others, words));
	assert_int_equal(words[503], 7);
	munmap(app.memory.rings, app.memory.bytes);
}

static void histograms_add_up(void **state)
{
	const struct strata_aggregate_spec spec = strata_app_spec(STRATA_AGGREGATE_TIME);
	uint64_t others[STRATA_AGGREGATE_OTHERS], words[STRATA_AGGREGATE_TIME_WORDS];
	struct app app = { .nr_events = 0 };
	unsigned int cpu;

	(void)state;
	make_tables(&app, &spec);
	for (cpu = 0; cpu < TABLES; cpu++) {
		uint64_t *row = table_of(&app, cpu) + STRATA_AGGREGATE_OTHERS +
				cpu % 2 * STRATA_AGGREGATE_TIME_WORDS;

		row[STRATA_AGGREGATE_SUM] = 100 + cpu;
		row[STRATA_AGGREGATE_MAX] = 50 + cpu;
		row[STRATA_AGGREGATE_MIN_INVERTED] = ~(uint64_t)(10 + cpu);
		row[STRATA_AGGREGATE_BUCKET + 63] = 1;
	}
	assert_true(app_tables_read(&app, &spec, others, words));
	assert_int_equal(words[STRATA_AGGREGATE_SUM], 303);
	assert_int_equal(words[STRATA_AGGREGATE_MAX], 52);
	assert_int_equal(~words[STRATA_AGGREGATE_MIN_INVERTED], 10);
	assert_int_equal(words[STRATA_AGGREGATE_BUCKET + 63], 3);
	munmap(app.memory.rings, app.memory.bytes);
}

/* What is new since the look before stays exact when a process ends, and its counts stay. */
static void ended_processes_stay_in_the_sums(void **state)
{
	struct app *first, *second;
	struct counted_process *ended, *lives;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	first = make_app("server", geteuid(), 10);
	second = make_app("server", geteuid(), 11);
	describe(first, "test", "a");
	/* Another order. */
	describe(second, "test", "b");
	describe(second, "test", "a");
	ended = begin(first);
	lives = begin(second);
	table_of(first, 0)[STRATA_AGGREGATE_OTHERS] = 5;
	table_of(second, 1)[STRATA_AGGREGATE_OTHERS + 1] = 30;
	look();
	assert_int_equal(all.nr, 1);
	assert_string_equal(all.programs[0]->name, "app-server");
	assert_string_equal(all.programs[0]->names[0], "a");
	assert_int_equal(all.programs[0]->now.nr, 1);
	assert_int_equal(row_of(&all.programs[0]->now, 0), 35);
	table_of(first, 0)[STRATA_AGGREGATE_OTHERS] = 6;
	aggregated_apps_end(&all, ended, true);
	free_app(first);
	look();
	assert_int_equal(row_of(&all.programs[0]->now, 0), 36);
	assert_int_equal(row_of(&all.programs[0]->before, 0), 35);
	look();
	assert_int_equal(row_of(&all.programs[0]->before, 0), 36);
	aggregated_apps_end(&all, lives, false);
	free_app(second);
	aggregated_apps_close(&all);
}

static void processes_can_be_counted_apart(void **state)
{
	struct app *first, *second;
	struct counted_process *ended, *lives;
	const struct aggregate_rows *now;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, true);
	first = make_app("server", geteuid(), 10);
	second = make_app("server", geteuid(), 11);
	describe(first, "test", "a");
	describe(second, "test", "a");
	ended = begin(first);
	lives = begin(second);
	table_of(first, 0)[STRATA_AGGREGATE_OTHERS] = 5;
	table_of(second, 0)[STRATA_AGGREGATE_OTHERS] = 7;
	look();
	now = &all.programs[0]->now;
	assert_int_equal(now->nr, 2);
	assert_int_equal(strata_aggregate_key_owner(now->words[0]), 10);
	assert_int_equal(strata_aggregate_key_owner(now->words[2]), 11);
	aggregated_apps_end(&all, ended, true);
	free_app(first);
	look();
	assert_int_equal(now->nr, 2);
	assert_int_equal(strata_aggregate_key_owner(now->words[0]), 0);
	assert_int_equal(row_of(now, 0), 5);
	/* As before its end: nothing of it is new. */
	assert_int_equal(row_of(&all.programs[0]->before, 0), 5);
	assert_int_equal(row_of(now, 1), 7);
	aggregated_apps_end(&all, lives, false);
	free_app(second);
	aggregated_apps_close(&all);
}

static void users_are_counted_apart(void **state)
{
	struct app *honest, *liar;
	struct counted_process *one, *other;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	honest = make_app("server", geteuid(), 10);
	liar = make_app("server", 61001, 11);
	describe(honest, "test", "a");
	describe(liar, "test", "a");
	one = begin(honest);
	other = begin(liar);
	table_of(honest, 0)[STRATA_AGGREGATE_OTHERS] = 5;
	memset(liar->memory.rings, 0xff, liar->memory.bytes);
	look();
	assert_int_equal(all.nr, 2);
	assert_string_equal(all.programs[1]->name, "app-server (user 61001)");
	assert_int_equal(row_of(&all.programs[0]->now, 0), 5);
	/* No sum wraps. */
	assert_int_equal(row_of(&all.programs[1]->now, 0), UINT64_MAX);
	/* It may take back what it has counted. */
	memset(liar->memory.rings, 0, liar->memory.bytes);
	look();
	assert_int_equal(all.programs[1]->now.nr, 0);
	assert_int_equal(row_of(&all.programs[0]->now, 0), 5);
	aggregated_apps_end(&all, other, true);
	aggregated_apps_end(&all, one, true);
	free_app(honest);
	free_app(liar);
	aggregated_apps_close(&all);
}

/* A program of ours may have the name under which another user's is shown. */
static void a_name_is_not_enough(void **state)
{
	struct counted_process *one, *other;
	struct app *ours, *theirs;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	ours = make_app("server (user 61001)", geteuid(), 10);
	theirs = make_app("server", 61001, 11);
	one = begin(ours);
	other = begin(theirs);
	assert_int_equal(all.nr, 2);
	assert_string_equal(all.programs[0]->name, all.programs[1]->name);
	aggregated_apps_end(&all, one, true);
	aggregated_apps_end(&all, other, true);
	free_app(ours);
	free_app(theirs);
	aggregated_apps_close(&all);
}

static void equal_names_are_told_apart_by_their_groups(void **state)
{
	struct counted_process *process;
	struct app *app;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	app = make_app("server", geteuid(), 10);
	describe(app, "one", "a");
	describe(app, "one", "b");
	describe(app, "two", "a");
	process = begin(app);
	assert_string_equal(all.programs[0]->names[0], "one/a");
	assert_string_equal(all.programs[0]->names[1], "b");
	assert_string_equal(all.programs[0]->names[2], "two/a");
	aggregated_apps_end(&all, process, false);
	free_app(app);
	aggregated_apps_close(&all);
}

/* Processes of a program that each have other events: what has no row is counted as such. */
static void a_program_has_rows_for_so_many_events(void **state)
{
	struct counted_process *process[3];
	struct app *app[3];
	char name[32];
	unsigned int i, j;

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	for (i = 0; i < 3; i++) {
		app[i] = make_app("server", geteuid(), (int32_t)(10 + i));
		for (j = 0; j < 600; j++) {
			snprintf(name, sizeof(name), "event_%u_%u", i, j);
			describe(app[i], "test", name);
			table_of(app[i], 0)[STRATA_AGGREGATE_OTHERS + j] = 1;
		}
		process[i] = begin(app[i]);
	}
	look();
	assert_int_equal(all.programs[0]->nr_names, STRATA_APP_EVENTS_MAX);
	assert_int_equal(all.programs[0]->now.nr, STRATA_APP_EVENTS_MAX);
	assert_int_equal(all.programs[0]->now.others[STRATA_AGGREGATE_NO_ROW],
			 1800 - STRATA_APP_EVENTS_MAX);
	for (i = 0; i < 3; i++) {
		aggregated_apps_end(&all, process[i], true);
		free_app(app[i]);
	}
	look();
	assert_int_equal(all.programs[0]->now.others[STRATA_AGGREGATE_NO_ROW],
			 1800 - STRATA_APP_EVENTS_MAX);
	aggregated_apps_close(&all);
}

/* A user whose programs have ever new names gets a share of the memory for them, and no more. */
static void programs_are_charged_to_their_user(void **state)
{
	unsigned int i, refused = 0;
	char name[32];

	(void)state;
	given(STRATA_AGGREGATE_COUNT, false);
	principals_set_total(all.principals, PRINCIPAL_TABLE_BYTES, 8u << 16);
	for (i = 0; i < 2000 && !refused; i++) {
		struct counted_process *process;
		struct app *app;

		snprintf(name, sizeof(name), "program%u", i);
		app = make_app(name, 61001, (int32_t)(10 + i));
		process = aggregated_apps_begin(&all, app, who, &failure);
		refused += !process;
		if (process)
			aggregated_apps_end(&all, process, true);
		free_app(app);
	}
	assert_int_equal(refused, 1);
	assert_true(all.nr > 10 && all.nr < 1000);
	assert_non_null(strstr(failure.text, "bytes for events"));
	aggregated_apps_close(&all);
}

static volatile bool writes;

static void *write_anything(void *data)
{
	const struct app *app = data;
	uint64_t word = 88172645463325252u;

	while (writes) {
		word ^= word << 13;
		word ^= word >> 7;
		word ^= word << 17;
		((volatile uint64_t *)(void *)app->memory.rings)[word % (app->memory.bytes / 8)] =
			word;
	}
	return NULL;
}

static void tables_that_change_while_they_are_read(void **state)
{
	struct counted_process *one, *other;
	struct app *honest, *liar;
	pthread_t thread;
	unsigned int i;

	(void)state;
	given(STRATA_AGGREGATE_TIME, true);
	honest = make_app("server", geteuid(), 10);
	liar = make_app("liar", 61001, 11);
	one = begin(honest);
	other = begin(liar);
	table_of(honest, 1)[STRATA_AGGREGATE_OTHERS + STRATA_AGGREGATE_BUCKET + 3] = 4;
	writes = true;
	assert_int_equal(pthread_create(&thread, NULL, write_anything, liar), 0);
	for (i = 0; i < 2000; i++) {
		look();
		assert_true(all.programs[1]->now.nr <= 1);
		assert_int_equal(all.programs[0]->now.words[1 + STRATA_AGGREGATE_BUCKET + 3], 4);
	}
	writes = false;
	pthread_join(thread, NULL);
	aggregated_apps_end(&all, one, true);
	aggregated_apps_end(&all, other, true);
	free_app(honest);
	free_app(liar);
	aggregated_apps_close(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_all_cpus_add_up),
		cmocka_unit_test(only_rows_of_events_are_read),
		cmocka_unit_test(histograms_add_up),
		cmocka_unit_test(ended_processes_stay_in_the_sums),
		cmocka_unit_test(processes_can_be_counted_apart),
		cmocka_unit_test(users_are_counted_apart),
		cmocka_unit_test(a_name_is_not_enough),
		cmocka_unit_test(equal_names_are_told_apart_by_their_groups),
		cmocka_unit_test(a_program_has_rows_for_so_many_events),
		cmocka_unit_test(programs_are_charged_to_their_user),
		cmocka_unit_test(tables_that_change_while_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
