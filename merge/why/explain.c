// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - see explain.h. */
#include "why/explain.h"

#include "why/moment.h"

/* Limits the search for a lock's holder, which runs at each moment of a wait: a hostile trace may
 * have 65,536 vCPUs in a domain. */
#define HOLDERS_MAX 512u

/* Adds the work that Xen does for a running vCPU; false: none, the guest runs. */
static bool in_xen(struct strata_why_moment *moment, const struct strata_why_cpu *cpu)
{
	const struct strata_why_span *exit, *hypercall;

	if (cpu->domain == STRATA_NO_DOMAIN ||
	    !strata_why_look_now(moment, strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_XEN, cpu)))
		return false;
	exit = strata_why_look_now(moment,
				   strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_EXIT, cpu));
	hypercall = strata_why_look_now(
		moment, strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_HYPERCALL, cpu));
	strata_why_step(moment, STRATA_WHY_XEN, NULL);
	/* A hypercall of an HVM guest lies within an exit. */
	if (hypercall)
		strata_why_step(moment, STRATA_WHY_HYPERCALL, hypercall);
	else if (exit)
		strata_why_step(moment, STRATA_WHY_EXIT, exit);
	return true;
}

/* Adds the interrupt handler that occupies a CPU; false: none does. */
static bool interrupted(struct strata_why_moment *moment, const struct strata_why_cpu *cpu)
{
	const struct strata_why_span *irq =
		strata_why_look_at_cpu(moment, STRATA_WHY_LANE_IRQ, cpu);
	const struct strata_why_span *softirq =
		strata_why_look_at_cpu(moment, STRATA_WHY_LANE_SOFTIRQ, cpu);

	if (!irq && !softirq)
		return false;
	strata_why_step(moment, irq ? STRATA_WHY_IRQ : STRATA_WHY_SOFTIRQ, irq ? irq : softirq);
	in_xen(moment, cpu);
	return true;
}

/* Adds the task or handler that occupies the CPU for which a task waits. */
static void queued(struct strata_why_moment *moment, const struct strata_why_cpu *cpu)
{
	const struct strata_why_span *task =
		strata_why_look_at_cpu(moment, STRATA_WHY_LANE_CPU, cpu);

	strata_why_step(moment, STRATA_WHY_QUEUED, NULL);
	if (!task) {
		strata_why_step(moment, STRATA_WHY_UNKNOWN_WHO, NULL);
	} else {
		strata_why_step(moment, task->state ? STRATA_WHY_BEHIND_TASK : STRATA_WHY_SWITCHING,
				task);
		in_xen(moment, cpu);
	}
}

/* Finds the vCPU that occupies the physical CPU for which another vCPU waits. */
static void vcpu_waits(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
		       const struct strata_why_span *vcpu)
{
	const bool is_woken = vcpu->before == STRATA_VCPU_BLOCKED ||
			      vcpu->before == STRATA_VCPU_OFFLINE;
	const struct strata_why_span *behind;

	strata_why_step(moment, is_woken ? STRATA_WHY_WAKES : STRATA_WHY_PREEMPTED, vcpu);
	behind = strata_why_look_now(moment,
				     strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_BEHIND, cpu));
	strata_why_step(moment, behind ? STRATA_WHY_BEHIND_VCPU : STRATA_WHY_UNKNOWN_WHO, behind);
}

/* Another, preempted vCPU of the domain may hold the lock. */
static void find_holder(struct strata_why_moment *moment, const struct strata_why_cpu *cpu)
{
	struct strata_why_cpu other = *cpu;
	const struct strata_why_span *state;

	for (other.number = 0;
	     other.number <= moment->recall->most_vcpu && other.number < HOLDERS_MAX;
	     other.number++) {
		if (other.number == cpu->number)
			continue;
		state = strata_why_look_now(
			moment, strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_VCPU, &other));
		if (!state || state->state != STRATA_VCPU_RUNNABLE ||
		    state->before != STRATA_VCPU_GUEST)
			continue;
		strata_why_step(moment, STRATA_WHY_HOLDER, state);
		state = strata_why_look_now(
			moment, strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_BEHIND, &other));
		strata_why_step(moment, state ? STRATA_WHY_BEHIND_VCPU : STRATA_WHY_UNKNOWN_WHO,
				state);
		return;
	}
}

/* A task halts its vCPU only to wait for a lock. */
static void halted(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
		   const struct strata_why_span *vcpu)
{
	strata_why_step(moment, STRATA_WHY_HALTED, vcpu);
	find_holder(moment, cpu);
}

static void vcpu_is_blocked(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
			    const struct strata_why_span *vcpu, enum strata_why_want want)
{
	if (want == STRATA_WHY_HAS_CPU || want == STRATA_WHY_SPINS_ON)
		halted(moment, cpu, vcpu);
	else
		strata_why_step(moment, STRATA_WHY_ASLEEP, vcpu);
}

/* The vCPU runs in the guest: adds what the one who wants its CPU gets of it. */
static void has_guest(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
		      enum strata_why_want want)
{
	if (want != STRATA_WHY_SPINS_ON) {
		strata_why_step(moment,
				want == STRATA_WHY_HAS_CPU ? STRATA_WHY_RAN : STRATA_WHY_WAKING,
				NULL);
		return;
	}
	strata_why_step(moment, STRATA_WHY_SPINS, NULL);
	if (cpu->domain != STRATA_NO_DOMAIN)
		find_holder(moment, cpu);
}

void strata_why_wants_to_run(struct strata_why_moment *moment, const struct strata_why_cpu *cpu,
			     enum strata_why_want want)
{
	const struct strata_why_span *vcpu;

	if (cpu->domain != STRATA_NO_DOMAIN) {
		vcpu = strata_why_look_now(
			moment, strata_why_lane_of_vcpu(moment, STRATA_WHY_LANE_VCPU, cpu));
		if (!vcpu || vcpu->state == STRATA_VCPU_UNKNOWN) {
			strata_why_step(moment, STRATA_WHY_UNKNOWN, NULL);
			strata_why_step(moment, STRATA_WHY_UNKNOWN_VCPU, vcpu);
		} else if (vcpu->state == STRATA_VCPU_RUNNABLE) {
			vcpu_waits(moment, cpu, vcpu);
			return;
		} else if (vcpu->state == STRATA_VCPU_OFFLINE) {
			strata_why_step(moment, STRATA_WHY_PAUSED, vcpu);
			return;
		} else if (vcpu->state == STRATA_VCPU_BLOCKED) {
			vcpu_is_blocked(moment, cpu, vcpu, want);
			return;
		}
	}
	if (interrupted(moment, cpu))
		return;
	if (want == STRATA_WHY_WANTS_CPU)
		queued(moment, cpu);
	else if (!in_xen(moment, cpu))
		has_guest(moment, cpu, want);
}

/* Why a running task needs its CPU. */
static enum strata_why_want want_of_running(struct strata_why_moment *moment, size_t kernel,
					    uint32_t tid)
{
	const struct strata_why_lane *locks =
		strata_why_lane(moment->recall, STRATA_WHY_LANE_LOCK, kernel, tid);

	return strata_why_look_now(moment, locks) ? STRATA_WHY_SPINS_ON : STRATA_WHY_HAS_CPU;
}

void strata_why_explain_task(struct strata_why_moment *moment, size_t kernel, uint32_t tid)
{
	const struct strata_why_span *state = strata_why_look_now(
		moment, strata_why_lane(moment->recall, STRATA_WHY_LANE_TASK, kernel, tid));
	const struct strata_why_kernel *of = &moment->recall->kernels[kernel];
	const struct strata_why_span *syscall;
	struct strata_why_cpu cpu = { .trace = kernel,
				      .machine = of->machine,
				      .domain = of->domain };

	if (!state || !of->is_known || state->state == STRATA_TASK_UNKNOWN) {
		strata_why_step(moment, STRATA_WHY_UNKNOWN, NULL);
		strata_why_step(moment, STRATA_WHY_UNKNOWN_TASK, NULL);
		return;
	}
	cpu.number = state->cpu;
	if (state->state != STRATA_TASK_BLOCKED) {
		strata_why_wants_to_run(moment, &cpu,
					state->state == STRATA_TASK_RUNNING
						? want_of_running(moment, kernel, tid)
						: STRATA_WHY_WANTS_CPU);
		return;
	}
	strata_why_step(moment, STRATA_WHY_BLOCKED, NULL);
	syscall = strata_why_look_now(
		moment, strata_why_lane(moment->recall, STRATA_WHY_LANE_SYSCALL, kernel, tid));
	if (syscall)
		strata_why_step(moment, STRATA_WHY_SYSCALL, syscall);
	strata_why_explain_blocked(moment, &cpu, tid, state);
}

void strata_why_walk(const struct strata_why_recall *recall,
		     const struct strata_why_instance *instance,
		     void (*take)(void *taker, const struct strata_why_piece *piece), void *taker)
{
	struct strata_why_moment moment = { .recall = recall, .ns = instance->from_ns };
	uint64_t from_bound = instance->from_bound_ns;

	while (moment.ns < instance->to_ns) {
		moment.path.nr = 0;
		moment.until_ns = instance->to_ns;
		moment.until_bound_ns = instance->to_bound_ns;
		if (instance->has_task) {
			strata_why_explain_task(&moment, instance->kernel, instance->tid);
		} else {
			strata_why_step(&moment, STRATA_WHY_UNKNOWN, NULL);
			strata_why_step(&moment, STRATA_WHY_UNKNOWN_TASK, NULL);
		}
		take(taker, &(struct strata_why_piece){ &moment.path, moment.ns, moment.until_ns,
							from_bound, moment.until_bound_ns });
		from_bound = moment.until_bound_ns;
		moment.ns = moment.until_ns;
	}
}

static void add_to_tree(void *tree, const struct strata_why_piece *piece)
{
	strata_why_tree_add(tree, piece->path, piece->from_ns, piece->to_ns, piece->from_bound_ns,
			    piece->to_bound_ns);
}

int strata_why_explain(const struct strata_why_recall *recall,
		       const struct strata_why_instance *instance, struct strata_why_tree *tree)
{
	strata_why_walk(recall, instance, add_to_tree, tree);
	strata_why_tree_finish(tree, instance->bound_ns);
	return tree->no_memory ? -1 : 0;
}
