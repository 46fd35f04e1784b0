// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_cpus.c - interrupts and softirqs of a kernel's CPUs (tasks.h). */
#include "state/tasks.h"

#include <string.h>

static void begin_cpu_job(struct strata_tasks *tasks, const struct strata_kernel *kernel,
			  uint32_t cpu, struct strata_cpu_job *job, uint64_t number,
			  const char *name, size_t bytes, const struct strata_moment *now)
{
	job->since = *now;
	job->number = number;
	job->has_cause = false;
	memset(job->name, 0, sizeof(job->name));
	if (bytes)
		memcpy(job->name, name, bytes < sizeof(job->name) ? bytes : sizeof(job->name));
	job->has_vcpu = strata_kernel_vcpu_times(tasks, kernel, cpu, now, job->ns);
}

static void end_cpu_job(struct strata_tasks *tasks, const struct strata_kernel *kernel,
			uint32_t cpu, struct strata_cpu_job *job, enum strata_span_kind kind,
			const struct strata_moment *now)
{
	struct strata_split split = { { { 0 } } };
	uint64_t *row = split.ns[STRATA_TASK_RUNNING];
	const struct strata_span span = {
		.kind = kind,
		.from_ns = job->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&job->since, now),
		.from_bound_ns = job->since.bound_ns,
		.trace = kernel->trace,
		.number = job->number,
		.name = job->name[0] ? job->name : NULL,
		.name_bytes = strnlen(job->name, sizeof(job->name)),
		.split = &split,
		.cpu = cpu,
		.wake = job->has_cause ? &job->cause.link : NULL,
	};

	if (job->has_vcpu && strata_kernel_vcpu_times(tasks, kernel, cpu, now, row))
		strata_times_subtract(row, job->ns);
	else
		row[STRATA_VCPU_UNKNOWN] = strata_moments_between(&job->since, now);
	strata_spans_tell(tasks->spans, &span);
}

/* The handler of the event channel whose upcall began on this CPU. */
static void begin_handler(struct strata_tasks *tasks, const struct strata_kernel *kernel,
			  uint32_t cpu, struct strata_cpu_job *job, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = kernel->cpus[cpu];
	struct strata_link link = {
		.kind = STRATA_LINK_HANDLER,
		.via = of_cpu->upcall.via,
		.from = of_cpu->upcall.to,
		.to = of_cpu->upcall.to,
		.port = of_cpu->upcall.port,
		.number = job->number,
		.name = job->name,
		.name_bytes = strnlen(job->name, sizeof(job->name)),
		.cause = of_cpu->has_delivery ? &of_cpu->delivery.link : NULL,
	};

	link.to.at = *now;
	strata_spans_tell_link(tasks->spans, &link);
	job->has_cause = of_cpu->has_delivery;
	if (job->has_cause)
		strata_delivery_keep(&job->cause, &of_cpu->delivery.link);
}

void strata_tasks_upcall(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			 uint32_t port, uint64_t irq, const struct strata_link *delivery,
			 const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	of_cpu->in_upcall = true;
	of_cpu->upcall_irq = irq;
	of_cpu->has_delivery = delivery != NULL;
	if (delivery)
		strata_delivery_keep(&of_cpu->delivery, delivery);
	of_cpu->upcall = (struct strata_link){
		.via = delivery ? delivery->via : STRATA_VIA_UNKNOWN,
		.port = port,
		.to = { .at = *now,
			.task = of_cpu->task,
			.vcpu = strata_kernel_vcpu(tasks, kernel, cpu),
			.cpu = cpu,
			.pcpu = STRATA_NO_CPU,
			.trace = kernel->trace },
	};
}

void strata_tasks_raise(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			uint64_t vector, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);
	const struct strata_cpu_job *irq;

	if (!of_cpu || vector >= STRATA_SOFTIRQS || of_cpu->depth > STRATA_IRQ_DEPTH)
		return;
	/* If several raise it before it runs, the first one counts. */
	if (of_cpu->is_raised[vector])
		return;
	if (!of_cpu->raised_by[vector])
		of_cpu->raised_by[vector] = of_cpu->depth || of_cpu->in_softirq ? &of_cpu->idle
										: of_cpu->task;
	if (of_cpu->depth == 0)
		return;
	irq = &of_cpu->irqs[of_cpu->depth - 1];
	if (!irq->has_cause)
		return;
	of_cpu->is_raised[vector] = true;
	strata_delivery_keep(&of_cpu->raised[vector], &irq->cause.link);
}

bool strata_tasks_handler(const struct strata_kernel *kernel, uint32_t number,
			  struct strata_handler *handler)
{
	const struct strata_kernel_cpu *cpu = number < kernel->nr_cpus ? kernel->cpus[number]
								       : NULL;
	const struct strata_cpu_job *job = cpu ? strata_kernel_cpu_job(cpu) : NULL;
	const struct strata_link *sent;

	if (!job)
		return false;
	*handler = (struct strata_handler){
		.via = cpu->in_timer ? STRATA_VIA_TIMER
		       : cpu->depth  ? STRATA_VIA_IRQ
				     : STRATA_VIA_SOFTIRQ,
		.number = cpu->in_timer ? cpu->timer : job->number,
		.trace = kernel->trace,
		.cpu = number,
		.since = job->since,
		.is_pending = job->has_cause,
	};
	memcpy(handler->name, job->name, sizeof(handler->name));
	if (!job->has_cause)
		return true;
	handler->pending_since = job->cause.link.from.at;
	sent = job->cause.link.cause;
	if (sent && sent->via == STRATA_VIA_SEND) {
		handler->sender = sent->from.vcpu;
		handler->sender_task = sent->handler ? NULL : sent->from.task;
	}
	return true;
}

void strata_tasks_timer(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			bool begins, uint64_t function, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	of_cpu->in_timer = begins;
	of_cpu->timer = function;
	of_cpu->has_due = false;
}

void strata_tasks_timer_late(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			     uint64_t timer, uint64_t clock_ns, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);
	const struct strata_cpu_job *job = of_cpu ? strata_kernel_cpu_job(of_cpu) : NULL;

	if (of_cpu)
		of_cpu->has_due = strata_timers_expire(&kernel->timers, timer, clock_ns,
						       kernel->losses, job ? &job->since : NULL,
						       now, &of_cpu->due);
}

void strata_tasks_irq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
		      uint64_t number, const char *name, size_t bytes,
		      const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	kernel->has_interrupts = true;
	if (of_cpu->depth < STRATA_IRQ_DEPTH) {
		struct strata_cpu_job *job = &of_cpu->irqs[of_cpu->depth];

		begin_cpu_job(tasks, kernel, cpu, job, number, name, bytes, now);
		if (of_cpu->in_upcall && of_cpu->upcall_irq == number)
			begin_handler(tasks, kernel, cpu, job, now);
	}
	of_cpu->in_upcall = false;
	of_cpu->depth++;
}

void strata_tasks_irq_end(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t number, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);
	unsigned int depth = of_cpu ? of_cpu->depth : 0;

	/* Its handler is nested too deep to be followed. */
	if (depth > STRATA_IRQ_DEPTH) {
		of_cpu->depth--;
		return;
	}
	while (depth > 0 && of_cpu->irqs[depth - 1].number != number)
		depth--;
	if (depth == 0)
		return;
	/* The handlers above it have ended, too, though no event tells so. */
	of_cpu->depth = depth - 1;
	end_cpu_job(tasks, kernel, cpu, &of_cpu->irqs[depth - 1], STRATA_SPAN_IRQ, now);
}

void strata_tasks_softirq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t vector, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	kernel->has_interrupts = true;
	of_cpu->in_softirq = true;
	begin_cpu_job(tasks, kernel, cpu, &of_cpu->softirq, vector, NULL, 0, now);
	of_cpu->softirq.raised_by = NULL;
	if (vector >= STRATA_SOFTIRQS)
		return;
	if (of_cpu->raised_by[vector] == of_cpu->task && of_cpu->task != &of_cpu->idle)
		of_cpu->softirq.raised_by = of_cpu->task;
	of_cpu->raised_by[vector] = NULL;
	if (!of_cpu->is_raised[vector])
		return;
	of_cpu->is_raised[vector] = false;
	of_cpu->softirq.has_cause = true;
	strata_delivery_keep(&of_cpu->softirq.cause, &of_cpu->raised[vector].link);
}

void strata_tasks_softirq_end(struct strata_tasks *tasks, struct strata_kernel *kernel,
			      uint32_t cpu, uint64_t vector, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (of_cpu && of_cpu->in_softirq && of_cpu->softirq.number == vector)
		end_cpu_job(tasks, kernel, cpu, &of_cpu->softirq, STRATA_SPAN_SOFTIRQ, now);
	if (of_cpu)
		of_cpu->in_softirq = false;
}
