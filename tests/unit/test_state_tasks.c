// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_tasks.c - the state of kernels' tasks, interrupts and system calls whose answer is
 * known by construction.
 */
#include "state_world.h"

/* The vCPU sleeps, is woken, waits for a CPU, runs, and switches to the task. */
static void a_wakeup_while_the_vcpu_sleeps(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	const struct strata_span *wakeup;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v, BLOCKED, other, 0, 100);
	/* Woken by another CPU of the guest. */
	wake(world, t, 0, 200);
	change(world, v, BLOCKED, RUNNABLE, 0, 230);
	take_over(world, other, RUNNABLE, v, 0, 300);
	switch_to(world, idle, T_RUNNABLE, t, 0, 310);
	finish(world, 400);
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 1);
	wakeup = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 200, 310, STRATA_SPAN_WAKEUP);
	assert_ptr_equal(wakeup->task, t);
	assert_int_equal(part(wakeup, T_RUNNABLE, BLOCKED), 30);
	assert_int_equal(part(wakeup, T_RUNNABLE, RUNNABLE), 70);
	assert_int_equal(part(wakeup, T_RUNNABLE, GUEST), 10);
	EXPECT_STATES(world, t,
		      ((const unsigned int[]){ T_UNKNOWN, T_BLOCKED, T_RUNNABLE, T_RUNNING }),
		      ((const uint64_t[]){ 0, 10, 200, 310, 400 }));
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 0);
	end(world);
}

static void a_wakeup_while_another_task_runs(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *s = task_of(world, kernel, 71, 0);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	const struct strata_span *wait;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	wake(world, t, 0, 100);
	/* sched_waking, sched_wakeup: one wake-up */
	wake(world, t, 0, 102);
	vm_exit(world, v, 1, 110);
	vm_entry(world, v, 150);
	switch_to(world, s, T_RUNNABLE, t, 0, 200);
	/* Woken while it runs: it waits for nothing. */
	wake(world, t, 0, 210);
	switch_to(world, t, T_BLOCKED, s, 0, 260);
	switch_to(world, s, T_BLOCKED, idle, 0, 300);
	wait = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 200, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(wait, T_RUNNABLE, GUEST), 60);
	assert_int_equal(part(wait, T_RUNNABLE, IN_XEN), 40);
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 1);
	wait = expect_at(nth(world, STRATA_SPAN_PREEMPTED, 0), 200, 260, STRATA_SPAN_PREEMPTED);
	assert_ptr_equal(wait->task, s);
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 1);
	assert_ptr_equal(strata_tasks_current(kernel, 0), idle);
	end(world);
}

static void a_task_that_migrates_waits_for_its_new_cpu(void **state)
{
	struct world *world = begin();
	const struct strata_moment begins = at(0);
	struct strata_vcpu *v0 = vcpu_of(world, 1, 0);
	struct strata_vcpu *v1 = strata_vcpus_get(&world->vcpus, 0, 1, 1, &begins);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *s = task_of(world, kernel, 71, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *idle = strata_tasks_get(&world->tasks, kernel, 0, 1, &begins);
	const struct strata_span *wait;

	(void)state;
	change(world, v0, UNKNOWN, GUEST, 0, 0);
	change(world, v1, UNKNOWN, BLOCKED, 1, 0);
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	wake(world, t, 0, 100);
	migrate(world, t, 1, 130);
	wake(world, t, 1, 131);
	change(world, v1, BLOCKED, RUNNABLE, 1, 140);
	change(world, v1, RUNNABLE, GUEST, 1, 145);
	switch_to(world, idle, T_RUNNABLE, t, 1, 160);
	wait = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 160, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(wait, T_RUNNABLE, GUEST), 30 + 15);
	assert_int_equal(part(wait, T_RUNNABLE, BLOCKED), 10);
	assert_int_equal(part(wait, T_RUNNABLE, RUNNABLE), 5);
	assert_ptr_equal(strata_tasks_current(kernel, 1), t);
	assert_ptr_equal(strata_tasks_current(kernel, 0), s);
	/* One that does not wait is not moved. */
	migrate(world, s, 1, 170);
	assert_int_equal(s->cpu, 0);
	end(world);
}

/* Without a hypervisor each CPU is there all of the time. */
static void a_kernel_without_a_hypervisor(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	const struct strata_span *span;

	(void)state;
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	wake(world, t, 0, 100);
	switch_to(world, idle, T_RUNNABLE, t, 0, 130);
	finish(world, 200);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 130, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 30);
	end(world);
}

/* A guest of which the hypervisor has told nothing (yet): where its times went is unknown. */
static void a_kernel_whose_vcpu_nobody_knows(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_vcpu *v;
	const struct strata_span *span;

	(void)state;
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	wake(world, t, 0, 100);
	v = vcpu_of(world, 1, 110);
	change(world, v, UNKNOWN, GUEST, 0, 125);
	switch_to(world, idle, T_RUNNABLE, t, 0, 130);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 100, 130, STRATA_SPAN_WAKEUP);
	assert_int_equal(part(span, T_RUNNABLE, UNKNOWN), 25);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 5);
	end(world);
}

static void a_system_call_is_divided(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_moment now;
	const struct strata_span *call;

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	now = at(100);
	strata_tasks_syscall(&world->tasks, t, 35, NULL, &now);
	switch_to(world, t, T_BLOCKED, idle, 0, 110);
	wake(world, t, 0, 150);
	take_over(world, v, RUNNABLE, other, 0, 160);
	take_over(world, other, RUNNABLE, v, 0, 180);
	switch_to(world, idle, T_RUNNABLE, t, 0, 185);
	now = at(200);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	call = expect_at(nth(world, STRATA_SPAN_SYSCALL, 0), 100, 200, 35);
	assert_ptr_equal(call->task, t);
	assert_int_equal(part(call, T_RUNNING, GUEST), 10 + 15);
	assert_int_equal(part(call, T_BLOCKED, GUEST), 40);
	assert_int_equal(part(call, T_RUNNABLE, GUEST), 10 + 5);
	assert_int_equal(part(call, T_RUNNABLE, RUNNABLE), 20);
	/* An end without a beginning is nothing; of two beginnings the last one counts. */
	now = at(210);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	strata_tasks_syscall(&world->tasks, t, 1, NULL, &now);
	now = at(220);
	strata_tasks_syscall(&world->tasks, t, 2, NULL, &now);
	now = at(230);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 2);
	expect_at(nth(world, STRATA_SPAN_SYSCALL, 1), 220, 230, 2);
	end(world);
}

static void a_loss_of_a_kernel(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	struct strata_moment now = at(40);

	(void)state;
	switch_to(world, s, T_BLOCKED, t, 0, 10);
	strata_tasks_syscall(&world->tasks, t, 35, NULL, &now);
	wake(world, s, 0, 50);
	lose_kernel(world, kernel, 100);
	assert_null(strata_tasks_current(kernel, 0));
	switch_to(world, t, T_BLOCKED, s, 0, 130);
	now = at(140);
	strata_tasks_syscall_end(&world->tasks, t, &now);
	switch_to(world, s, T_BLOCKED, idle, 0, 150);
	finish(world, 200);
	/* It ran until the loss; since when it waited anew is unknown. */
	EXPECT_STATES(world, t,
		      ((const unsigned int[]){ T_UNKNOWN, T_RUNNING, T_UNKNOWN, T_BLOCKED }),
		      ((const uint64_t[]){ 0, 10, 100, 130, 200 }));
	/* Neither the wait nor the call, whose ends may have been lost, and others begun. */
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 0);
	assert_int_equal(count(world, STRATA_SPAN_PREEMPTED), 0);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 0);
	end(world);
}

/* A trace of chosen threads, or of a tracer that lost an event and does not know it. */
static void a_switch_that_is_missing(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	const struct strata_moment now = at(200);
	const struct strata_span *span;
	size_t i;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, s, 0, 10);
	switch_to(world, s, T_BLOCKED, t, 0, 20);
	/* From t to s is missing: t ran until some time, and s has run since then. */
	switch_to(world, s, T_BLOCKED, idle, 0, 100);
	assert_ptr_equal(strata_tasks_current(kernel, 0), idle);
	strata_tasks_end(&world->tasks, kernel, &now);
	for (i = 0; i < count(world, STRATA_SPAN_TASK); i++) {
		span = nth(world, STRATA_SPAN_TASK, i);
		if (span->from_ns >= 20 && span->from_ns < 100 && span->task->tid != 0)
			assert_int_equal(span->number, STRATA_TASK_UNKNOWN);
	}
	assert_int_equal(s->life->split.ns[STRATA_TASK_BLOCKED][STRATA_VCPU_GUEST], 100);
	assert_int_equal(s->life->split.ns[STRATA_TASK_RUNNING][STRATA_VCPU_GUEST], 10);
	assert_int_equal(t->life->split.ns[STRATA_TASK_RUNNING][STRATA_VCPU_GUEST], 0);
	end(world);
}

/* A task that runs on two CPUs has left one of them by a switch that is missing. */
static void a_task_that_runs_twice(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *other = task_of(world, kernel, 72, 0),
			   *s = task_of(world, kernel, 71, 0);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	switch_to(world, other, T_RUNNABLE, t, 1, 40);
	assert_null(strata_tasks_current(kernel, 0));
	switch_to(world, s, T_BLOCKED, idle, 0, 50);
	assert_int_equal(t->state, T_RUNNING);
	switch_to(world, t, T_BLOCKED, other, 1, 60);
	assert_int_equal(t->life->split.ns[STRATA_TASK_RUNNING][STRATA_VCPU_GUEST], 20);
	assert_int_equal(t->life->split.ns[STRATA_TASK_UNKNOWN][STRATA_VCPU_GUEST], 10 + 30);
	assert_int_equal(world->tasks.switches_missing, 1);
	/* One that leaves a CPU while it is known to run on another. */
	switch_to(world, other, T_RUNNABLE, s, 1, 70);
	switch_to(world, s, T_BLOCKED, t, 0, 80);
	assert_null(strata_tasks_current(kernel, 1));
	assert_ptr_equal(strata_tasks_current(kernel, 0), t);
	assert_int_equal(world->tasks.switches_missing, 2);
	end(world);
}

/* A system call that began before the time that is unknown goes on; one in it may be another
 * task's.
 */
static void system_calls_around_a_switch_that_is_missing(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 0);
	struct strata_task *s = task_of(world, kernel, 71, 0);
	const struct strata_moment in_sure = at(15), in_doubt = at(60), over = at(120);
	const struct strata_span *span;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	strata_tasks_syscall(&world->tasks, t, 7, NULL, &in_sure);
	switch_to(world, t, T_BLOCKED, s, 0, 20);
	strata_tasks_syscall(&world->tasks, s, 8, NULL, &in_doubt);
	/* From s to t is missing. */
	switch_to(world, t, T_RUNNABLE, s, 0, 100);
	strata_tasks_syscall_end(&world->tasks, s, &over);
	switch_to(world, s, T_BLOCKED, t, 0, 110);
	strata_tasks_syscall_end(&world->tasks, t, &over);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 1);
	span = expect_at(nth(world, STRATA_SPAN_SYSCALL, 0), 15, 120, 7);
	assert_int_equal(part(span, T_RUNNING, GUEST), 5 + 10);
	assert_int_equal(part(span, T_UNKNOWN, GUEST), 80);
	assert_int_equal(part(span, T_RUNNABLE, GUEST), 10);
	end(world);
}

/* Leaves its CPU as a zombie. */
static void end_task(struct world *world, struct strata_task *task, struct strata_task *after,
		     uint32_t cpu, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_tasks_switch(&world->tasks, task, STRATA_TASK_BLOCKED, 0x20, after, cpu, &now);
}

/* A task that has ended is in no state, and the next one with its number begins anew. */
static void a_task_that_ends(void **state)
{
	static const unsigned int states[] = { T_UNKNOWN, T_RUNNING, T_UNKNOWN, T_RUNNING };
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 5);
	const struct strata_moment called = at(20), done = at(60);
	const struct strata_span *span;
	size_t i, nr = 0;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	strata_tasks_syscall(&world->tasks, t, 231, NULL, &called);
	/* It is one that was looked for last. */
	assert_ptr_equal(task_of(world, kernel, 70, 25), t);
	end_task(world, t, idle, 0, 30);
	assert_null(t->life);
	assert_ptr_equal(task_of(world, kernel, 70, 40), t);
	assert_non_null(t->life);
	switch_to(world, idle, T_RUNNABLE, t, 0, 50);
	strata_tasks_syscall_end(&world->tasks, t, &done);
	end_task(world, t, idle, 0, 70);
	finish(world, 100);
	assert_int_equal(count(world, STRATA_SPAN_SYSCALL), 0);
	for (i = 0; (span = nth(world, STRATA_SPAN_TASK, i)); i++) {
		if (span->task != t)
			continue;
		assert_true(nr < sizeof(states) / sizeof(states[0]));
		assert_int_equal(span->number, states[nr]);
		assert_true(span->to_ns <= 30 || (span->from_ns >= 40 && span->to_ns <= 70));
		nr++;
	}
	assert_int_equal(nr, sizeof(states) / sizeof(states[0]));
	end(world);
}

/* One whose request is open keeps its times until that ends. */
static void a_task_that_ends_within_a_request(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *idle = task_of(world, kernel, 0, 0), *t = task_of(world, kernel, 70, 5);
	const struct strata_span *span;

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 10);
	request(world, true, t, 1, 20);
	end_task(world, t, idle, 0, 30);
	assert_non_null(t->life);
	request(world, false, t, 1, 50);
	span = expect_at(nth(world, STRATA_SPAN_REQUEST, 0), 20, 50, 1);
	assert_int_equal(part(span, T_RUNNING, GUEST), 10);
	assert_int_equal(part(span, T_BLOCKED, GUEST), 20);
	end(world);
}

static void interrupts_within_interrupts(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *other = vcpu_of(world, 2, 0);
	struct strata_kernel *kernel = kernel_of(world, 1);
	const struct strata_span *span;
	struct strata_moment now = at(90);

	(void)state;
	change(world, v, UNKNOWN, GUEST, 0, 0);
	strata_tasks_softirq(&world->tasks, kernel, 0, 3, &now);
	irq(world, kernel, 16, 100);
	irq(world, kernel, 17, 110);
	take_over(world, v, RUNNABLE, other, 0, 115);
	take_over(world, other, RUNNABLE, v, 0, 125);
	irq_end(world, kernel, 17, 130);
	irq_end(world, kernel, 16, 150);
	now = at(160);
	strata_tasks_softirq_end(&world->tasks, kernel, 0, 3, &now);
	strata_tasks_softirq_end(&world->tasks, kernel, 0, 3, &now);
	span = expect_at(nth(world, STRATA_SPAN_IRQ, 0), 110, 130, 17);
	assert_int_equal(part(span, T_RUNNING, RUNNABLE), 10);
	assert_int_equal(span->name_bytes, 4);
	assert_memory_equal(span->name, "eth0", 4);
	expect_at(nth(world, STRATA_SPAN_IRQ, 1), 100, 150, 16);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), 2);
	expect_at(nth(world, STRATA_SPAN_SOFTIRQ, 0), 90, 160, 3);
	assert_int_equal(count(world, STRATA_SPAN_SOFTIRQ), 1);
	end(world);
}

/* An end of one that never began takes nothing from those that go on. */
static void an_interrupts_end_without_a_beginning(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);

	(void)state;
	irq_end(world, kernel, 99, 50);
	irq(world, kernel, 16, 100);
	irq_end(world, kernel, 99, 110);
	irq_end(world, kernel, 16, 150);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), 1);
	expect_at(nth(world, STRATA_SPAN_IRQ, 0), 100, 150, 16);
	end(world);
}

/* Deeper than the state follows: the spans are right, also for a number that occurs twice. */
static void interrupts_that_nest_too_deep(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	unsigned int i;

	(void)state;
	for (i = 0; i < STRATA_IRQ_DEPTH; i++)
		irq(world, kernel, 1 + i, 100 + i);
	irq(world, kernel, 1, 200);
	irq(world, kernel, 9, 201);
	irq_end(world, kernel, 9, 210);
	irq_end(world, kernel, 1, 211);
	for (i = STRATA_IRQ_DEPTH; i-- > 0;)
		irq_end(world, kernel, 1 + i, 300 - i);
	assert_int_equal(count(world, STRATA_SPAN_IRQ), STRATA_IRQ_DEPTH);
	for (i = 0; i < STRATA_IRQ_DEPTH; i++)
		expect_at(nth(world, STRATA_SPAN_IRQ, STRATA_IRQ_DEPTH - 1 - i), 100 + i, 300 - i,
			  1 + i);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wakeup_while_the_vcpu_sleeps),
		cmocka_unit_test(a_wakeup_while_another_task_runs),
		cmocka_unit_test(a_task_that_migrates_waits_for_its_new_cpu),
		cmocka_unit_test(a_kernel_without_a_hypervisor),
		cmocka_unit_test(a_kernel_whose_vcpu_nobody_knows),
		cmocka_unit_test(a_system_call_is_divided),
		cmocka_unit_test(a_loss_of_a_kernel),
		cmocka_unit_test(a_switch_that_is_missing),
		cmocka_unit_test(a_task_that_runs_twice),
		cmocka_unit_test(system_calls_around_a_switch_that_is_missing),
		cmocka_unit_test(a_task_that_ends),
		cmocka_unit_test(a_task_that_ends_within_a_request),
		cmocka_unit_test(interrupts_within_interrupts),
		cmocka_unit_test(an_interrupts_end_without_a_beginning),
		cmocka_unit_test(interrupts_that_nest_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
