// SPDX-License-Identifier: GPL-2.0-or-later
/* tasks.c - see tasks.h. */
#include "state/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Linux's bits of the state of a task that has exited: it does not run again. */
#define TASK_EXITED 0x30u

/* Adds the time since @task->since to the row of its state. */
static void add_times(const struct strata_tasks *tasks, const struct strata_task *task,
		      const struct strata_moment *now, struct strata_split *split)
{
	const uint64_t between = strata_moments_between(&task->since, now);
	uint64_t *row = split->ns[task->state], of_vcpu = 0;
	const struct strata_vcpu *vcpu;

	/* A job often begins or ends as the state does. */
	if (!between)
		return;
	if (task->kernel->domain == STRATA_NO_DOMAIN) {
		row[STRATA_VCPU_GUEST] += between;
		return;
	}
	vcpu = strata_kernel_vcpu(tasks, task->kernel, task->cpu);
	if (vcpu) {
		const uint64_t of_state = strata_moments_between(&vcpu->since, now);

		of_vcpu = of_state + strata_times_add_between(row, task->life->vcpu_ns, vcpu->ns);
		row[vcpu->state] += of_state;
	}
	/* The state before the vCPU's first event is unknown. */
	if (between > of_vcpu)
		row[STRATA_VCPU_UNKNOWN] += between - of_vcpu;
}

static void forget_jobs(struct strata_task *task)
{
	task->life->wait.is_open = task->life->syscall.is_open = false;
	task->life->locks[0].job.is_open = task->life->locks[1].job.is_open = false;
	task->is_woken = task->is_waking = false;
}

void strata_task_forget_loss(struct strata_task *task)
{
	task->losses = task->kernel->losses;
	strata_snapshots_forget(task);
	task->state = STRATA_TASK_UNKNOWN;
	forget_jobs(task);
}

static struct strata_queue_span queue_of(const struct strata_kernel *kernel, uint32_t cpu)
{
	return (struct strata_queue_span){
		.trace = kernel->trace,
		.machine = kernel->machine,
		.cpu = cpu,
	};
}

/* More tasks, or fewer, wait for a CPU. */
static void queue(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu, int more,
		  const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);

	if (of_cpu)
		strata_queue_set(&of_cpu->queue, of_cpu->queue.waiting + (uint64_t)(int64_t)more,
				 queue_of(kernel, cpu), tasks->spans, now);
}

/* Tells the task's state until @now. @split: all zero; its row of the state: OUT, how that time is
 * divided */
static void tell_state(const struct strata_tasks *tasks, const struct strata_spans *spans,
		       const struct strata_task *task, const struct strata_moment *now,
		       struct strata_split *split)
{
	const struct strata_task_block block = {
		.sleep = task->life->sleep,
		.in_syscall = task->life->syscall.is_open,
		.syscall = task->life->syscall.number,
		.syscall_name = task->life->syscall.name,
	};
	const bool waits = task->state == STRATA_TASK_BLOCKED ||
			   task->state == STRATA_TASK_RUNNABLE;
	const struct strata_span span = {
		.kind = STRATA_SPAN_TASK,
		.from_ns = task->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&task->since, now),
		.from_bound_ns = task->since.bound_ns,
		.task = task,
		.trace = task->kernel->trace,
		.number = task->state,
		.split = split,
		.cpu = task->cpu,
		.wake = task->is_woken && waits ? &task->life->wake.link : NULL,
		.block = task->state == STRATA_TASK_BLOCKED ? &block : NULL,
	};

	add_times(tasks, task, now, split);
	strata_spans_tell(spans, &span);
}

/* The task's state ends, and another begins: @state on, or for, @cpu. */
static void enter(struct strata_tasks *tasks, struct strata_task *task,
		  enum strata_task_state state, uint32_t cpu, const struct strata_moment *now)
{
	uint64_t *row;

	strata_task_catch_up(task);
	row = tasks->split.ns[task->state];
	if (task->since.ns < now->ns) {
		tell_state(tasks, tasks->spans, task, now, &tasks->split);
		strata_times_add(task->life->split.ns[task->state], row);
		memset(row, 0, STRATA_NR_VCPU_STATES * sizeof(*row));
	}
	if (task->tid != 0 && task->state == STRATA_TASK_RUNNABLE)
		queue(tasks, task->kernel, task->cpu, -1, now);
	if (task->tid != 0 && state == STRATA_TASK_RUNNABLE)
		queue(tasks, task->kernel, cpu, 1, now);
	task->state = state;
	task->since = *now;
	task->cpu = cpu;
	strata_kernel_vcpu_times(tasks, task->kernel, cpu, now, task->life->vcpu_ns);
}

void strata_task_times(struct strata_tasks *tasks, struct strata_task *task,
		       const struct strata_moment *now, struct strata_split *split)
{
	strata_task_catch_up(task);
	*split = task->life->split;
	add_times(tasks, task, now, split);
}

void strata_task_begin_job(struct strata_tasks *tasks, struct strata_task *task,
			   struct strata_task_job *job, uint64_t number, const char *name,
			   const struct strata_moment *now)
{
	/* This ends what was open before a loss. */
	strata_task_times(tasks, task, now, &job->split);
	job->is_open = true;
	job->since = *now;
	job->number = number;
	job->name = name;
}

void strata_task_end_job(struct strata_tasks *tasks, struct strata_task *task,
			 struct strata_task_job *job, enum strata_span_kind kind,
			 uint64_t others_waited_ns, const struct strata_moment *now)
{
	struct strata_split split;
	const struct strata_span span = {
		.kind = kind,
		.from_ns = job->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&job->since, now),
		.from_bound_ns = job->since.bound_ns,
		.task = task,
		.trace = task->kernel->trace,
		.number = job->number,
		.name = job->name,
		.name_bytes = job->name ? strlen(job->name) : 0,
		.split = &split,
		.cpu = task->cpu,
		.others_waited_ns = others_waited_ns,
		.wake = kind == STRATA_SPAN_WAKEUP && task->is_woken ? &task->life->wake.link
								     : NULL,
	};

	if (!job->is_open)
		return;
	job->is_open = false;
	strata_task_times(tasks, task, now, &split);
	strata_split_since(&split, &job->split);
	strata_spans_tell(tasks->spans, &span);
}

/* What has the CPU of a waker: a timer's function, a handler, or its task. */
static void find_via(const struct strata_kernel *kernel, const struct strata_kernel_cpu *cpu,
		     struct strata_link *link, const struct strata_cpu_job **job)
{
	if (cpu->in_timer) {
		link->via = STRATA_VIA_TIMER;
		link->number = cpu->timer;
		link->has_due = cpu->has_due;
		link->due = cpu->due;
	} else if (cpu->depth > 0) {
		link->via = STRATA_VIA_IRQ;
	} else if (cpu->in_softirq && !cpu->softirq.raised_by) {
		link->via = STRATA_VIA_SOFTIRQ;
	} else if (kernel->has_interrupts && link->from.task) {
		link->via = STRATA_VIA_TASK;
	}
	/* A timer's function runs in one of both. */
	*job = strata_kernel_cpu_job(cpu);
}

/* Keeps how a task is woken; it is told when the task is runnable. */
static void keep_wake(const struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
		      const struct strata_waker *waker, const struct strata_moment *now)
{
	const struct strata_kernel *kernel = task->kernel;
	const struct strata_cpu_job *job = NULL;
	struct strata_task_wake *wake = &task->life->wake;
	struct strata_link *link = &wake->link;

	*link = (struct strata_link){
		.kind = STRATA_LINK_WAKEUP,
		.port = STRATA_NO_PORT,
		.from = { .at = *now,
			  .task = waker->task,
			  .vcpu = strata_kernel_vcpu(tasks, kernel, waker->cpu),
			  .cpu = waker->cpu,
			  .pcpu = STRATA_NO_CPU,
			  .trace = kernel->trace },
		.to = { .at = *now,
			.task = task,
			.vcpu = strata_kernel_vcpu(tasks, kernel, cpu),
			.cpu = cpu,
			.pcpu = STRATA_NO_CPU,
			.trace = kernel->trace },
	};
	if (waker->cpu < kernel->nr_cpus && kernel->cpus[waker->cpu])
		find_via(kernel, kernel->cpus[waker->cpu], link, &job);
	if (!job)
		return;
	if (link->via != STRATA_VIA_TIMER) {
		link->number = job->number;
		memcpy(wake->name, job->name, sizeof(wake->name));
		link->name_bytes = strnlen(wake->name, sizeof(wake->name));
		link->name = link->name_bytes ? wake->name : NULL;
	}
	if (job->has_cause) {
		strata_delivery_keep(&wake->delivery, &job->cause.link);
		link->cause = &wake->delivery.link;
	}
}

/* A task waits for a CPU since now, as it was woken. */
static void become_woken(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
			 const struct strata_moment *now)
{
	task->life->wake.link.to.at = *now;
	task->is_woken = true;
	task->is_waking = false;
	strata_spans_tell_link(tasks->spans, &task->life->wake.link);
	enter(tasks, task, STRATA_TASK_RUNNABLE, cpu, now);
	strata_task_begin_job(tasks, task, &task->life->wait, STRATA_SPAN_WAKEUP, NULL, now);
}

/* A task leaves its CPU. */
static void leave(struct strata_tasks *tasks, struct strata_task *task,
		  enum strata_task_state state, uint64_t sleep, uint32_t cpu,
		  const struct strata_moment *now)
{
	const bool is_waking = task->is_waking;

	task->is_waking = false;
	enter(tasks, task, state, cpu, now);
	task->life->sleep = sleep;
	/* Who woke it saw it asleep already, though it had not left its CPU. */
	if (state == STRATA_TASK_BLOCKED && is_waking)
		become_woken(tasks, task, task->life->wake.link.to.cpu, now);
	else if (state == STRATA_TASK_RUNNABLE && task->tid != 0)
		strata_task_begin_job(tasks, task, &task->life->wait, STRATA_SPAN_PREEMPTED, NULL,
				      now);
}

/* A job that began in the task's present state may have been another task's. */
static void forget_new_job(const struct strata_task *task, struct strata_task_job *job)
{
	job->is_open &= job->since.ns <= task->since.ns;
}

/* A task has left its CPU, or got one, by a switch that is missing: what it has done since its last
 * change is unknown.  System calls and locks that began before that go on. */
static void mistrust(struct strata_tasks *tasks, struct strata_task *task,
		     const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_known_cpu(task->kernel, task->cpu);

	strata_task_catch_up(task);
	if (task->state == STRATA_TASK_UNKNOWN)
		return;
	if (of_cpu && of_cpu->task == task)
		of_cpu->task = NULL;
	if (task->tid != 0 && task->state == STRATA_TASK_RUNNABLE)
		queue(tasks, task->kernel, task->cpu, -1, now);
	strata_snapshots_forget(task);
	task->state = STRATA_TASK_UNKNOWN;
	task->life->wait.is_open = task->is_woken = task->is_waking = false;
	forget_new_job(task, &task->life->syscall);
	forget_new_job(task, &task->life->locks[0].job);
	forget_new_job(task, &task->life->locks[1].job);
}

/* Finds out whether a switch is missing before one on @of_cpu: there another task ran than the one
 * that leaves it, or the one that follows ran already. */
static void find_missing_switch(struct strata_tasks *tasks, const struct strata_kernel_cpu *of_cpu,
				struct strata_task *before, struct strata_task *after,
				const struct strata_moment *now)
{
	struct strata_task *ran = of_cpu->task;

	tasks->switches_missing += (ran && ran != before) || after->state == STRATA_TASK_RUNNING;
	if (ran && ran != before)
		mistrust(tasks, ran, now);
	if (ran != before)
		mistrust(tasks, before, now);
	if (after != before && after->state == STRATA_TASK_RUNNING)
		mistrust(tasks, after, now);
}

void strata_tasks_switch(struct strata_tasks *tasks, struct strata_task *before,
			 enum strata_task_state state, uint64_t sleep, struct strata_task *after,
			 uint32_t cpu, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_cpu(tasks, after->kernel, cpu, now);

	if (!of_cpu)
		return;
	after->kernel->has_switches = true;
	if (of_cpu->task != before || after->state == STRATA_TASK_RUNNING)
		find_missing_switch(tasks, of_cpu, before, after, now);
	leave(tasks, before, state, sleep, cpu, now);
	enter(tasks, after, STRATA_TASK_RUNNING, cpu, now);
	strata_task_end_job(tasks, after, &after->life->wait,
			    (enum strata_span_kind)after->life->wait.number, 0, now);
	after->is_woken = after->is_waking = false;
	of_cpu->task = after;
	/* An open request may ask for its times. */
	if (sleep & TASK_EXITED && before->state == STRATA_TASK_BLOCKED && before->tid != 0 &&
	    !before->snapshots)
		strata_task_end_life(before);
}

void strata_tasks_wake(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
		       const struct strata_waker *waker, const struct strata_moment *now)
{
	strata_task_catch_up(task);
	task->kernel->has_wakeups |= !waker->is_waking;
	if (task->state == STRATA_TASK_RUNNING) {
		/* Woken before it left its CPU, or while it was about to sleep and then did not:
		 * of the latter a sched_wakeup follows before it leaves. */
		task->is_waking = waker->is_waking && task->kernel->has_wakeups;
		if (task->is_waking)
			keep_wake(tasks, task, cpu, waker, now);
		return;
	}
	if (task->state == STRATA_TASK_RUNNABLE) {
		/* sched_waking comes before sched_wakeup */
		if (task->cpu != cpu)
			strata_tasks_migrate(tasks, task, cpu, now);
		return;
	}
	keep_wake(tasks, task, cpu, waker, now);
	become_woken(tasks, task, cpu, now);
}

void strata_tasks_migrate(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
			  const struct strata_moment *now)
{
	strata_task_catch_up(task);
	if (task->state != STRATA_TASK_RUNNABLE || task->cpu == cpu)
		return;
	enter(tasks, task, STRATA_TASK_RUNNABLE, cpu, now);
}

void strata_tasks_syscall(struct strata_tasks *tasks, struct strata_task *task, uint64_t number,
			  const char *name, const struct strata_moment *now)
{
	strata_task_begin_job(tasks, task, &task->life->syscall, number, name, now);
}

void strata_tasks_syscall_end(struct strata_tasks *tasks, struct strata_task *task,
			      const struct strata_moment *now)
{
	strata_task_catch_up(task);
	strata_task_end_job(tasks, task, &task->life->syscall, STRATA_SPAN_SYSCALL, 0, now);
}

void strata_tasks_lose(struct strata_tasks *tasks, struct strata_kernel *kernel,
		       const struct strata_moment *now)
{
	size_t i;

	for (i = 0; i < kernel->nr_cpus; i++) {
		struct strata_kernel_cpu *cpu = kernel->cpus[i];

		if (!cpu)
			continue;
		/* Until here one that ran is known to have run. */
		if (cpu->task) {
			enter(tasks, cpu->task, STRATA_TASK_UNKNOWN, cpu->task->cpu, now);
			forget_jobs(cpu->task);
		}
		strata_queue_set(&cpu->queue, 0, queue_of(kernel, (uint32_t)i), tasks->spans, now);
		cpu->task = NULL;
		cpu->depth = 0;
		cpu->in_softirq = cpu->in_timer = cpu->in_upcall = false;
		memset(cpu->is_raised, 0, sizeof(cpu->is_raised));
		memset(cpu->raised_by, 0, sizeof(cpu->raised_by));
	}
	kernel->losses++;
}

/* Until here its state is known. */
static void end_task(struct strata_tasks *tasks, struct strata_task *task,
		     const struct strata_moment *now)
{
	enter(tasks, task, STRATA_TASK_UNKNOWN, task->cpu, now);
	forget_jobs(task);
}

void strata_tasks_end(struct strata_tasks *tasks, struct strata_kernel *kernel,
		      const struct strata_moment *now)
{
	size_t i;

	for (i = 0; i < kernel->nr_tasks; i++) {
		if (kernel->all_tasks[i]->life)
			end_task(tasks, kernel->all_tasks[i], now);
	}
	for (i = 0; i < kernel->nr_cpus; i++) {
		if (kernel->cpus[i])
			end_task(tasks, &kernel->cpus[i]->idle, now);
	}
	strata_tasks_lose(tasks, kernel, now);
	/* Nor does anybody know who waits. */
	for (i = 0; i < kernel->nr_cpus; i++) {
		if (kernel->cpus[i])
			kernel->cpus[i]->queue.is_known = false;
	}
}

static void tell_open(const struct strata_tasks *tasks, const struct strata_spans *spans,
		      struct strata_task *task, const struct strata_moment *now)
{
	struct strata_split split = { { { 0 } } };

	/* The task's next event does the same. */
	strata_task_catch_up(task);
	if (task->since.ns < now->ns)
		tell_state(tasks, spans, task, now, &split);
}

void strata_tasks_tell_open(const struct strata_tasks *tasks, const struct strata_spans *spans,
			    const struct strata_moment *now)
{
	size_t i, j;

	for (i = 0; i < tasks->nr_traces; i++) {
		struct strata_kernel *kernel = tasks->kernels[i];

		for (j = 0; kernel && j < kernel->nr_tasks; j++) {
			if (kernel->all_tasks[j]->life)
				tell_open(tasks, spans, kernel->all_tasks[j], now);
		}
		for (j = 0; kernel && j < kernel->nr_cpus; j++) {
			if (!kernel->cpus[j])
				continue;
			tell_open(tasks, spans, &kernel->cpus[j]->idle, now);
			strata_queue_tell(&kernel->cpus[j]->queue, queue_of(kernel, (uint32_t)j),
					  spans, now);
		}
	}
}
