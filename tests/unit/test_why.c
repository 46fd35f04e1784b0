// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_why.c - where the time of instances went, and who was to blame, on hosts whose answer is
 * known by construction: what happens is told to the state, and the trees that come of its spans
 * are looked at.
 */
#include "state/locks.h"
#include "why_world.h"

static void its_vcpu_is_preempted_and_xen_works(void **state)
{
	struct question *question = ask(1, 70, 100, 900, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *g2 = vcpu_of(world, 2, 0);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 50);
	change(world, g2, UNKNOWN, RUNNABLE, 1, 60);
	take_over(world, v, RUNNABLE, g2, 1, 200); /* after 100 of its own */
	take_over(world, g2, RUNNABLE, v, 1, 500);
	vm_exit(world, v, 12, 550);
	vm_entry(world, v, 590);
	irq(world, g1, IRQ, 600);
	vm_exit(world, v, 1, 610);
	vm_entry(world, v, 615);
	irq_end(world, g1, IRQ, 620);
	switch_to(world, t, T_RUNNABLE, task_of(world, g1, 71, 0), 0, 700);
	switch_to(world, task_of(world, g1, 71, 0), T_BLOCKED, t, 0, 780);
	/* Until the recording ends an exit goes on, of which nobody knows the end. */
	vm_exit(world, v, 2, 850);
	answer(question, 1000);
	expect(question, 300, "d1/0", PATH(STRATA_WHY_PREEMPTED));
	expect(question, 300, "d2/0 on pCPU 1", PATH(STRATA_WHY_PREEMPTED, STRATA_WHY_BEHIND_VCPU));
	expect(question, 40, "12", PATH(STRATA_WHY_XEN, STRATA_WHY_EXIT));
	expect(question, 90, NULL, PATH(STRATA_WHY_XEN));
	expect(question, 50, NULL, PATH(STRATA_WHY_XEN, STRATA_WHY_REST));
	expect(question, 20, "irq 72 eth0", PATH(STRATA_WHY_IRQ));
	expect(question, 5, "1", PATH(STRATA_WHY_IRQ, STRATA_WHY_XEN, STRATA_WHY_EXIT));
	expect(question, 80, "?-71", PATH(STRATA_WHY_QUEUED, STRATA_WHY_BEHIND_TASK));
	expect(question, 310, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 0, "running", "", 310);
	expect_blame(question, 1, "vcpu_preempted", "d2", 300);
	expect_blame(question, 2, "task_preempted", "?-71", 80);
	forget(question);
}

/* Each end is off by 2; a part has two ends for each of its runs. */
static void bounds_are_those_of_the_ends(void **state)
{
	struct question *question = ask(1, 70, 100, 900, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *g2 = vcpu_of(world, 2, 0);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 50);
	change(world, g2, UNKNOWN, RUNNABLE, 1, 60);
	take_over(world, v, RUNNABLE, g2, 1, 200);
	take_over(world, g2, RUNNABLE, v, 1, 500);
	answer(question, 1000);
	assert_int_equal(question->tree.nodes[0].bound_ns, 4);
	assert_int_equal(node(question, PATH(STRATA_WHY_PREEMPTED))->times, 1);
	assert_int_equal(node(question, PATH(STRATA_WHY_PREEMPTED))->bound_ns, 4);
	assert_int_equal(node(question, PATH(STRATA_WHY_RAN))->times, 2);
	assert_int_equal(node(question, PATH(STRATA_WHY_RAN))->bound_ns, 8);
	forget(question);
}

static void it_waits_for_another_domain(void **state)
{
	struct question *question = ask_of_another_domain();

	(void)state;
	answer(question, 300);
#define BLOCKED_FOR STRATA_WHY_BLOCKED, STRATA_WHY_SYSCALL
	expect(question, 148, NULL, PATH(STRATA_WHY_BLOCKED));
	expect(question, 92, "?-300 on d0/0", PATH(BLOCKED_FOR, STRATA_WHY_WAITS_OTHER));
	expect(question, 42, NULL, PATH(BLOCKED_FOR, STRATA_WHY_WAITS_OTHER, STRATA_WHY_RAN));
	expect(question, 50, "?-301",
	       PATH(BLOCKED_FOR, STRATA_WHY_WAITS_OTHER, STRATA_WHY_QUEUED,
		    STRATA_WHY_BEHIND_TASK));
	expect(question, 56, "irq 72 eth0", PATH(BLOCKED_FOR, STRATA_WHY_DELIVERED));
	expect(question, 3, "d1/0", PATH(BLOCKED_FOR, STRATA_WHY_DELIVERED, STRATA_WHY_ASLEEP));
	expect(question, 35, "d2/0 on pCPU 1",
	       PATH(BLOCKED_FOR, STRATA_WHY_DELIVERED, STRATA_WHY_WAKES, STRATA_WHY_BEHIND_VCPU));
	expect(question, 13, NULL, PATH(BLOCKED_FOR, STRATA_WHY_DELIVERED, STRATA_WHY_WAKING));
	expect(question, 5, NULL, PATH(BLOCKED_FOR, STRATA_WHY_DELIVERED, STRATA_WHY_IRQ));
	expect(question, 2, NULL, PATH(STRATA_WHY_IRQ));
	expect(question, 12, NULL, PATH(STRATA_WHY_QUEUED, STRATA_WHY_SWITCHING));
	expect(question, 28, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 0, "backend_domain", "d0", 92);
	expect_blame(question, 1, "vcpu_wakes_late", "d2", 35);
	forget(question);
}

/* dom0's handler of a disk's interrupt sends to g1, for which a task of g1 waits.  It is pending
 * while dom0's vCPU waits behind g2.  The task that it interrupts has no part in it.
 * @by_guest: it is no disk's, but g2's task made it pending, which before that ran */
static void it_waits_for_a_handler_of_another_domain(bool by_guest)
{
	struct question *question = ask(1, 70, 10, 130, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1, *dom0, *g2;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_task *idle0 = boot(question, 2, 0, &dom0);
	struct strata_task *hog = task_of(world, dom0, 301, 0), *idle2 = boot(question, 3, 2, &g2);
	struct strata_task *asks = task_of(world, g2, 90, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *v0 = vcpu_of(world, 0, 0);
	struct strata_vcpu *v2 = vcpu_of(world, 2, 0), *d3 = vcpu_of(world, 3, 0);
	const struct strata_xen_place of_g2 = { .vcpu = v2, .kernel = g2, .task = asks, .pcpu = 2 };
	const struct strata_xen_place sends = {
		.vcpu = v0, .kernel = dom0, .task = hog, .pcpu = 0
	};
	struct strata_moment now;

	change(world, d3, UNKNOWN, RUNNABLE, 0, 0);
	change(world, v2, GUEST, GUEST, 2, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	switch_to(world, idle0, T_RUNNABLE, hog, 0, 5);
	switch_to(world, idle2, T_RUNNABLE, asks, 0, 5);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v0, RUNNABLE, d3, 0, 40);
	now = at(60);
	if (by_guest)
		strata_evtchns_send(&world->evtchns, &of_g2, 0, PORT + 1, &now);
	strata_evtchns_pending(&world->evtchns, &of_g2, v0, PORT + 1, &now);
	take_over(world, d3, RUNNABLE, v0, 0, 90);
	now = at(92);
	strata_evtchns_upcall(&world->evtchns, dom0, 0, PORT + 1, 33, &now);
	irq(world, dom0, 33, 93);
	now = at(100);
	strata_evtchns_send(&world->evtchns, &sends, 1, PORT, &now);
	now = at(102);
	strata_evtchns_pending(&world->evtchns, &sends, v, PORT, &now);
	irq_end(world, dom0, 33, 104);
	now = at(110);
	strata_evtchns_upcall(&world->evtchns, g1, 0, PORT, IRQ, &now);
	irq(world, g1, IRQ, 112);
	wake_by(world, t, idle, 115);
	irq_end(world, g1, IRQ, 116);
	switch_to(world, idle, T_RUNNABLE, t, 0, 120);
	answer(question, 300);
#define OF_DOM0 STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_OTHER
	expect(question, 92, "d0/0", PATH(OF_DOM0));
	expect(question, 42, "irq 33 eth0", PATH(OF_DOM0, STRATA_WHY_DELIVERED));
	expect(question, 30, "d3/0 on pCPU 0",
	       PATH(OF_DOM0, STRATA_WHY_DELIVERED, STRATA_WHY_PREEMPTED, STRATA_WHY_BEHIND_VCPU));
	expect(question, 3, NULL, PATH(OF_DOM0, STRATA_WHY_DELIVERED, STRATA_WHY_WAKING));
	expect(question, 9, "irq 33 eth0", PATH(OF_DOM0, STRATA_WHY_DELIVERED, STRATA_WHY_IRQ));
	if (by_guest) {
		expect(question, 50, "?-90 on d2/0", PATH(OF_DOM0, STRATA_WHY_WAITS_OTHER));
		expect(question, 50, NULL, PATH(OF_DOM0, STRATA_WHY_WAITS_OTHER, STRATA_WHY_RAN));
	} else {
		expect(question, 50, "irq 33 eth0", PATH(OF_DOM0, STRATA_WHY_WAITS_IRQ));
	}
	/* Of what dom0 is waited for, it waits itself for g2. */
	expect_blame(question, 0, "backend_domain", by_guest ? "d2" : "d0", by_guest ? 50 : 92);
	if (by_guest)
		expect_blame(question, 1, "backend_domain", "d0", 42);
	forget(question);
}

static void a_disk_whose_interrupt_dom0_takes_late(void **state)
{
	(void)state;
	it_waits_for_a_handler_of_another_domain(false);
}

static void a_guest_whose_event_dom0_hands_on_in_a_handler(void **state)
{
	(void)state;
	it_waits_for_a_handler_of_another_domain(true);
}

/* A task that sends to another one of its kernel runs the network's softirq itself.  One that was
 * raised by an interrupt is none of its work.
 * @by_interrupt: an interrupt raised it, before the task did */
static void it_waits_for_a_softirq(bool by_interrupt)
{
	struct question *question = ask(1, 70, 10, 100, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_task *server = task_of(world, g1, 71, 0);
	struct strata_moment now = at(50);

	irq(world, g1, 1, 1);
	irq_end(world, g1, 1, 2);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	switch_to(world, t, T_BLOCKED, server, 0, 10);
	if (by_interrupt) {
		irq(world, g1, IRQ, 45);
		strata_tasks_raise(&world->tasks, g1, 0, 3, &now);
		irq_end(world, g1, IRQ, 49);
	}
	strata_tasks_raise(&world->tasks, g1, 0, 3, &now);
	now = at(52);
	strata_tasks_softirq(&world->tasks, g1, 0, 3, &now);
	wake_by(world, t, server, 55);
	now = at(60);
	strata_tasks_softirq_end(&world->tasks, g1, 0, 3, &now);
	switch_to(world, server, T_BLOCKED, t, 0, 80);
	answer(question, 200);
	if (by_interrupt)
		expect(question, 45, "softirq net_rx",
		       PATH(STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_IRQ));
	else
		expect(question, 45, "?-71", PATH(STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_TASK));
	forget(question);
}

static void a_softirq_that_a_task_raised_and_runs(void **state)
{
	(void)state;
	it_waits_for_a_softirq(false);
}

static void a_softirq_that_an_interrupt_raised(void **state)
{
	(void)state;
	it_waits_for_a_softirq(true);
}

/* Without event channels: the kernel was idle, so its vCPU was woken for the timer that woke the
 * task. */
static void it_waits_for_a_timer_and_its_vcpu_wakes_late(bool is_idle)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_task *other = task_of(world, g1, 71, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *g2 = vcpu_of(world, 2, 0);

	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v, BLOCKED, g2, 1, 20);
	change(world, v, BLOCKED, RUNNABLE, 1, 100);
	take_over(world, g2, RUNNABLE, v, 1, 240);
	/* If another task runs then, nobody knows since when the interrupt was pending. */
	if (!is_idle)
		switch_to(world, idle, T_RUNNABLE, other, 0, 245);
	irq(world, g1, IRQ, 250);
	wake_by(world, t, is_idle ? idle : other, 255);
	irq_end(world, g1, IRQ, 260);
	switch_to(world, is_idle ? idle : other, is_idle ? T_RUNNABLE : T_BLOCKED, t, 0, 270);
	answer(question, 400);
	if (is_idle) {
		expect(question, 90, "irq 72 eth0", PATH(STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_IRQ));
		expect(question, 140, "d2/0 on pCPU 1",
		       PATH(STRATA_WHY_BLOCKED, STRATA_WHY_DELIVERED, STRATA_WHY_WAKES,
			    STRATA_WHY_BEHIND_VCPU));
		expect_blame(question, 0, "vcpu_wakes_late", "d2", 140);
		expect_blame(question, 1, "blocked", "irq 72 eth0", 100);
	} else {
		expect(question, 245, "irq 72 eth0",
		       PATH(STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_IRQ));
		expect_blame(question, 0, "blocked", "irq 72 eth0", 245);
	}
	forget(question);
}

static void a_timer_while_its_kernel_is_idle(void **state)
{
	(void)state;
	it_waits_for_a_timer_and_its_vcpu_wakes_late(true);
}

static void a_timer_while_another_task_runs(void **state)
{
	(void)state;
	it_waits_for_a_timer_and_its_vcpu_wakes_late(false);
}

/* The same with another task, of a timer of which it is known when it was due. */
static void a_timer_fires_late(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_task *other = task_of(world, g1, 71, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *g2 = vcpu_of(world, 2, 0);
	const struct strata_moment now = at(250);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	strata_timers_arm(&g1->timers, 0x10, 7000, g1->losses);
	switch_to(world, t, T_BLOCKED, other, 0, 10);
	take_over(world, v, RUNNABLE, g2, 1, 20);
	take_over(world, g2, RUNNABLE, v, 1, 240);
	irq(world, g1, IRQ, 250);
	strata_tasks_timer(&world->tasks, g1, 0, true, 0x1234, &now);
	strata_tasks_timer_late(&world->tasks, g1, 0, 0x10, 7000 + 150, &now);
	wake_by(world, t, other, 255);
	strata_tasks_timer(&world->tasks, g1, 0, false, 0, &now);
	irq_end(world, g1, IRQ, 260);
	switch_to(world, other, T_BLOCKED, t, 0, 265);
	answer(question, 400);
	expect(question, 90, "a timer", PATH(STRATA_WHY_BLOCKED, STRATA_WHY_WAITS_IRQ));
	expect(question, 140, "d2/0 on pCPU 1",
	       PATH(STRATA_WHY_BLOCKED, STRATA_WHY_DUE, STRATA_WHY_PREEMPTED,
		    STRATA_WHY_BEHIND_VCPU));
	expect_blame(question, 0, "timer_late", "d2", 140);
	expect_blame(question, 1, "blocked", "a timer", 90);
	expect_blame(question, 3, "timer_late", "", 10);
	forget(question);
}

static void it_spins_for_a_lock_whose_holder_is_preempted(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_vcpu *g2 = vcpu_of(world, 2, 0);
	struct strata_moment now = at(0);
	struct strata_vcpu *second = strata_vcpus_get(&world->vcpus, 0, 1, 1, &now);

	(void)state;
	change(world, second, UNKNOWN, GUEST, 2, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	change(world, g2, UNKNOWN, RUNNABLE, 2, 40);
	take_over(world, second, RUNNABLE, g2, 2, 50);
	now = at(60);
	strata_locks_begin(&world->tasks, t, 0xff01, 1, &now);
	take_over(world, g2, RUNNABLE, second, 2, 250);
	now = at(270);
	strata_locks_end(&world->tasks, t, 0xff01, &now);
	answer(question, 400);
	expect(question, 210, NULL, PATH(STRATA_WHY_SPINS));
	expect(question, 190, "d1/1", PATH(STRATA_WHY_SPINS, STRATA_WHY_HOLDER));
	expect(question, 190, "d2/0 on pCPU 2",
	       PATH(STRATA_WHY_SPINS, STRATA_WHY_HOLDER, STRATA_WHY_BEHIND_VCPU));
	expect(question, 80, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 0, "lock_holder_preempted", "d2", 190);
	expect_blame(question, 1, "running", "", 80);
	expect_blame(question, 2, "lock", "", 20);
	forget(question);
}

static void it_waits_for_a_lock_whose_holder_is_preempted(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *g2 = vcpu_of(world, 2, 0);
	struct strata_moment now = at(0);
	struct strata_vcpu *second = strata_vcpus_get(&world->vcpus, 0, 1, 1, &now);

	(void)state;
	change(world, second, UNKNOWN, GUEST, 2, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	change(world, g2, UNKNOWN, RUNNABLE, 2, 40);
	take_over(world, second, RUNNABLE, g2, 2, 50);
	change(world, v, GUEST, BLOCKED, 1, 100);
	take_over(world, g2, RUNNABLE, second, 2, 250);
	change(world, v, BLOCKED, RUNNABLE, 1, 260);
	change(world, v, RUNNABLE, GUEST, 1, 261);
	answer(question, 400);
	expect(question, 160, "d1/0", PATH(STRATA_WHY_HALTED));
	expect(question, 150, "d1/1", PATH(STRATA_WHY_HALTED, STRATA_WHY_HOLDER));
	expect(question, 150, "d2/0 on pCPU 2",
	       PATH(STRATA_WHY_HALTED, STRATA_WHY_HOLDER, STRATA_WHY_BEHIND_VCPU));
	expect_blame(question, 0, "lock_holder_preempted", "d2", 150);
	forget(question);
}

/* Each task is woken by the next one, which had slept as well. */
static void chains_of_wakeups_end_somewhere(void **state)
{
	struct question *question = ask(1, 100, 100, 1000, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *task[20];
	enum strata_why_what path[40];
	uint32_t i;

	(void)state;
	for (i = 0; i < 20; i++)
		task[i] = task_of(world, g1, 100 + i, 0);
	irq(world, g1, 1, 1);
	irq_end(world, g1, 1, 2);
	for (i = 0; i < 20; i++) {
		switch_to(world, i ? task[i - 1] : idle, i ? T_BLOCKED : T_RUNNABLE, task[i], 0,
			  20 + i);
	}
	switch_to(world, task[19], T_BLOCKED, idle, 0, 50);
	wake(world, task[19], 0, 200);
	switch_to(world, idle, T_RUNNABLE, task[19], 0, 210);
	for (i = 19; i > 0; i--) {
		wake_by(world, task[i - 1], task[i], 1000 - 20 * i);
		switch_to(world, task[i], T_BLOCKED, task[i - 1], 0, 1005 - 20 * i);
	}
	answer(question, 1200);
	for (i = 0; i < STRATA_WHY_DEPTH; i++) {
		path[2 * i] = STRATA_WHY_BLOCKED;
		path[2 * i + 1] = STRATA_WHY_WAITS_TASK;
	}
	expect(question, 980 - 100, "?-101", path, 2);
	path[2 * i] = STRATA_WHY_BLOCKED;
	path[2 * i + 1] = STRATA_WHY_WAITS_TASK;
	path[2 * i + 2] = STRATA_WHY_WAITS_MORE;
	assert_non_null(node(question, path, 2 * i + 3));
	forget(question);
}

static void what_is_lost_is_unknown(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	lose(world, 1, 50);
	seen(world, vcpu_of(world, 1, 0), 1, 80);
	lose_kernel(world, g1, 100);
	switch_to(world, idle, T_RUNNABLE, t, 0, 280);
	answer(question, 400);
	expect(question, 30, NULL, PATH(STRATA_WHY_UNKNOWN, STRATA_WHY_UNKNOWN_VCPU));
	expect(question, 180, NULL, PATH(STRATA_WHY_UNKNOWN, STRATA_WHY_UNKNOWN_TASK));
	expect(question, 80, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 0, "unknown", "", 210);
	forget(question);
}

/* A guest without a hypervisor's trace: what its vCPU did is unknown, not made up. */
static void without_a_hypervisor_vcpus_are_unknown(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1 = strata_tasks_kernel(&world->tasks, 1, 0, 1);
	struct strata_task *t = task_of(world, g1, 70, 0);

	(void)state;
	switch_to(world, task_of(world, g1, 0, 0), T_RUNNABLE, t, 0, 5);
	irq(world, g1, IRQ, 100);
	irq_end(world, g1, IRQ, 120);
	answer(question, 400);
	expect(question, 290, NULL, PATH(STRATA_WHY_UNKNOWN));
	expect_blame(question, 0, "unknown", "", 290);
	forget(question);
}

static void a_machine_without_one_has_its_cpus(void **state)
{
	struct question *question = ask(1, 70, 10, 300, 1000);
	struct world *world = question->world;
	struct strata_kernel *kernel = strata_tasks_kernel(&world->tasks, 1, 0, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0);

	(void)state;
	switch_to(world, task_of(world, kernel, 0, 0), T_RUNNABLE, t, 0, 5);
	irq(world, kernel, IRQ, 100);
	irq_end(world, kernel, IRQ, 120);
	answer(question, 400);
	expect(question, 270, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 1, "interrupts", "irq 72 eth0", 20);
	forget(question);
}

static void of_no_length_there_is_nothing_to_say(void **state)
{
	struct question *question = ask(1, 70, 10, 10, 1000);
	struct strata_kernel *g1;

	(void)state;
	boot(question, 1, 1, &g1);
	answer(question, 400);
	assert_int_equal(question->findings.nr, 0);
	forget(question);
}

/* Spans of one lane that lie in each other: the innermost counts, whatever they look like. */
static void nested_interrupts(void **state)
{
	struct question *question = ask(1, 70, 0, 100, 1000);
	struct world *world = question->world;
	struct strata_kernel *g1;
	struct strata_task *idle = boot(question, 1, 1, &g1), *t = task_of(world, g1, 70, 0);

	(void)state;
	switch_to(world, idle, T_RUNNABLE, t, 0, 0);
	irq(world, g1, 1, 10);
	irq(world, g1, 2, 20);
	irq(world, g1, 3, 20);
	irq_end(world, g1, 3, 30);
	irq_end(world, g1, 2, 50);
	irq_end(world, g1, 1, 65);
	answer(question, 100);
	expect(question, 45, NULL, PATH(STRATA_WHY_RAN));
	expect_blame(question, 1, "interrupts", "irq 1 eth0", 25);
	expect_blame(question, 2, "interrupts", "irq 2 eth0", 20);
	expect_blame(question, 3, "interrupts", "irq 3 eth0", 10);
	forget(question);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_vcpu_is_preempted_and_xen_works),
		cmocka_unit_test(bounds_are_those_of_the_ends),
		cmocka_unit_test(it_waits_for_another_domain),
		cmocka_unit_test(a_disk_whose_interrupt_dom0_takes_late),
		cmocka_unit_test(a_guest_whose_event_dom0_hands_on_in_a_handler),
		cmocka_unit_test(a_softirq_that_a_task_raised_and_runs),
		cmocka_unit_test(a_softirq_that_an_interrupt_raised),
		cmocka_unit_test(a_timer_while_its_kernel_is_idle),
		cmocka_unit_test(a_timer_while_another_task_runs),
		cmocka_unit_test(a_timer_fires_late),
		cmocka_unit_test(it_spins_for_a_lock_whose_holder_is_preempted),
		cmocka_unit_test(it_waits_for_a_lock_whose_holder_is_preempted),
		cmocka_unit_test(chains_of_wakeups_end_somewhere),
		cmocka_unit_test(what_is_lost_is_unknown),
		cmocka_unit_test(without_a_hypervisor_vcpus_are_unknown),
		cmocka_unit_test(a_machine_without_one_has_its_cpus),
		cmocka_unit_test(of_no_length_there_is_nothing_to_say),
		cmocka_unit_test(nested_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
