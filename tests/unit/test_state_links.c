// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_state_links.c - which task woke which, and by which event channel or interrupt, where the
 * answer is known by construction.
 */
#include "state_world.h"

/* Two kernels of one machine: g1 is domain 1 on traces[1], dom0 is domain 0 on traces[2]. */
#define PORT  9u
#define IRQ   72u
#define TIMER 0xffffffff81168830ull

static void wake_from(struct world *world, struct strata_task *task, uint32_t cpu,
		      const struct strata_task *by, uint32_t by_cpu, bool is_waking, uint64_t ns)
{
	const struct strata_waker waker = { .task = by, .cpu = by_cpu, .is_waking = is_waking };
	const struct strata_moment now = at(ns);

	strata_tasks_wake(&world->tasks, task, cpu, &waker, &now);
}

static void softirq(struct world *world, struct strata_kernel *kernel, uint64_t vector, bool begins,
		    uint64_t ns)
{
	const struct strata_moment now = at(ns);

	if (begins)
		strata_tasks_softirq(&world->tasks, kernel, 0, vector, &now);
	else
		strata_tasks_softirq_end(&world->tasks, kernel, 0, vector, &now);
}

static void vcpu_wakes(struct world *world, struct strata_vcpu *vcpu, const struct strata_vcpu *by,
		       uint32_t pcpu, uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by, .pcpu = pcpu };
	const struct strata_moment now = at(ns);

	strata_vcpus_wake(&world->vcpus, vcpu, BLOCKED, &place, &now);
}

static void send(struct world *world, const struct strata_vcpu *by, const struct strata_task *task,
		 uint32_t pcpu, uint32_t to_domain, uint32_t port, uint64_t ns)
{
	const struct strata_xen_place place = {
		.vcpu = by, .kernel = task ? task->kernel : NULL, .task = task, .pcpu = pcpu
	};
	const struct strata_moment now = at(ns);

	strata_evtchns_send(&world->evtchns, &place, to_domain, port, &now);
}

static void pending(struct world *world, struct strata_vcpu *to, const struct strata_vcpu *by,
		    uint32_t pcpu, uint32_t port, uint64_t ns)
{
	const struct strata_xen_place place = { .vcpu = by, .pcpu = pcpu };
	const struct strata_moment now = at(ns);

	strata_evtchns_pending(&world->evtchns, &place, to, port, &now);
}

static void upcall(struct world *world, struct strata_kernel *kernel, uint32_t port, uint64_t ns)
{
	const struct strata_moment now = at(ns);

	strata_evtchns_upcall(&world->evtchns, kernel, 0, port, IRQ, &now);
}

static void a_task_wakes_another(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0), *s = task_of(world, kernel, 71, 0);
	struct strata_moment now = at(20);
	const struct strata_link *link;
	const struct strata_span *span;

	(void)state;
	strata_tasks_switch(&world->tasks, s, T_RUNNABLE, 0, t, 0, &now);
	irq(world, kernel, 1, 21);
	irq_end(world, kernel, 1, 22);
	strata_tasks_syscall(&world->tasks, t, 35, NULL, &now);
	now = at(40);
	strata_tasks_switch(&world->tasks, t, T_BLOCKED, 2, s, 0, &now);
	wake_from(world, t, 0, s, 0, true, 90);
	wake_from(world, t, 0, s, 0, false, 91);
	switch_to(world, s, T_RUNNABLE, t, 0, 120);
	link = nth_link(world, STRATA_LINK_WAKEUP, 0);
	assert_non_null(link);
	assert_null(nth_link(world, STRATA_LINK_WAKEUP, 1));
	assert_int_equal(link->via, STRATA_VIA_TASK);
	assert_ptr_equal(link->from.task, s);
	assert_ptr_equal(link->to.task, t);
	assert_int_equal(link->from.at.ns, 90);
	assert_int_equal(link->to.at.ns, 90);
	assert_int_equal(link->to.at.bound_ns, 2);
	/* The blocked span tells the link that ended it, and where the task blocked. */
	span = nth(world, STRATA_SPAN_TASK, 4);
	expect_at(span, 40, 90, STRATA_TASK_BLOCKED);
	assert_ptr_equal(span->task, t);
	assert_ptr_equal(span->wake->from.task, s);
	assert_int_equal(span->block->sleep, 2);
	assert_true(span->block->in_syscall);
	assert_int_equal(span->block->syscall, 35);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 0), 90, 120, STRATA_SPAN_WAKEUP);
	assert_ptr_equal(span->wake->from.task, s);
	/* A task that is preempted later was not woken. */
	switch_to(world, t, T_RUNNABLE, s, 0, 150);
	switch_to(world, s, T_BLOCKED, t, 0, 160);
	assert_null(nth(world, STRATA_SPAN_PREEMPTED, 1)->wake);
	end(world);
}

/* A trace without interrupts does not tell whether the task or an interrupt woke. */
static void without_interrupts_the_waker_is_only_who_had_the_cpu(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0), *s = task_of(world, kernel, 71, 0);
	const struct strata_link *link;

	(void)state;
	switch_to(world, t, T_BLOCKED, s, 0, 10);
	wake_from(world, t, 0, s, 0, true, 20);
	link = nth_link(world, STRATA_LINK_WAKEUP, 0);
	assert_int_equal(link->via, STRATA_VIA_UNKNOWN);
	assert_ptr_equal(link->from.task, s);
	/* And of a sched_wakeup where it runs next, nothing. */
	switch_to(world, s, T_RUNNABLE, t, 0, 30);
	switch_to(world, t, T_BLOCKED, s, 0, 40);
	wake_from(world, t, 0, NULL, STRATA_NO_CPU, false, 50);
	link = nth_link(world, STRATA_LINK_WAKEUP, 1);
	assert_int_equal(link->via, STRATA_VIA_UNKNOWN);
	assert_null(link->from.task);
	assert_int_equal(link->from.cpu, STRATA_NO_CPU);
	end(world);
}

static void interrupts_softirqs_and_timers_wake(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t[4], *idle = task_of(world, kernel, 0, 0);
	const struct strata_moment now = at(100);
	const struct strata_link *link;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		t[i] = task_of(world, kernel, 70 + i, 0);
		switch_to(world, idle, T_RUNNABLE, t[i], 0, 10 + 2 * i);
		switch_to(world, t[i], T_BLOCKED, idle, 0, 11 + 2 * i);
	}
	irq(world, kernel, 16, 100);
	wake_from(world, t[0], 0, idle, 0, true, 100);
	strata_tasks_timer(&world->tasks, kernel, 0, true, TIMER, &now);
	wake_from(world, t[1], 0, idle, 0, true, 100);
	strata_tasks_timer(&world->tasks, kernel, 0, false, 0, &now);
	irq_end(world, kernel, 16, 101);
	softirq(world, kernel, 3, true, 102);
	wake_from(world, t[2], 0, idle, 0, true, 103);
	softirq(world, kernel, 3, false, 104);
	wake_from(world, t[3], 0, idle, 0, true, 105);
	link = nth_link(world, STRATA_LINK_WAKEUP, 0);
	assert_int_equal(link->via, STRATA_VIA_IRQ);
	assert_int_equal(link->number, 16);
	assert_string_equal(link->name, "eth0");
	assert_ptr_equal(link->from.task, idle);
	link = nth_link(world, STRATA_LINK_WAKEUP, 1);
	assert_int_equal(link->via, STRATA_VIA_TIMER);
	assert_int_equal(link->number, TIMER);
	link = nth_link(world, STRATA_LINK_WAKEUP, 2);
	assert_int_equal(link->via, STRATA_VIA_SOFTIRQ);
	assert_int_equal(link->number, 3);
	link = nth_link(world, STRATA_LINK_WAKEUP, 3);
	assert_int_equal(link->via, STRATA_VIA_TASK);
	end(world);
}

/* Its kernel's clock shows @clock_ns as a timer expires that wakes a task. */
static const struct strata_link *timer_wakes(struct world *world, struct strata_kernel *kernel,
					     struct strata_task *task, uint64_t timer,
					     uint64_t clock_ns, uint64_t ns)
{
	struct strata_task *idle = task_of(world, kernel, 0, 0);
	const struct strata_moment now = at(ns);
	const struct strata_link *link;

	switch_to(world, idle, T_RUNNABLE, task, 0, ns - 20);
	switch_to(world, task, T_BLOCKED, idle, 0, ns - 19);
	irq(world, kernel, 16, ns - 4);
	strata_tasks_timer(&world->tasks, kernel, 0, true, TIMER, &now);
	strata_tasks_timer_late(&world->tasks, kernel, 0, timer, clock_ns, &now);
	wake_from(world, task, 0, idle, 0, true, ns);
	strata_tasks_timer(&world->tasks, kernel, 0, false, 0, &now);
	irq_end(world, kernel, 16, ns + 1);
	link = nth_link(world, STRATA_LINK_WAKEUP, world->nr_links - 1);
	assert_int_equal(link->via, STRATA_VIA_TIMER);
	return link;
}

/* The kernel read its clock between the beginning of the interrupt, 4 ns before, and the event. */
static void a_timer_was_due_earlier(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	const struct strata_moment now = at(400);
	const struct strata_link *link;

	(void)state;
	strata_timers_arm(&kernel->timers, 0x10, 5000, kernel->losses);
	strata_timers_arm(&kernel->timers, 0x20, 5001, kernel->losses);
	link = timer_wakes(world, kernel, t, 0x10, 5030, 200);
	assert_true(link->has_due);
	assert_int_equal(link->due.ns, 196 - 30 + 2);
	assert_int_equal(link->due.bound_ns, 2 + 2);
	/* It was not armed again. */
	assert_false(timer_wakes(world, kernel, t, 0x10, 5060, 300)->has_due);
	/* A timer that expires before its time would be no late one. */
	strata_timers_arm(&kernel->timers, 0x10, 9000, kernel->losses);
	link = timer_wakes(world, kernel, t, 0x10, 8000, 340);
	assert_true(link->has_due);
	assert_int_equal(link->due.ns, 338);
	/* So late that it was due before time began: those two clocks do not agree. */
	strata_timers_arm(&kernel->timers, 0x10, 9000, kernel->losses);
	assert_false(timer_wakes(world, kernel, t, 0x10, 9999, 380)->has_due);
	/* It may have been armed anew where events were lost. */
	strata_tasks_lose(&world->tasks, kernel, &now);
	assert_false(timer_wakes(world, kernel, t, 0x20, 5060, 500)->has_due);
	end(world);
}

/* Most timers are cancelled before they expire. */
static void timers_that_never_expire(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0);
	uint64_t timer;

	(void)state;
	for (timer = 1; timer <= 3 * STRATA_TIMERS_MAX; timer++)
		strata_timers_arm(&kernel->timers, timer, 5000, kernel->losses);
	assert_true(kernel->timers.armed.nr <= STRATA_TIMERS_MAX);
	/* The first one was forgotten, the last one is followed. */
	assert_false(timer_wakes(world, kernel, t, 1, 5030, 200)->has_due);
	assert_true(timer_wakes(world, kernel, t, timer - 1, 5030, 300)->has_due);
	end(world);
}

/* Woken from another CPU after it decided to sleep and before it left its own. */
static void a_task_is_woken_before_it_left_its_cpu(void **state)
{
	struct world *world = begin();
	struct strata_kernel *kernel = kernel_of(world, STRATA_NO_DOMAIN);
	struct strata_task *t = task_of(world, kernel, 70, 0), *s = task_of(world, kernel, 71, 0);
	const struct strata_span *span;

	(void)state;
	switch_to(world, s, T_BLOCKED, t, 0, 10);
	wake_from(world, s, 0, t, 0, true, 20);
	wake_from(world, s, 0, NULL, STRATA_NO_CPU, false, 21);
	wake_from(world, t, 0, NULL, 1, true, 30);
	switch_to(world, t, T_BLOCKED, s, 0, 32);
	wake_from(world, t, 0, NULL, STRATA_NO_CPU, false, 34);
	switch_to(world, s, T_BLOCKED, t, 0, 50);
	span = expect_at(nth(world, STRATA_SPAN_WAKEUP, 1), 32, 50, STRATA_SPAN_WAKEUP);
	assert_ptr_equal(span->task, t);
	assert_int_equal(span->wake->from.at.ns, 30);
	assert_int_equal(span->wake->from.cpu, 1);
	/* A wake-up that kept it from sleeping is over by its sched_wakeup. */
	wake_from(world, t, 0, NULL, 1, true, 60);
	wake_from(world, t, 0, NULL, STRATA_NO_CPU, false, 61);
	switch_to(world, t, T_BLOCKED, s, 0, 70);
	finish(world, 100);
	span = nth(world, STRATA_SPAN_TASK, count(world, STRATA_SPAN_TASK) - 1);
	assert_null(nth_link(world, STRATA_LINK_WAKEUP, 2));
	(void)span;
	assert_int_equal(count(world, STRATA_SPAN_WAKEUP), 2);
	assert_int_equal(t->state, STRATA_TASK_BLOCKED);
	end(world);
}

/* dom0 sends; g1's vCPU, which slept, takes the upcall; its handler raises a softirq, which wakes
 * a task. */
static void an_event_channel_from_its_sender_to_the_task_that_it_wakes(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *dom0 = vcpu_of(world, 0, 0);
	struct strata_vcpu *other = vcpu_of(world, 2, 0);
	struct strata_kernel *g1 = kernel_of(world, 1);
	struct strata_task *t = task_of(world, g1, 70, 0), *idle = task_of(world, g1, 0, 0);
	struct strata_task sender = { .tid = 300 };
	const struct strata_link *link;
	const struct strata_span *span;
	struct strata_moment now;

	(void)state;
	change(world, dom0, UNKNOWN, GUEST, 0, 0);
	change(world, v, UNKNOWN, GUEST, 1, 0);
	switch_to(world, idle, T_RUNNABLE, t, 0, 5);
	switch_to(world, t, T_BLOCKED, idle, 0, 10);
	take_over(world, v, BLOCKED, other, 1, 20);
	send(world, dom0, &sender, 0, 1, PORT, 100);
	pending(world, v, dom0, 0, PORT, 102);
	vcpu_wakes(world, v, dom0, 0, 105);
	take_over(world, other, RUNNABLE, v, 1, 140);
	upcall(world, g1, PORT, 150);
	irq(world, g1, IRQ, 153);
	now = at(155);
	strata_tasks_raise(&world->tasks, g1, 0, 3, &now);
	irq_end(world, g1, IRQ, 160);
	softirq(world, g1, 3, true, 161);
	wake_from(world, t, 0, idle, 0, true, 165);
	softirq(world, g1, 3, false, 170);
	switch_to(world, idle, T_RUNNABLE, t, 0, 172);

	link = nth_link(world, STRATA_LINK_PENDING, 0);
	assert_int_equal(link->via, STRATA_VIA_SEND);
	assert_int_equal(link->from.at.ns, 100);
	assert_ptr_equal(link->from.vcpu, dom0);
	assert_ptr_equal(link->from.task, &sender);
	assert_int_equal(link->to.at.ns, 102);
	assert_ptr_equal(link->to.vcpu, v);
	assert_int_equal(link->port, PORT);
	link = nth_link(world, STRATA_LINK_VCPU_WAKEUP, 0);
	assert_int_equal(link->via, STRATA_VIA_SEND);
	assert_int_equal(link->port, PORT);
	assert_ptr_equal(link->from.vcpu, dom0);
	assert_ptr_equal(link->to.vcpu, v);
	link = nth_link(world, STRATA_LINK_DELIVERY, 0);
	assert_int_equal(link->from.at.ns, 102);
	assert_int_equal(link->to.at.ns, 150);
	assert_ptr_equal(link->cause->from.vcpu, dom0);
	link = nth_link(world, STRATA_LINK_HANDLER, 0);
	assert_int_equal(link->from.at.ns, 150);
	assert_int_equal(link->to.at.ns, 153);
	assert_int_equal(link->number, IRQ);
	link = nth_link(world, STRATA_LINK_WAKEUP, 0);
	assert_int_equal(link->via, STRATA_VIA_SOFTIRQ);
	assert_int_equal(link->cause->kind, STRATA_LINK_DELIVERY);
	assert_int_equal(link->cause->cause->kind, STRATA_LINK_PENDING);
	assert_ptr_equal(link->cause->cause->from.vcpu, dom0);

	/* Pending while the vCPU slept, waited and ran. */
	span = expect_at(nth(world, STRATA_SPAN_EVTCHN, 0), 102, 150, PORT);
	assert_ptr_equal(span->vcpu, v);
	assert_ptr_equal(span->other, dom0);
	assert_int_equal(part(span, T_RUNNING, BLOCKED), 3);
	assert_int_equal(part(span, T_RUNNING, RUNNABLE), 35);
	assert_int_equal(part(span, T_RUNNING, GUEST), 10);
	span = expect_at(nth(world, STRATA_SPAN_IRQ, 0), 153, 160, IRQ);
	assert_int_equal(span->wake->kind, STRATA_LINK_DELIVERY);
	assert_int_equal(nth(world, STRATA_SPAN_SOFTIRQ, 0)->wake->kind, STRATA_LINK_DELIVERY);
	/* The vCPU's blocked state, and its wait for the pCPU, have the link that woke it. */
	span = nth(world, STRATA_SPAN_VCPU, 2);
	expect_at(span, 20, 105, BLOCKED);
	assert_int_equal(span->wake->port, PORT);
	end(world);
}

/* Xen's own: a port that no send of the CPU was for, and a wake-up that no event tells. */
static void what_xen_signals_has_no_sender(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0), *b = vcpu_of(world, 2, 0);
	const struct strata_link *link;
	struct strata_pcpu *pcpu;

	(void)state;
	change(world, v, UNKNOWN, BLOCKED, 0, 0);
	change(world, b, UNKNOWN, GUEST, 0, 0);
	send(world, b, NULL, 0, 1, PORT + 1, 10);
	pending(world, v, b, 0, PORT, 12);
	vcpu_wakes(world, v, b, 0, 13);
	assert_int_equal(nth_link(world, STRATA_LINK_PENDING, 0)->via, STRATA_VIA_XEN);
	assert_int_equal(nth_link(world, STRATA_LINK_VCPU_WAKEUP, 0)->via, STRATA_VIA_XEN);
	take_over(world, b, RUNNABLE, v, 0, 20);
	take_over(world, v, BLOCKED, b, 0, 30);
	/* The cause is of the vCPU for which it was. */
	pcpu = strata_vcpus_pcpu(&world->vcpus, 0, 0);
	pcpu->cause.via = STRATA_VIA_UNKNOWN;
	vcpu_wakes(world, v, b, 0, 40);
	link = nth_link(world, STRATA_LINK_VCPU_WAKEUP, 1);
	assert_int_equal(link->via, STRATA_VIA_UNKNOWN);
	assert_int_equal(link->port, STRATA_NO_PORT);
	assert_ptr_equal(link->from.vcpu, b);
	take_over(world, b, RUNNABLE, v, 0, 50);
	take_over(world, v, BLOCKED, b, 0, 60);
	pending(world, b, b, 0, PORT, 70);
	vcpu_wakes(world, v, b, 0, 71);
	assert_int_equal(nth_link(world, STRATA_LINK_VCPU_WAKEUP, 2)->via, STRATA_VIA_UNKNOWN);
	/* A timer. */
	take_over(world, b, RUNNABLE, v, 0, 80);
	take_over(world, v, BLOCKED, b, 0, 90);
	pcpu->cause = (struct strata_pcpu_cause){ .via = STRATA_VIA_TIMER, .number = TIMER };
	pending(world, v, b, 0, PORT, 100);
	vcpu_wakes(world, v, b, 0, 101);
	link = nth_link(world, STRATA_LINK_VCPU_WAKEUP, 3);
	assert_int_equal(link->via, STRATA_VIA_TIMER);
	assert_int_equal(link->number, TIMER);
	assert_int_equal(link->port, PORT);
	end(world);
}

/* A port that is pending stays so since the first time; a loss forgets it. */
static void a_port_pending_twice_and_a_loss(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0);
	struct strata_kernel *g1 = kernel_of(world, 1);

	(void)state;
	change(world, v, UNKNOWN, GUEST, 1, 0);
	pending(world, v, NULL, 0, PORT, 10);
	pending(world, v, NULL, 0, PORT, 20);
	upcall(world, g1, PORT, 30);
	upcall(world, g1, PORT, 40);
	assert_int_equal(count(world, STRATA_SPAN_EVTCHN), 1);
	expect_at(nth(world, STRATA_SPAN_EVTCHN, 0), 10, 30, PORT);
	assert_non_null(nth_link(world, STRATA_LINK_PENDING, 1));
	pending(world, v, NULL, 0, PORT, 50);
	strata_evtchns_lose(&world->evtchns);
	upcall(world, g1, PORT, 60);
	irq(world, g1, IRQ, 61);
	assert_int_equal(count(world, STRATA_SPAN_EVTCHN), 1);
	/* The handler is that of the upcall all the same. */
	assert_null(nth_link(world, STRATA_LINK_HANDLER, 0)->cause);
	pending(world, v, NULL, 0, PORT, 70);
	upcall(world, g1, PORT, 75);
	irq_end(world, g1, IRQ, 76);
	/* Another interrupt than the upcall's is not its handler. */
	irq(world, g1, IRQ + 1, 77);
	assert_null(nth_link(world, STRATA_LINK_HANDLER, 1));
	expect_at(nth(world, STRATA_SPAN_EVTCHN, 1), 70, 75, PORT);
	end(world);
}

static void too_many_ports_are_counted(void **state)
{
	struct world *world = begin();
	struct strata_vcpu *v = vcpu_of(world, 1, 0);
	uint32_t i;

	(void)state;
	/* All links are told, and would be too many to keep. */
	world->listener.link = NULL;
	world->spans = strata_spans_of(world->listeners, 1);
	for (i = 0; i < STRATA_PORTS_MAX / 2 + 10; i++)
		pending(world, v, NULL, 0, i, 10);
	assert_int_equal(world->evtchns.not_followed, 10);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_wakes_another),
		cmocka_unit_test(without_interrupts_the_waker_is_only_who_had_the_cpu),
		cmocka_unit_test(interrupts_softirqs_and_timers_wake),
		cmocka_unit_test(a_timer_was_due_earlier),
		cmocka_unit_test(timers_that_never_expire),
		cmocka_unit_test(a_task_is_woken_before_it_left_its_cpu),
		cmocka_unit_test(an_event_channel_from_its_sender_to_the_task_that_it_wakes),
		cmocka_unit_test(what_xen_signals_has_no_sender),
		cmocka_unit_test(a_port_pending_twice_and_a_loss),
		cmocka_unit_test(too_many_ports_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
