// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain_wake.c - finds what a blocked task waits for: its waker, and what the waker did
 * meanwhile.
 *
 * A task woken by another task waits for what that task does. A task woken by an interrupt waits
 * until the interrupt is pending, and then until its vCPU takes it. An interrupt is pending from
 * the moment when its event channel became pending; a timer interrupt, from the moment when the
 * timer was due; or, if the kernel was idle, from the moment when its blocked vCPU was woken.
 * Before that, the task waits for the vCPU that sends through the event channel.
 */
#include "why/moment.h"

/* Whether the kernel's CPU was idle between two moments and no more than one interrupt began. */
static bool was_idle(const struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
		     uint64_t from_ns, uint64_t to_ns)
{
	const struct strata_why_lane *runs =
		strata_why_lane(moment->recall, STRATA_WHY_LANE_CPU, cpu->trace, cpu->number);
	const struct strata_why_lane *irqs =
		strata_why_lane(moment->recall, STRATA_WHY_LANE_IRQ, cpu->trace, cpu->number);
	size_t at = strata_why_find_at(runs, from_ns), nr = 0;

	if (!runs || at == runs->nr || runs->spans[at].state != 0 ||
	    runs->spans[at].from_ns > from_ns || runs->spans[at].to_ns < to_ns)
		return false;
	for (at = strata_why_find_at(irqs, from_ns); irqs && at < irqs->nr; at++) {
		if (irqs->spans[at].from_ns >= to_ns || ++nr > 1)
			break;
	}
	return nr <= 1;
}

/* Finds when the vCPU began to leave its last blocked state before a moment; false: it was not
 * blocked, or that is unknown. */
static bool find_vcpu_wake(const struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
			   uint64_t begin_ns, uint64_t end_ns, struct strata_why_since *since)
{
	const struct strata_why_lane *lane =
		strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_VCPU, cpu);
	size_t at = strata_why_find_at(lane, end_ns);

	if (!lane || at == lane->nr)
		return false;
	/* Each span must follow the previous one without a gap. */
	for (; at > 0 && lane->spans[at].from_ns > begin_ns; at--) {
		const struct strata_why_span *before = &lane->spans[at - 1];

		if (lane->spans[at].state == STRATA_VCPU_UNKNOWN ||
		    before->to_ns != lane->spans[at].from_ns)
			return false;
		if (before->state != STRATA_VCPU_BLOCKED)
			continue;
		if (!was_idle(moment, cpu, before->to_ns, end_ns))
			return false;
		since->ns = before->to_ns;
		since->bound_ns = before->to_bound_ns;
		since->woken_by = before->wake ? &moment->recall->wakes[before->wake] : NULL;
		return true;
	}
	return false;
}

/* Finds when the interrupt that woke a task became pending. */
static const struct strata_why_since *find_since(struct strata_why_moment *moment,
						 const struct strata_why_cpu *cpu,
						 const struct strata_why_span *state,
						 const struct strata_why_wake *wake)
{
	struct strata_why_since *since = &moment->since[moment->depth];

	if (since->of == state)
		return since;
	*since = (struct strata_why_since){ .of = state, .ns = state->to_ns };
	since->bound_ns = state->to_bound_ns;
	if (wake->has_due) {
		since->ns = wake->due_ns;
		since->bound_ns = wake->due_bound_ns;
	} else if (wake->is_pending) {
		since->ns = wake->pending_ns;
		since->bound_ns = wake->pending_bound_ns;
	} else if (cpu->domain != STRATA_NO_DOMAIN) {
		find_vcpu_wake(moment, cpu, state->from_ns, state->to_ns, since);
	}
	return since;
}

static void add_name(struct strata_why_moment *moment, enum strata_why_what what, uint32_t name)
{
	strata_why_add_step(&moment->path, what, name);
}

/* Adds what the waker does while the other task waits. */
static void follow_task(struct strata_why_moment *moment, size_t kernel, uint32_t tid)
{
	if (moment->depth >= STRATA_WHY_DEPTH) {
		add_name(moment, STRATA_WHY_WAITS_MORE, 0);
		return;
	}
	moment->depth++;
	strata_why_explain_task(moment, kernel, tid);
	moment->depth--;
}

static void follow_sender(struct strata_why_moment *moment, const struct strata_why_wake *sender);

/* Adds what happens on the other vCPU until its handler sends: once the handler's interrupt is
 * pending, whatever delays the handler; before that, whatever makes the interrupt pending. */
static void follow_handler(struct strata_why_moment *moment, struct strata_why_cpu cpu,
			   const struct strata_why_wake *handler)
{
	cpu.trace = handler->kernel;
	if (moment->ns >= handler->pending_ns) {
		add_name(moment, STRATA_WHY_DELIVERED, handler->name);
		strata_why_wants_to_run(moment, &cpu, STRATA_WHY_WAKES_CPU);
		return;
	}
	strata_why_only_until(moment, handler->pending_ns, handler->pending_bound_ns);
	if (handler->has_sender)
		follow_sender(moment, handler);
	else
		add_name(moment, STRATA_WHY_WAITS_IRQ, handler->name);
}

/* Adds what the sending vCPU does until it sends. */
static void follow_sender(struct strata_why_moment *moment, const struct strata_why_wake *sender)
{
	const struct strata_why_cpu cpu = { .machine = sender->machine,
					    .domain = sender->domain,
					    .number = sender->vcpu,
					    .trace = SIZE_MAX };
	const struct strata_why_span *vcpu;

	add_name(moment, STRATA_WHY_WAITS_OTHER, sender->sender_name);
	if (sender->handler) {
		follow_handler(moment, cpu, &moment->recall->wakes[sender->handler]);
		return;
	}
	if (sender->has_sender_task && sender->sender_tid) {
		follow_task(moment, sender->sender_kernel, sender->sender_tid);
		return;
	}
	/* Of a guest without a trace only the vCPU is known. */
	vcpu = strata_why_look_now(moment,
				   strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_VCPU, &cpu));
	if (vcpu && vcpu->state == STRATA_VCPU_BLOCKED)
		strata_why_step(moment, STRATA_WHY_VCPU_IDLE, vcpu);
	else
		strata_why_wants_to_run(moment, &cpu, STRATA_WHY_HAS_CPU);
}

static void interrupt_wakes(struct strata_why_moment *moment, const struct strata_why_cpu *of,
			    const struct strata_why_span *state, const struct strata_why_wake *wake)
{
	struct strata_why_cpu cpu = *of;
	const struct strata_why_wake *sender = wake;
	const struct strata_why_since *since;

	cpu.number = wake->cpu;
	since = find_since(moment, &cpu, state, wake);
	if (!sender->has_sender && since->woken_by)
		sender = since->woken_by;
	if (moment->ns >= since->ns) {
		add_name(moment, wake->has_due ? STRATA_WHY_DUE : STRATA_WHY_DELIVERED, wake->name);
		strata_why_wants_to_run(moment, &cpu, STRATA_WHY_WAKES_CPU);
		return;
	}
	strata_why_only_until(moment, since->ns, since->bound_ns);
	if (sender->has_sender)
		follow_sender(moment, sender);
	else
		add_name(moment, STRATA_WHY_WAITS_IRQ, wake->name);
}

void strata_why_explain_blocked(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
				uint32_t tid, const struct strata_why_span *state)
{
	const struct strata_why_wake *wake = &moment->recall->wakes[state->wake];

	if (!state->wake)
		return;
	switch (wake->via) {
	case STRATA_VIA_TASK:
		/* A task cannot wake itself: such a trace says nothing about the cause. */
		if (!wake->has_task || (wake->kernel == cpu->trace && wake->tid == tid)) {
			add_name(moment, STRATA_WHY_WOKEN_WHILE, wake->name);
			break;
		}
		add_name(moment, STRATA_WHY_WAITS_TASK, wake->name);
		if (wake->tid)
			follow_task(moment, wake->kernel, wake->tid);
		break;
	case STRATA_VIA_IRQ:
	case STRATA_VIA_SOFTIRQ:
	case STRATA_VIA_TIMER:
		interrupt_wakes(moment, cpu, state, wake);
		break;
	default:
		/* The task on the CPU is not necessarily the waker: an interrupt may have woken
		 * this one. */
		add_name(moment, STRATA_WHY_WOKEN_WHILE, wake->name);
	}
}
