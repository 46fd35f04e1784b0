// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - see explain.h. */
#include "why/explain.h"

/* A moment, and until when what is found of it holds. */
struct moment {
	const struct strata_why_recall *recall;
	uint64_t ns, until_ns, until_bound_ns;
	struct strata_why_path path;
};

/* A CPU of a kernel, and the vCPU that it is. */
struct cpu {
	size_t trace, machine;
	uint32_t domain, number;
};

static const struct strata_why_span *look(struct moment *moment, const struct strata_why_lane *lane)
{
	return strata_why_look(lane, moment->ns, &moment->until_ns, &moment->until_bound_ns);
}

static const struct strata_why_span *
look_at_cpu(struct moment *moment, enum strata_why_lane_kind kind, const struct cpu *cpu)
{
	return look(moment, strata_why_lane(moment->recall, kind, cpu->trace, cpu->number));
}

static const struct strata_why_lane *
vcpu_lane(const struct moment *moment, enum strata_why_lane_kind kind, const struct cpu *cpu)
{
	return strata_why_vcpu_lane(moment->recall, kind, cpu->machine, cpu->domain, cpu->number);
}

static void step(struct moment *moment, enum strata_why_what what,
		 const struct strata_why_span *span)
{
	strata_why_add_step(&moment->path, what, span ? span->name : 0);
}

/* What Xen does for a vCPU that runs; false: nothing, the guest has it. */
static bool in_xen(struct moment *moment, const struct cpu *cpu)
{
	const struct strata_why_lane *exits = vcpu_lane(moment, STRATA_WHY_LANE_EXIT, cpu);
	const struct strata_why_span *exit, *hypercall;

	if (cpu->domain == STRATA_NO_DOMAIN)
		return false;
	exit = look(moment, exits);
	hypercall = look(moment, vcpu_lane(moment, STRATA_WHY_LANE_HYPERCALL, cpu));
	/* A guest that exits is in the guest between an exit and the next one, also while a
	 * hypercall waits to be issued once more. */
	if (!exit && (exits || !hypercall))
		return false;
	step(moment, STRATA_WHY_XEN, NULL);
	if (hypercall)
		step(moment, STRATA_WHY_HYPERCALL, hypercall);
	else
		step(moment, STRATA_WHY_EXIT, exit);
	return true;
}

/* What an interrupt takes of a CPU; false: none does. */
static bool interrupted(struct moment *moment, const struct cpu *cpu)
{
	const struct strata_why_span *irq = look_at_cpu(moment, STRATA_WHY_LANE_IRQ, cpu);
	const struct strata_why_span *softirq = look_at_cpu(moment, STRATA_WHY_LANE_SOFTIRQ, cpu);

	if (!irq && !softirq)
		return false;
	step(moment, irq ? STRATA_WHY_IRQ : STRATA_WHY_SOFTIRQ, irq ? irq : softirq);
	in_xen(moment, cpu);
	return true;
}

/* Who has the CPU that a task waits for. */
static void queued(struct moment *moment, const struct cpu *cpu)
{
	const struct strata_why_span *task = look_at_cpu(moment, STRATA_WHY_LANE_CPU, cpu);

	step(moment, STRATA_WHY_QUEUED, NULL);
	if (!task) {
		step(moment, STRATA_WHY_UNKNOWN_WHO, NULL);
	} else {
		step(moment, task->state ? STRATA_WHY_BEHIND_TASK : STRATA_WHY_SWITCHING, task);
		in_xen(moment, cpu);
	}
}

/* A vCPU that waits for a physical CPU: behind whom. */
static void vcpu_waits(struct moment *moment, const struct cpu *cpu,
		       const struct strata_why_span *vcpu)
{
	const bool is_woken = vcpu->before == STRATA_VCPU_BLOCKED ||
			      vcpu->before == STRATA_VCPU_OFFLINE;
	const struct strata_why_span *behind;

	step(moment, is_woken ? STRATA_WHY_WAKES : STRATA_WHY_PREEMPTED, vcpu);
	behind = look(moment, vcpu_lane(moment, STRATA_WHY_LANE_BEHIND, cpu));
	step(moment, behind ? STRATA_WHY_BEHIND_VCPU : STRATA_WHY_UNKNOWN_WHO, behind);
}

/* A task that has a CPU of its kernel, or waits for it. */
static void wants_to_run(struct moment *moment, const struct cpu *cpu, bool has_it)
{
	const struct strata_why_span *vcpu;

	if (cpu->domain != STRATA_NO_DOMAIN) {
		vcpu = look(moment, vcpu_lane(moment, STRATA_WHY_LANE_VCPU, cpu));
		if (!vcpu || vcpu->state == STRATA_VCPU_UNKNOWN) {
			step(moment, STRATA_WHY_UNKNOWN, NULL);
			step(moment, STRATA_WHY_UNKNOWN_VCPU, vcpu);
		} else if (vcpu->state == STRATA_VCPU_RUNNABLE) {
			vcpu_waits(moment, cpu, vcpu);
			return;
		} else if (vcpu->state == STRATA_VCPU_OFFLINE) {
			step(moment, STRATA_WHY_PAUSED, vcpu);
			return;
		} else if (vcpu->state == STRATA_VCPU_BLOCKED) {
			step(moment, has_it ? STRATA_WHY_HALTED : STRATA_WHY_ASLEEP, vcpu);
			return;
		}
	}
	if (interrupted(moment, cpu))
		return;
	if (!has_it)
		queued(moment, cpu);
	else if (!in_xen(moment, cpu))
		step(moment, STRATA_WHY_RAN, NULL);
}

/* What a task does at a moment. */
static void explain_task(struct moment *moment, size_t kernel, uint32_t tid)
{
	const struct strata_why_span *state =
		look(moment, strata_why_lane(moment->recall, STRATA_WHY_LANE_TASK, kernel, tid));
	const struct strata_why_kernel *of = &moment->recall->kernels[kernel];
	const struct strata_why_span *syscall;
	struct cpu cpu = { .trace = kernel, .machine = of->machine, .domain = of->domain };

	if (!state || !of->is_known || state->state == STRATA_TASK_UNKNOWN) {
		step(moment, STRATA_WHY_UNKNOWN, NULL);
		step(moment, STRATA_WHY_UNKNOWN_TASK, NULL);
		return;
	}
	cpu.number = state->cpu;
	if (state->state != STRATA_TASK_BLOCKED) {
		wants_to_run(moment, &cpu, state->state == STRATA_TASK_RUNNING);
		return;
	}
	step(moment, STRATA_WHY_BLOCKED, NULL);
	syscall =
		look(moment, strata_why_lane(moment->recall, STRATA_WHY_LANE_SYSCALL, kernel, tid));
	if (syscall)
		step(moment, STRATA_WHY_SYSCALL, syscall);
}

int strata_why_explain(const struct strata_why_recall *recall,
		       const struct strata_why_instance *instance, struct strata_why_tree *tree)
{
	struct moment moment = { .recall = recall, .ns = instance->from_ns };
	uint64_t from_bound = instance->bound_ns;

	while (moment.ns < instance->to_ns) {
		moment.path.nr = 0;
		moment.until_ns = instance->to_ns;
		moment.until_bound_ns = instance->bound_ns;
		if (instance->has_task) {
			explain_task(&moment, instance->kernel, instance->tid);
		} else {
			step(&moment, STRATA_WHY_UNKNOWN, NULL);
			step(&moment, STRATA_WHY_UNKNOWN_TASK, NULL);
		}
		strata_why_tree_add(tree, &moment.path, moment.ns, moment.until_ns, from_bound,
				    moment.until_bound_ns);
		from_bound = moment.until_bound_ns;
		moment.ns = moment.until_ns;
	}
	strata_why_tree_finish(tree, instance->bound_ns);
	return tree->no_memory ? -1 : 0;
}
