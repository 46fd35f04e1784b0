// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_merge_wakeup.c - the analysis that explains a late task: which cases it
 * takes for one, and which of them it names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "strata/read/merge_traces.h"
#include "synthetic.h"

#define RUNNING  0u
#define RUNNABLE 1u
#define BLOCKED  2u

/* Milliseconds after the start, in ticks. */
#define MS(ms) (SYNTHETIC_ANCHOR_TICKS + (uint64_t)((ms)*SYNTHETIC_TSC_KHZ))

/* Two guests with the host's clock: g1 of two vCPUs, g2 of one. */
static int set_up(void **state)
{
	static struct synthetic rec;
	const struct synthetic_clock pv = { .is_hvm = false };

	synthetic_init(&rec);
	synthetic_add_source(&rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(&rec, "g1", "kernel", 1);
	synthetic_add_source(&rec, "g2", "kernel", 2);
	synthetic_vcpu_clock(&rec, 0, MS(0), 1, 0, &pv);
	synthetic_vcpu_clock(&rec, 0, MS(0), 1, 1, &pv);
	synthetic_vcpu_clock(&rec, 0, MS(0), 2, 0, &pv);
	*state = &rec;
	return 0;
}

static int tear_down(void **state)
{
	synthetic_free(*state);
	return 0;
}

static void ran(struct synthetic *rec, unsigned int pcpu, unsigned int domain, unsigned int vcpu,
		double from_ms, double until_ms)
{
	synthetic_runstate(rec, pcpu, MS(from_ms), domain, vcpu, RUNNABLE, RUNNING);
	synthetic_runstate(rec, pcpu, MS(until_ms), domain, vcpu, RUNNING, RUNNABLE);
}

static void wakes(struct synthetic *rec, double ms, unsigned int domain, unsigned int vcpu)
{
	synthetic_runstate(rec, 7, MS(ms), domain, vcpu, BLOCKED, RUNNABLE);
}

/* The vCPU of g1 begins to run; its guest wakes and runs the task at the times given. */
static void begins(struct synthetic *rec, unsigned int pcpu, unsigned int vcpu, double ms)
{
	synthetic_runstate(rec, pcpu, MS(ms), 1, vcpu, RUNNABLE, RUNNING);
}

static void runs_task(struct synthetic *rec, unsigned int vcpu, double waking_ms, double switch_ms,
		      const char *comm, int tid)
{
	synthetic_waking(rec, "g1", vcpu, MS(waking_ms), comm, tid);
	synthetic_switch(rec, "g1", vcpu, MS(switch_ms), comm, tid);
}

/* Merges and returns what the analysis says. */
static const char *answer(struct synthetic *rec)
{
	static char text[65536];
	const struct merge_request request = { .paths = (char *[]){ rec->dir },
					       .nr_paths = 1,
					       .out = "/dev/null",
					       .format = "text",
					       .force = true };
	const int out = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	size_t length;

	synthetic_write(rec);
	assert_non_null(file);
	fflush(stdout);
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	assert_int_equal(merge_traces(&request), 0);
	fflush(stdout);
	assert_true(dup2(out, STDOUT_FILENO) >= 0);
	close(out);
	rewind(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

static void assert_says(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("\"%s\" does not say \"%s\"", text, what);
}

static void only_the_time_after_the_wake_counts(void **state)
{
	struct synthetic *rec = *state;
	const char *text;

	wakes(rec, 3, 1, 0);
	ran(rec, 0, 2, 0, 1, 5);
	begins(rec, 0, 0, 6);
	runs_task(rec, 0, 6.25, 6.5, "late", 42);
	text = answer(rec);
	assert_says(text,
		    "task \"late\" (tid 42) of g1/0 ran 3.500 ms after Xen woke its vCPU, "
		    "because pCPU 0 ran g2/0 for 2.000 ms of the 3.000 ms that the vCPU waited");
}

/* The vCPU may have stopped, and have been woken again, in what was lost. */
static void where_records_were_lost_since_the_wake_it_is_no_case(void **state)
{
	struct synthetic *rec = *state;
	struct synthetic_stream *lossy = synthetic_stream(rec, "xen", 7);

	wakes(rec, 3, 1, 0);
	synthetic_close_packet(lossy);
	lossy->lost = 1;
	ran(rec, 0, 2, 0, 1, 5);
	synthetic_vcpu_state(rec, 7, MS(5.5), 2, 0, BLOCKED);
	begins(rec, 0, 0, 6);
	runs_task(rec, 0, 6.25, 6.5, "late", 42);
	assert_says(answer(rec), "No task of a recorded guest was woken behind another domain");
}

static void a_vcpu_of_the_same_domain_or_idle_is_no_reason(void **state)
{
	struct synthetic *rec = *state;

	wakes(rec, 1, 1, 0);
	ran(rec, 0, 1, 1, 1.5, 4);
	ran(rec, 0, 0x7fff, 0, 4.5, 6);
	begins(rec, 0, 0, 7);
	runs_task(rec, 0, 7.25, 7.5, "late", 42);
	assert_says(answer(rec), "No task of a recorded guest was woken behind another domain");
}

static void a_vcpu_that_was_not_seen_to_start_is_no_reason(void **state)
{
	struct synthetic *rec = *state;

	wakes(rec, 1, 1, 0);
	/* g2 starts; that it stops and d3 starts was not recorded. */
	synthetic_runstate(rec, 0, MS(2), 2, 0, RUNNABLE, RUNNING);
	synthetic_runstate(rec, 0, MS(5), 3, 0, RUNNING, RUNNABLE);
	begins(rec, 0, 0, 6);
	runs_task(rec, 0, 6.25, 6.5, "late", 42);
	assert_says(answer(rec), "No task");
}

static void what_ran_on_another_cpu_is_no_reason(void **state)
{
	struct synthetic *rec = *state;

	wakes(rec, 1, 1, 0);
	ran(rec, 1, 2, 0, 2, 5);
	begins(rec, 0, 0, 6);
	runs_task(rec, 0, 6.25, 6.5, "late", 42);
	assert_says(answer(rec), "No task");
}

static void a_vcpu_that_stops_before_its_task_runs_is_no_case(void **state)
{
	struct synthetic *rec = *state;

	wakes(rec, 1, 1, 0);
	ran(rec, 0, 2, 0, 2, 5);
	begins(rec, 0, 0, 6);
	synthetic_waking(rec, "g1", 0, MS(6.25), "late", 42);
	synthetic_runstate(rec, 0, MS(6.5), 1, 0, RUNNING, BLOCKED);
	synthetic_runstate(rec, 0, MS(8), 1, 0, BLOCKED, RUNNING);
	synthetic_switch(rec, "g1", 0, MS(8.25), "late", 42);
	assert_says(answer(rec), "No task");
}

static void a_switch_to_another_task_is_not_the_end(void **state)
{
	struct synthetic *rec = *state;
	const char *text;

	wakes(rec, 1, 1, 0);
	ran(rec, 0, 2, 0, 2, 5);
	begins(rec, 0, 0, 6);
	synthetic_waking(rec, "g1", 0, MS(6.25), "late", 42);
	synthetic_switch(rec, "g1", 0, MS(6.5), "other", 43);
	synthetic_switch(rec, "g1", 0, MS(7), "late", 42);
	text = answer(rec);
	assert_says(text, "task \"late\" (tid 42) of g1/0 ran 6.000 ms after");
	assert_says(text, "next_comm=\"other\"");
}

/* Two vCPUs wait at once, behind g2 for 1 ms and behind d3 for 4 ms. */
static void two_at_once(struct synthetic *rec, double short_ends_ms, double long_ends_ms)
{
	wakes(rec, 1, 1, 0);
	wakes(rec, 1, 1, 1);
	ran(rec, 0, 2, 0, 1, 2);
	ran(rec, 1, 3, 0, 1, 5);
	begins(rec, 0, 0, 6);
	begins(rec, 1, 1, 6.5);
	runs_task(rec, 0, 7, short_ends_ms, "short", 10);
	runs_task(rec, 1, 7, long_ends_ms, "long", 11);
}

static void of_two_cases_the_worse_is_named_whichever_ends_first(void **state)
{
	struct synthetic *rec = *state;

	two_at_once(rec, 8, 9);
	assert_says(answer(rec), "task \"long\" (tid 11) of g1/1 ran 8.000 ms after Xen woke its "
				 "vCPU, because pCPU 1 ran d3/0 for 4.000 ms of the 5.500 ms");
	synthetic_free(rec);
	set_up(state);
	two_at_once(rec, 9, 8);
	assert_says(answer(rec), "task \"long\" (tid 11) of g1/1 ran 7.000 ms");
}

static void an_excerpt_never_exceeds_its_lines(void **state)
{
	struct synthetic *rec = *state;
	const char *text, *at;
	unsigned int i, lines = 0;

	wakes(rec, 1, 1, 0);
	ran(rec, 0, 2, 0, 2, 5);
	begins(rec, 0, 0, 6);
	synthetic_waking(rec, "g1", 0, MS(6.25), "late", 42);
	for (i = 0; i < 1000; i++)
		synthetic_mark(rec, "g1", 0, MS(6.5) + i, i);
	synthetic_switch(rec, "g1", 0, MS(7), "late", 42);
	text = answer(rec);
	text = strstr(text, "Longest wake-up");
	assert_non_null(text);
	for (at = text; strncmp(at, "\n\n", 2) != 0; at++)
		lines += *at == '\n';
	lines++;
	/* The sentence, the heading, 14 events, and one that says what was left out. */
	assert_int_equal(lines, 17);
	/* 4 of the hypervisor's, the waking and the switch are always there: so 8 marks. */
	assert_says(text, "# 992 more events of this vCPU");
	assert_says(text, "next_comm=\"late\"");
}

static void a_tasks_name_cannot_reach_the_terminal(void **state)
{
	struct synthetic *rec = *state;
	const char *text;

	wakes(rec, 1, 1, 0);
	ran(rec, 0, 2, 0, 2, 5);
	begins(rec, 0, 0, 6);
	runs_task(rec, 0, 6.25, 6.5, "\033[2J0123456789ab", 42);
	text = answer(rec);
	assert_says(text, "task \"\\x1b[2J0123456789ab\" (tid 42)");
	assert_null(strchr(text, '\033'));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_the_time_after_the_wake_counts),
		TEST(where_records_were_lost_since_the_wake_it_is_no_case),
		TEST(a_vcpu_of_the_same_domain_or_idle_is_no_reason),
		TEST(a_vcpu_that_was_not_seen_to_start_is_no_reason),
		TEST(what_ran_on_another_cpu_is_no_reason),
		TEST(a_vcpu_that_stops_before_its_task_runs_is_no_case),
		TEST(a_switch_to_another_task_is_not_the_end),
		TEST(of_two_cases_the_worse_is_named_whichever_ends_first),
		TEST(an_excerpt_never_exceeds_its_lines),
		TEST(a_tasks_name_cannot_reach_the_terminal),
	};

	return cmocka_run_group_tests_name("wakeup", tests, NULL, NULL);
}
