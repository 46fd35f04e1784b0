// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trace_compass.c - an experiment for Trace Compass's virtual machine analysis keeps the
 * rules of that, as trace_compass_rules.py checks them, and hides nothing that is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "outputs/outputs.h"
#include "../merge_alone.h"
#include "synthetic.h"

#define TURN_TICKS 72000000u /* 30 ms */
#define IDLE       0x7fffu

enum { RUNNING, RUNNABLE, BLOCKED };

struct given {
	struct synthetic rec;
	char said[65536]; /* by the command that ran last */
};

/* Runs a command of the shell, with the recording's directory as its own; its exit status. */
static int run(struct given *given, const char *command)
{
	char all[2200], path[100], here[1024];
	size_t length;
	FILE *file;
	int status;

	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/said", given->rec.dir);
	snprintf(all, sizeof(all), "here=%s; cd %s; { %s; } >%s 2>&1", here, given->rec.dir,
		 command, path);
	status = system(all);
	file = fopen(path, "r");
	assert_non_null(file);
	length = fread(given->said, 1, sizeof(given->said) - 1, file);
	given->said[length] = '\0';
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_says(const struct given *given, const char *text)
{
	if (!strstr(given->said, text))
		fail_msg("\"%s\" is not in:\n%s", text, given->said);
}

/* Runs `strata convert` into the directory @out beside the recording; keeps its messages, and
 * returns its exit status. */
static int convert(struct given *given, const char *out)
{
	char path[100], said[100];
	char *argv[] = { "convert", "--format", "trace-compass", "-o", path, given->rec.dir, NULL };
	int status;
	pid_t child;

	snprintf(path, sizeof(path), "%s/%s", given->rec.dir, out);
	snprintf(said, sizeof(said), "%s/converted", given->rec.dir);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen(said, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
			_exit(99);
		status = strata_cmd_convert(6, argv);
		fflush(NULL);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(run(given, "cat converted"), 0);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int check_rules(struct given *given, const char *out)
{
	char command[200];

	snprintf(command, sizeof(command), "python3 $here/tests/unit/trace_compass_rules.py %s",
		 out);
	return run(given, command);
}

static void assert_keeps_rules(struct given *given, const char *out)
{
	if (check_rules(given, out))
		fail_msg("%s", given->said);
}

/* A host ------------------------------------------------------------------------------------- */

static const struct synthetic_clock g1_clock = { .is_hvm = true, .offset = 0 - 700000000ull };

static void begin(struct given *given)
{
	struct synthetic *rec = &given->rec;
	const struct synthetic_clock pv = { .is_hvm = false };

	synthetic_init(rec);
	synthetic_add_source(rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(rec, "dom0", "kernel", 0);
	synthetic_add_source(rec, "g1", "kernel", 1);
	synthetic_add_source(rec, "g2", "kernel", 2);
	synthetic_vcpu_clock(rec, 0, 1000000000, 0, 0, &pv);
	synthetic_vcpu_clock(rec, 0, 1000000010, 1, 0, &g1_clock);
	synthetic_vcpu_clock(rec, 0, 1000000020, 2, 0, &pv);
	synthetic_vcpu_state(rec, 0, 1000000040, 1, 0, BLOCKED);
	synthetic_runstate(rec, 0, 1000000050, IDLE, 0, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, 1000000070, 2, 0, RUNNABLE, RUNNING);
	synthetic_vcpu_state(rec, 1, 1000000100, 0, 0, RUNNING);
}

/* g1, PVH, runs with two turns of guest mode. */
static void run_g1(struct synthetic *rec, uint64_t now)
{
	synthetic_runstate(rec, 0, now + 20, 1, 0, RUNNABLE, RUNNING);
	synthetic_guest_mode(rec, 0, now + 300, 1, 0, true);
	synthetic_switch(rec, "g1", 0, synthetic_guest_ticks(&g1_clock, now + 400), "sleeper", 100);
	synthetic_syscall(rec, "g1", 0, synthetic_guest_ticks(&g1_clock, now + 500), 257);
	synthetic_guest_mode(rec, 0, now + 700, 1, 0, false);
	synthetic_guest_mode(rec, 0, now + 900, 1, 0, true);
	synthetic_probe(rec, "g1", 0, synthetic_guest_ticks(&g1_clock, now + 1000));
	synthetic_guest_mode(rec, 0, now + 1100, 1, 0, false);
	synthetic_runstate(rec, 0, now + 1300, 1, 0, RUNNING, BLOCKED);
}

/* g2, PV, runs from then on; it sleeps in a hypercall until it is preempted. */
static void run_g2(struct synthetic *rec, uint64_t now)
{
	synthetic_runstate(rec, 0, now, 2, 0, RUNNABLE, RUNNING);
	synthetic_waking(rec, "g2", 0, now + 100, "busy", 50);
	synthetic_hypercall(rec, 0, now + 200, 2, 0, 29, true);
	synthetic_hypercall(rec, 0, now + 300, 2, 0, 29, false);
	synthetic_mark(rec, "g2", 0, now + 400, 1);
	synthetic_hypercall(rec, 0, now + 500, 2, 0, 24, true);
}

/* dom0, PV, has the other CPU, and wakes g1. */
static void run_dom0(struct synthetic *rec, uint64_t now)
{
	synthetic_mark(rec, "dom0", 0, now + 100, 1);
	synthetic_hypercall(rec, 1, now + 150, 0, 0, 32, true);
	synthetic_hypercall(rec, 1, now + 200, 0, 0, 32, false);
	synthetic_mark(rec, "dom0", 0, now + 250, 2);
	synthetic_runstate(rec, 1, now + 400, 0, 0, RUNNING, BLOCKED);
	synthetic_runstate(rec, 1, now + 420, IDLE, 1, RUNNABLE, RUNNING);
	synthetic_runstate(rec, 1, now + 2000, 0, 0, BLOCKED, RUNNABLE);
	synthetic_runstate(rec, 1, now + 2020, IDLE, 1, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 1, now + 2040, 0, 0, RUNNABLE, RUNNING);
	synthetic_mark(rec, "dom0", 0, now + 2100, 3);
	synthetic_runstate(rec, 1, now + 2200, 1, 0, BLOCKED, RUNNABLE);
}

static uint64_t turn_at(unsigned int turn)
{
	return 1001000000u + (uint64_t)turn * TURN_TICKS;
}

static void build(struct given *given, unsigned int turns)
{
	struct synthetic *rec = &given->rec;
	unsigned int turn;

	begin(given);
	for (turn = 0; turn < turns; turn++) {
		const uint64_t now = turn_at(turn);

		synthetic_runstate(rec, 0, now, 2, 0, RUNNING, RUNNABLE);
		run_g1(rec, now);
		run_g2(rec, now + 1320);
		run_dom0(rec, now);
	}
}

static void host_is_as_the_analysis_wants_it(void **state)
{
	struct given *given = *state;

	build(given, 20);
	synthetic_write(&given->rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_says(given, "Guests:   3 kernels, dom0's included, with 180 events");
	assert_keeps_rules(given, "out");
	assert_says(given, "thread 10001 is vCPU 0 of dom0: 41 entries, 21 times on a CPU");
	assert_says(given, "thread 20001 is vCPU 0 of g1: 40 entries, 20 times on a CPU");
	/* In a hypercall when it is stopped, and when it starts: it is in the guest from the
	 * return. */
	assert_says(given, "thread 30001 is vCPU 0 of g2: 22 entries, 21 times on a CPU");
	assert_says(given, "all 4 machines are known 0.000 s after the first event");
	assert_says(given, "pairs: 15 gh, 15 hg");
}

/* The line of babeltrace2's of an event with that name, the first of that trace; without its time.
 */
static void first_event(struct given *given, const char *trace, const char *name)
{
	char command[300];

	snprintf(
		command, sizeof(command),
		"babeltrace2 --fields=trace:hostname out/%s | grep -m 1 ' %s: ' | cut -d ' ' -f 3-",
		trace, name);
	assert_int_equal(run(given, command), 0);
}

static void events_carry_what_was_recorded(void **state)
{
	struct given *given = *state;

	build(given, 3);
	synthetic_write(&given->rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	first_event(given, "xen", "kvm_entry");
	assert_string_equal(given->said,
			    "xen kvm_entry: { cpu_id = 0 }, { tid = 30001, pid = 30000 }, "
			    "{ vcpu_id = 0 }\n");
	first_event(given, "xen", "kvm_exit");
	assert_says(given, "{ tid = 30001, pid = 30000 }, { exit_reason = 131071, guest_rip = 0x0, "
			   "isa = 3 }\n");
	assert_int_equal(run(given, "babeltrace2 out/xen | grep -m 1 'exit_reason = 114,'"), 0);
	assert_says(given, "{ tid = 20001, pid = 20000 }, { exit_reason = 114, guest_rip = "
			   "0xFFFFFFFF8107EE00, isa = ");
	assert_int_equal(run(given, "babeltrace2 out/xen | grep -c 'exit_reason = 65565,'"), 0);
	first_event(given, "xen", "sched_wakeup");
	assert_says(given, "{ comm = \"dom0/0\", tid = 10001, prio = 0, target_cpu = 1 }");
	first_event(given, "g1", "sched_switch");
	assert_says(given,
		    "{ prev_comm = \"swapper\", prev_tid = 0, prev_prio = 120, prev_state = 0, "
		    "next_comm = \"sleeper\", next_tid = 100, next_prio = 120 }");
	first_event(given, "g1", "sys_openat");
	assert_says(given, "{ id = 257, args = [ [0] = 0x1, [1] = 0x2, [2] = 0x3, ");
	first_event(given, "g1", "exit_syscall");
	assert_says(given, "{ id = 257, ret = 3 }");
	first_event(given, "g1", "kernel:kvm_probe");
	first_event(given, "g2", "sched_waking");
	assert_says(given, "{ comm = \"busy\", tid = 50, prio = 120, target_cpu = 0 }");
}

static void what_is_synthetic_is_said(void **state)
{
	struct given *given = *state;

	build(given, 1);
	synthetic_write(&given->rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_int_equal(run(given, "cat out/xen/metadata"), 0);
	assert_says(given, "synthetic_tid = ");
	assert_says(given, "synthetic_prio = ");
	assert_says(given, "synthetic_target_cpu = ");
	assert_says(given,
		    "synthetic_kvm = \"kvm_exit with isa 3: of a domain without VM exits; it is "
		    "in the guest while it runs, except hypercalls.");
	assert_says(given, "synthetic_vmsync = ");
	assert_int_equal(run(given, "grep -c synthetic_vmsync out/dom0/metadata out/g1/metadata"),
			 0);
}

static void a_guest_at_another_time_is_seen_by_the_rules(void **state)
{
	struct given *given = *state;
	struct strata_trace_compass_result result;
	struct strata_trace_compass *compass;
	const struct strata_host_figures *figures;
	struct strata_error error;
	struct merge_alone alone;
	char out[100];

	build(given, 20);
	synthetic_write(&given->rec);
	snprintf(out, sizeof(out), "%s/out", given->rec.dir);
	assert_int_equal(merge_alone_open(&alone, given->rec.dir, NULL, NULL, "g1", 1500, &error),
			 0);
	figures = strata_host_check_figures(alone.check);
	compass = strata_trace_compass_new(alone.traces, out, false, NULL, NULL, &result, &error);
	assert_non_null(compass);
	assert_int_equal(merge_alone_run(&alone, strata_trace_compass_observer(compass), &error),
			 0);
	assert_int_equal(strata_trace_compass_finish(compass, &alone.set, figures->last_ns,
						     figures->bound_ns, &error),
			 0);
	strata_trace_compass_free(compass);
	merge_alone_close(&alone);
	assert_int_equal(check_rules(given, "out"), 1);
	assert_says(given, "BROKEN a guest's events are when its vCPU runs: ");
}

/* Losses ------------------------------------------------------------------------------------- */

static void losses_carry_over_and_the_threads_stay_true(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;

	build(given, 3);
	synthetic_close_packet(synthetic_stream(rec, "xen", 0));
	synthetic_close_packet(synthetic_stream(rec, "g1", 0));
	/* Of the switch from g2 to g1, and of an exit, nothing is known. */
	synthetic_stream(rec, "xen", 0)->lost = 3;
	synthetic_stream(rec, "g1", 0)->lost = 7;
	synthetic_guest_mode(rec, 0, turn_at(3) + 900, 1, 0, true);
	synthetic_mark(rec, "g1", 0, synthetic_guest_ticks(&g1_clock, turn_at(3) + 1000), 1);
	synthetic_guest_mode(rec, 0, turn_at(3) + 1100, 1, 0, false);
	/* Nor of the one back. */
	synthetic_close_packet(synthetic_stream(rec, "xen", 0));
	synthetic_stream(rec, "xen", 0)->lost = 5;
	synthetic_runstate(rec, 0, turn_at(3) + 9000, 2, 0, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, turn_at(3) + 9020, IDLE, 0, RUNNABLE, RUNNING);
	synthetic_write(rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_keeps_rules(given, "out");
	assert_says(given, "thread 20001 is vCPU 0 of g1: 7 entries, 4 times on a CPU");
	assert_int_equal(run(given, "babeltrace2 out/xen 2>&1 >/dev/null | grep -o "
				    "'discarded [0-9]* event' | cut -d ' ' -f 2 | paste -sd +"),
			 0);
	assert_string_equal(given->said, "3+2\n");
	assert_int_equal(run(given, "babeltrace2 out/g1 2>&1 >/dev/null"), 0);
	assert_says(given, "discarded 7 event");
}

static void a_vcpu_runs_on_one_cpu_at_a_time(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;

	build(given, 3);
	/* g2 goes to the other CPU, and that it stopped was lost. */
	synthetic_close_packet(synthetic_stream(rec, "xen", 0));
	synthetic_stream(rec, "xen", 0)->lost = 2;
	synthetic_runstate(rec, 1, turn_at(3), 0, 0, RUNNING, BLOCKED);
	synthetic_runstate(rec, 1, turn_at(3) + 20, 2, 0, RUNNABLE, RUNNING);
	synthetic_mark(rec, "g2", 0, turn_at(3) + 100, 1);
	synthetic_runstate(rec, 0, turn_at(3) + 9000, IDLE, 0, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, turn_at(3) + 9020, 1, 0, RUNNABLE, RUNNING);
	synthetic_write(rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_keeps_rules(given, "out");
	assert_int_equal(run(given,
			     "babeltrace2 out/xen 2>/dev/null | grep sched_switch | tail -n 4 | "
			     "grep -o 'prev_tid = [0-9]*\\|next_tid = [0-9]*' | paste -sd ' '"),
			 0);
	assert_string_equal(given->said,
			    "prev_tid = 30001 next_tid = 1 prev_tid = 10001 next_tid = 30001 "
			    "prev_tid = 1 next_tid = 0 prev_tid = 0 next_tid = 20001\n");
}

static void who_was_not_selected_is_nobody(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;
	unsigned int turn;

	begin(given);
	/* Only g1's records: it stops, and starts again, and who ran in between is not known. */
	for (turn = 0; turn < 4; turn++)
		run_g1(rec, turn_at(turn));
	synthetic_mark(rec, "dom0", 0, turn_at(0), 1);
	synthetic_runstate(rec, 1, turn_at(0) + 100, 0, 0, RUNNING, BLOCKED);
	synthetic_write(rec);
	convert(given, "out");
	assert_keeps_rules(given, "out");
	assert_int_equal(run(given, "babeltrace2 out/xen | grep -c 'next_comm = \"not recorded\"'"),
			 0);
	/* At the end nobody knows either, on both CPUs. */
	assert_string_equal(given->said, "5\n");
}

/* Traces ------------------------------------------------------------------------------------- */

static void two_lives_of_a_module_are_one_trace(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;

	build(given, 3);
	synthetic_add_source(rec, "g2-3", "kernel", 2);
	synthetic_runstate(rec, 0, turn_at(3), 2, 0, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, turn_at(3) + 20, 2, 0, RUNNABLE, RUNNING);
	synthetic_mark(rec, "g2-3", 0, turn_at(3) + 100, 1);
	synthetic_stream(rec, "g2-3", 0)->lost = 4;
	synthetic_stream(rec, "g2", 0)->lost = 2;
	synthetic_write(rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_says(given, "Guests:   3 kernels");
	assert_keeps_rules(given, "out");
	assert_int_equal(run(given, "babeltrace2 out/g2 | grep -c mark:"), 0);
	assert_says(given, "discarded 2 event");
	assert_says(given, "discarded 4 event");
	assert_says(given, "\n4\n");
}

static void a_guest_that_the_analysis_cannot_know_is_named(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;

	build(given, 3);
	synthetic_add_source(rec, "g9", "kernel", 9);
	synthetic_mark(rec, "g9", 0, turn_at(1), 1);
	synthetic_write(rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_PARTIAL);
	assert_says(given, "out/g9: no event precedes");
	assert_int_equal(check_rules(given, "out"), 1);
	assert_says(given, "BROKEN each guest is known: 1 times");
	assert_int_equal(run(given, "rm -r out/g9"), 0);
	assert_keeps_rules(given, "out");
}

static void applications_are_left_out_and_that_is_said(void **state)
{
	struct given *given = *state;
	struct synthetic *rec = &given->rec;

	build(given, 3);
	synthetic_add_source(rec, "app-server", "app", 0);
	synthetic_app_mark(rec, "app-server", 0, turn_at(1) + 120, 1);
	synthetic_app_mark(rec, "app-server", 0, turn_at(1) + 130, 2);
	synthetic_write(rec);
	convert(given, "out");
	assert_says(given, "Left out: 2 events of applications");
	assert_keeps_rules(given, "out");
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	struct given *given = *state;

	build(given, 5);
	synthetic_write(&given->rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_OK);
	assert_int_equal(convert(given, "again"), STRATA_STATUS_OK);
	assert_int_equal(run(given, "diff -r out again"), 0);
	/* What is there is not written over. */
	assert_int_equal(convert(given, "out"), STRATA_STATUS_FAILED);
	assert_says(given, "out: is not empty (use --force, or another -o)");
}

static void without_the_hypervisor_there_is_no_host(void **state)
{
	struct given *given = *state;

	synthetic_init(&given->rec);
	synthetic_add_source(&given->rec, "dom0", "kernel", 0);
	synthetic_mark(&given->rec, "dom0", 0, 1000, 1);
	synthetic_write(&given->rec);
	assert_int_equal(convert(given, "out"), STRATA_STATUS_FAILED);
	assert_says(given, "the hypervisor was not recorded");
	assert_int_equal(run(given, "test ! -e out"), 0);
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct given));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct given *given = *state;

	synthetic_free(&given->rec);
	free(given);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_is_as_the_analysis_wants_it),
		TEST(events_carry_what_was_recorded),
		TEST(what_is_synthetic_is_said),
		TEST(a_guest_at_another_time_is_seen_by_the_rules),
		TEST(losses_carry_over_and_the_threads_stay_true),
		TEST(a_vcpu_runs_on_one_cpu_at_a_time),
		TEST(who_was_not_selected_is_nobody),
		TEST(two_lives_of_a_module_are_one_trace),
		TEST(a_guest_that_the_analysis_cannot_know_is_named),
		TEST(applications_are_left_out_and_that_is_said),
		TEST(the_same_input_gives_the_same_bytes),
		TEST(without_the_hypervisor_there_is_no_host),
	};

	return cmocka_run_group_tests_name("trace_compass", tests, NULL, NULL);
}
