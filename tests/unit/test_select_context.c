// SPDX-License-Identifier: GPL-2.0-or-later
/* test_select_context.c - the contexts of kernels' records on a command line: names, and counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <strata/abi/guest_context.h>

#include "stratad/select/select_context.h"
#include "stratad/select/select_kernel.h"

static struct strata_error failure;

static int parse(enum select_kind kind, const char *argument, struct kernel_selection *selection)
{
	memset(&failure, 0, sizeof(failure));
	return select_parse_kernel(kind, argument, selection, &failure);
}

static void contexts_are_listed_by_name(void **state)
{
	struct kernel_selection lists[4];
	struct select_contexts chosen;

	(void)state;
	assert_int_equal(parse(SELECT_CONTEXT, "g1:procname,callstack-user", &lists[0]), 0);
	assert_string_equal(lists[0].domain, "g1");
	assert_int_equal(parse(SELECT_CONTEXT, "g*:nice", &lists[1]), 0);
	assert_int_equal(parse(SELECT_CONTEXT, "g2:prio", &lists[2]), 0);
	/* An event may have the name of a context. */
	assert_int_equal(parse(SELECT_EVENTS, "g1:prio", &lists[3]), 0);
	assert_int_equal(select_contexts_choose(lists, 4, 1, "g1", &chosen, &failure), 0);
	assert_int_equal(chosen.contexts,
			 STRATA_CONTEXT_BIT(STRATA_CONTEXT_PROCNAME) |
				 STRATA_CONTEXT_BIT(STRATA_CONTEXT_CALLSTACK_USER) |
				 STRATA_CONTEXT_BIT(STRATA_CONTEXT_NICE));
	assert_int_equal(chosen.nr_counters, 0);
	assert_int_equal(select_contexts_choose(lists, 4, 2, "web", &chosen, &failure), 0);
	assert_int_equal(chosen.contexts, 0);
	assert_int_equal(parse(SELECT_CONTEXT, "g1", &lists[0]), -1);
	assert_int_equal(parse(SELECT_CONTEXT, "g1:", &lists[0]), -1);
	assert_int_equal(parse(SELECT_CONTEXT, "g1:pid,", &lists[0]), -1);
	assert_int_equal(parse(SELECT_CONTEXT, "g1:pid,procnames,nice", &lists[0]), -1);
	assert_non_null(strstr(failure.text, "--kernel-context: \"procnames\" is not a context"));
}

/* A counter, its type and its field. */
static void is_counter(const char *name, uint32_t type, uint64_t config, const char *field)
{
	struct strata_kernel_counter counter;

	assert_true(strata_kernel_counter_find(name, strlen(name), &counter));
	assert_string_equal(counter.name, name);
	assert_int_equal(counter.type, type);
	assert_int_equal(counter.config, config);
	assert_string_equal(counter.field, field);
}

static void counters_have_the_names_of_lttng(void **state)
{
	static const char *const wrong[] = {
		"perf:cpu:",
		"perf:cpu:cyclesx",
		"perf:cpu:cycle",
		"perf:thread:cycles",
		"cycles",
		"perf:cpu:raw:r:a",
		"perf:cpu:raw:rg:a",
		"perf:cpu:raw:r1",
		"perf:cpu:raw:r1:",
		"perf:cpu:raw:r1:a-b",
		"perf:cpu:raw:r10000000000000000:a",
		/* Its field would have to be cut. */
		"perf:cpu:raw:r1:abcdefghijklmnop",
	};
	struct strata_kernel_counter counter;
	const char *name, *help;
	size_t i;

	(void)state;
	is_counter("perf:cpu:cycles", 0, 0, "perf_cpu_cycles");
	is_counter("perf:cpu:cpu-cycles", 0, 0, "perf_cpu_cpu_cycles");
	is_counter("perf:cpu:page-faults", 1, 2, "perf_cpu_page_faults");
	is_counter("perf:cpu:dTLB-store-misses", 3, 0x10103, "perf_cpu_dTLB_store_misses");
	is_counter("perf:cpu:stalled-cycles-frontend", 0, 7, "perf_cpu_stalled_cycles_fronten");
	is_counter("perf:cpu:raw:r1A8:uops", 4, 0x1a8, "perf_cpu_raw_r1A8_uops");
	is_counter("perf:cpu:raw:r1:abcdefghijklmno", 4, 1, "perf_cpu_raw_r1_abcdefghijklmno");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(strata_kernel_counter_find(wrong[i], strlen(wrong[i]), &counter));
	/* Each that is listed can be chosen. */
	for (i = 0; strata_kernel_counter_at(i, &name, &help); i++) {
		char text[64];

		snprintf(text, sizeof(text), "perf:cpu:%s", name);
		assert_true(strata_kernel_counter_find(text, strlen(text), &counter));
	}
	assert_int_equal(i, 54);
}

static void counters_are_chosen_once_each(void **state)
{
	struct kernel_selection lists[2];
	struct select_contexts chosen;
	char many[1024] = "g1:";
	unsigned int i;

	(void)state;
	assert_int_equal(parse(SELECT_CONTEXT, "g1:perf:cpu:cycles,pid,perf:cpu:faults", &lists[0]),
			 0);
	assert_int_equal(parse(SELECT_CONTEXT, "*:perf:cpu:page-faults,perf:cpu:cs", &lists[1]), 0);
	assert_int_equal(select_contexts_choose(lists, 2, 1, "g1", &chosen, &failure), 0);
	assert_int_equal(chosen.contexts, STRATA_CONTEXT_BIT(STRATA_CONTEXT_PID));
	assert_int_equal(chosen.nr_counters, 3);
	assert_string_equal(chosen.counters[1].field, "perf_cpu_faults");
	assert_string_equal(chosen.counters[2].name, "perf:cpu:cs");
	assert_int_equal(parse(SELECT_CONTEXT, "a:xperf:pid,perf:cpu:cycles", &lists[0]), 0);
	assert_string_equal(lists[0].domain, "a:xperf");
	assert_int_equal(parse(SELECT_CONTEXT, "perf:perf:cpu:cycles", &lists[0]), 0);
	assert_string_equal(lists[0].domain, "perf");
	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		sprintf(many + strlen(many), "%sperf:cpu:raw:r%x:n", i ? "," : "", i);
	assert_int_equal(parse(SELECT_CONTEXT, many, &lists[0]), 0);
	assert_int_equal(select_contexts_choose(lists, 1, 1, "g1", &chosen, &failure), 0);
	assert_int_equal(chosen.nr_counters, STRATA_COUNTERS_MAX);
	assert_int_equal(select_contexts_choose(lists, 2, 1, "g1", &chosen, &failure), -1);
	assert_non_null(strstr(failure.text, "these are more than 16 counters"));
	strcat(many, ",perf:cpu:cs");
	assert_int_equal(parse(SELECT_CONTEXT, many, &lists[0]), -1);
}

/* A guest's table may have any numbers, and equal ones. */
static void counters_of_a_table_have_names(void **state)
{
	static const struct strata_guest_counter table[] = {
		{ 1, 0, 2 }, { 4, 0, UINT64_MAX }, { 1, 0, 2 }, { 7, 0, 1 }, { UINT32_MAX, 0, 0 }
	};
	static const char *const names[] = { "perf_cpu_page_faults",
					     "perf_cpu_raw_rffffffffffffffff", "perf_cpu_other_2",
					     "perf_cpu_other_3", "perf_cpu_other_4" };
	struct strata_counter_fields fields = { .field = { "" } };
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		strata_kernel_counter_name_field(&fields, i, &table[i]);
		assert_string_equal(fields.field[i], names[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_are_listed_by_name),
		cmocka_unit_test(counters_have_the_names_of_lttng),
		cmocka_unit_test(counters_are_chosen_once_each),
		cmocka_unit_test(counters_of_a_table_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
