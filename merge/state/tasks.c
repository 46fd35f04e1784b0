// SPDX-License-Identifier: GPL-2.0-or-later
/* tasks.c - see tasks.h. */
#include "state/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Linux has no more CPUs; and more tasks of a kernel than these are not followed. */
#define CPUS_MAX  8192u
#define TASKS_MAX 262144u

struct strata_kernel *strata_tasks_kernel(struct strata_tasks *tasks, size_t trace, size_t machine,
					  uint32_t domain)
{
	struct strata_kernel *kernel = tasks->kernels[trace];

	if (kernel)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel) {
		tasks->no_memory = true;
		return NULL;
	}
	kernel->trace = trace;
	kernel->machine = machine;
	kernel->domain = domain;
	tasks->kernels[trace] = kernel;
	return kernel;
}

/* The times of the vCPU that a task runs on or waits for.  False: it has none that is known. */
static bool vcpu_times(const struct strata_tasks *tasks, const struct strata_kernel *kernel,
		       uint32_t cpu, const struct strata_moment *now,
		       uint64_t ns[STRATA_NR_VCPU_STATES])
{
	const struct strata_vcpu *vcpu;

	memset(ns, 0, STRATA_NR_VCPU_STATES * sizeof(*ns));
	if (kernel->domain == STRATA_NO_DOMAIN) {
		ns[STRATA_VCPU_GUEST] = now->ns;
		return true;
	}
	vcpu = strata_vcpus_find(tasks->vcpus, kernel->machine, kernel->domain, cpu);
	if (!vcpu)
		return false;
	strata_vcpu_times(vcpu, now, ns);
	return true;
}

static void init_task(const struct strata_tasks *tasks, struct strata_task *task,
		      struct strata_kernel *kernel, uint32_t tid, uint32_t cpu,
		      const struct strata_moment *now)
{
	task->kernel = kernel;
	task->tid = tid;
	task->cpu = cpu;
	task->state = STRATA_TASK_UNKNOWN;
	task->since = *now;
	task->losses = kernel->losses;
	vcpu_times(tasks, kernel, cpu, now, task->vcpu_ns);
}

/* NULL: out of memory, or no CPU has such a number. */
static struct strata_kernel_cpu *get_cpu(struct strata_tasks *tasks, struct strata_kernel *kernel,
					 uint32_t cpu, const struct strata_moment *now)
{
	struct strata_kernel_cpu **larger;

	if (cpu < kernel->nr_cpus && kernel->cpus[cpu])
		return kernel->cpus[cpu];
	if (cpu >= CPUS_MAX) {
		tasks->not_followed++;
		return NULL;
	}
	if (cpu >= kernel->nr_cpus) {
		larger = reallocarray(kernel->cpus, cpu + 1, sizeof(*larger));
		if (!larger) {
			tasks->no_memory = true;
			return NULL;
		}
		memset(larger + kernel->nr_cpus, 0, (cpu + 1 - kernel->nr_cpus) * sizeof(*larger));
		kernel->cpus = larger;
		kernel->nr_cpus = cpu + 1;
	}
	kernel->cpus[cpu] = calloc(1, sizeof(**kernel->cpus));
	if (kernel->cpus[cpu])
		init_task(tasks, &kernel->cpus[cpu]->idle, kernel, 0, cpu, now);
	else
		tasks->no_memory = true;
	return kernel->cpus[cpu];
}

struct strata_task *strata_tasks_get(struct strata_tasks *tasks, struct strata_kernel *kernel,
				     uint32_t tid, uint32_t cpu, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu;
	struct strata_task *task;

	if (tid == 0) {
		of_cpu = get_cpu(tasks, kernel, cpu, now);
		return of_cpu ? &of_cpu->idle : NULL;
	}
	task = strata_id_map_find(&kernel->tasks, tid);
	if (task)
		return task;
	if (kernel->nr_tasks >= TASKS_MAX) {
		tasks->not_followed++;
		return NULL;
	}
	task = calloc(1, sizeof(*task));
	if (!task || !STRATA_GROW(kernel->all_tasks, kernel->nr_tasks, kernel->tasks_room) ||
	    strata_id_map_add(&kernel->tasks, tid, task)) {
		free(task);
		tasks->no_memory = true;
		return NULL;
	}
	kernel->all_tasks[kernel->nr_tasks++] = task;
	init_task(tasks, task, kernel, tid, cpu, now);
	return task;
}

void strata_task_rename(struct strata_task *task, const char *comm, size_t bytes)
{
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, comm, bytes < sizeof(task->comm) ? bytes : sizeof(task->comm));
}

struct strata_task *strata_tasks_current(const struct strata_kernel *kernel, uint32_t cpu)
{
	return cpu < kernel->nr_cpus && kernel->cpus[cpu] ? kernel->cpus[cpu]->task : NULL;
}

/* Adds the time since @task->since to the row of its state. */
static void add_times(const struct strata_tasks *tasks, const struct strata_task *task,
		      const struct strata_moment *now, struct strata_split *split)
{
	uint64_t *row = split->ns[task->state], ns[STRATA_NR_VCPU_STATES];
	uint64_t between = strata_moments_between(&task->since, now), of_vcpu = 0;
	size_t i;

	if (vcpu_times(tasks, task->kernel, task->cpu, now, ns)) {
		for (i = 0; i < STRATA_NR_VCPU_STATES; i++) {
			row[i] += ns[i] - task->vcpu_ns[i];
			of_vcpu += ns[i] - task->vcpu_ns[i];
		}
	}
	/* What was before the vCPU's first event, nobody knows of. */
	if (between > of_vcpu)
		row[STRATA_VCPU_UNKNOWN] += between - of_vcpu;
}

/* What is known of a task's state ended at a loss, but not when. */
static void catch_up(struct strata_task *task)
{
	if (task->losses == task->kernel->losses)
		return;
	task->losses = task->kernel->losses;
	task->state = STRATA_TASK_UNKNOWN;
	task->wait.is_open = task->syscall.is_open = false;
}

/* The task's state ends, and another begins: @state on, or for, @cpu. */
static void enter(struct strata_tasks *tasks, struct strata_task *task,
		  enum strata_task_state state, uint32_t cpu, const struct strata_moment *now)
{
	struct strata_split split = { { { 0 } } };
	struct strata_span span = {
		.kind = STRATA_SPAN_TASK,
		.from_ns = task->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&task->since, now),
		.task = task,
		.trace = task->kernel->trace,
		.split = &split,
	};
	size_t i;

	catch_up(task);
	span.number = task->state;
	if (span.from_ns < span.to_ns) {
		add_times(tasks, task, now, &split);
		for (i = 0; i < STRATA_NR_VCPU_STATES; i++)
			task->split.ns[task->state][i] += split.ns[task->state][i];
		strata_spans_tell(tasks->spans, &span);
	}
	task->state = state;
	task->since = *now;
	task->cpu = cpu;
	vcpu_times(tasks, task->kernel, cpu, now, task->vcpu_ns);
}

void strata_task_times(struct strata_tasks *tasks, struct strata_task *task,
		       const struct strata_moment *now, struct strata_split *split)
{
	catch_up(task);
	*split = task->split;
	add_times(tasks, task, now, split);
}

void strata_split_since(struct strata_split *split, const struct strata_split *before)
{
	size_t i, j;

	for (i = 0; i < STRATA_NR_TASK_STATES; i++) {
		for (j = 0; j < STRATA_NR_VCPU_STATES; j++)
			split->ns[i][j] -= before->ns[i][j];
	}
}

static void begin_job(struct strata_tasks *tasks, struct strata_task *task,
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

static void end_job(struct strata_tasks *tasks, struct strata_task *task,
		    struct strata_task_job *job, enum strata_span_kind kind,
		    const struct strata_moment *now)
{
	struct strata_split split;
	const struct strata_span span = {
		.kind = kind,
		.from_ns = job->since.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&job->since, now),
		.task = task,
		.trace = task->kernel->trace,
		.number = job->number,
		.name = job->name,
		.name_bytes = job->name ? strlen(job->name) : 0,
		.split = &split,
	};

	if (!job->is_open)
		return;
	job->is_open = false;
	strata_task_times(tasks, task, now, &split);
	strata_split_since(&split, &job->split);
	strata_spans_tell(tasks->spans, &span);
}

void strata_tasks_switch(struct strata_tasks *tasks, struct strata_task *before,
			 enum strata_task_state state, struct strata_task *after, uint32_t cpu,
			 const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = get_cpu(tasks, after->kernel, cpu, now);

	if (!of_cpu)
		return;
	after->kernel->has_switches = true;
	enter(tasks, before, state, cpu, now);
	if (state == STRATA_TASK_RUNNABLE && before->tid != 0)
		begin_job(tasks, before, &before->wait, STRATA_SPAN_PREEMPTED, NULL, now);
	enter(tasks, after, STRATA_TASK_RUNNING, cpu, now);
	end_job(tasks, after, &after->wait, (enum strata_span_kind)after->wait.number, now);
	of_cpu->task = after;
}

void strata_tasks_wake(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
		       const struct strata_moment *now)
{
	catch_up(task);
	/* sched_waking comes before sched_wakeup; one that runs still may be woken, too. */
	if (task->state == STRATA_TASK_RUNNING || task->state == STRATA_TASK_RUNNABLE) {
		if (task->state == STRATA_TASK_RUNNABLE && task->cpu != cpu)
			strata_tasks_migrate(tasks, task, cpu, now);
		return;
	}
	enter(tasks, task, STRATA_TASK_RUNNABLE, cpu, now);
	begin_job(tasks, task, &task->wait, STRATA_SPAN_WAKEUP, NULL, now);
}

void strata_tasks_migrate(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
			  const struct strata_moment *now)
{
	catch_up(task);
	if (task->state != STRATA_TASK_RUNNABLE || task->cpu == cpu)
		return;
	enter(tasks, task, STRATA_TASK_RUNNABLE, cpu, now);
}

void strata_tasks_syscall(struct strata_tasks *tasks, struct strata_task *task, uint64_t number,
			  const char *name, const struct strata_moment *now)
{
	begin_job(tasks, task, &task->syscall, number, name, now);
}

void strata_tasks_syscall_end(struct strata_tasks *tasks, struct strata_task *task,
			      const struct strata_moment *now)
{
	catch_up(task);
	end_job(tasks, task, &task->syscall, STRATA_SPAN_SYSCALL, now);
}

static void begin_cpu_job(struct strata_tasks *tasks, const struct strata_kernel *kernel,
			  uint32_t cpu, struct strata_cpu_job *job, uint64_t number,
			  const char *name, size_t bytes, const struct strata_moment *now)
{
	job->since = *now;
	job->number = number;
	memset(job->name, 0, sizeof(job->name));
	if (bytes)
		memcpy(job->name, name, bytes < sizeof(job->name) ? bytes : sizeof(job->name));
	job->has_vcpu = vcpu_times(tasks, kernel, cpu, now, job->ns);
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
		.cpu = cpu,
		.trace = kernel->trace,
		.number = job->number,
		.name = job->name[0] ? job->name : NULL,
		.name_bytes = strnlen(job->name, sizeof(job->name)),
		.split = &split,
	};
	size_t i;

	if (job->has_vcpu && vcpu_times(tasks, kernel, cpu, now, row)) {
		for (i = 0; i < STRATA_NR_VCPU_STATES; i++)
			row[i] -= job->ns[i];
	} else {
		row[STRATA_VCPU_UNKNOWN] = strata_moments_between(&job->since, now);
	}
	strata_spans_tell(tasks->spans, &span);
}

void strata_tasks_irq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
		      uint64_t number, const char *name, size_t bytes,
		      const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = get_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	if (of_cpu->depth < STRATA_IRQ_DEPTH)
		begin_cpu_job(tasks, kernel, cpu, &of_cpu->irqs[of_cpu->depth], number, name, bytes,
			      now);
	of_cpu->depth++;
}

void strata_tasks_irq_end(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t number, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = get_cpu(tasks, kernel, cpu, now);
	unsigned int depth = of_cpu ? of_cpu->depth : 0;

	/* One that is too deep to be followed. */
	if (depth > STRATA_IRQ_DEPTH) {
		of_cpu->depth--;
		return;
	}
	while (depth > 0 && of_cpu->irqs[depth - 1].number != number)
		depth--;
	if (depth == 0)
		return;
	/* What lies above it has ended, too, though nobody said it. */
	of_cpu->depth = depth - 1;
	end_cpu_job(tasks, kernel, cpu, &of_cpu->irqs[depth - 1], STRATA_SPAN_IRQ, now);
}

void strata_tasks_softirq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t vector, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = get_cpu(tasks, kernel, cpu, now);

	if (!of_cpu)
		return;
	of_cpu->in_softirq = true;
	begin_cpu_job(tasks, kernel, cpu, &of_cpu->softirq, vector, NULL, 0, now);
}

void strata_tasks_softirq_end(struct strata_tasks *tasks, struct strata_kernel *kernel,
			      uint32_t cpu, uint64_t vector, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu = get_cpu(tasks, kernel, cpu, now);

	if (of_cpu && of_cpu->in_softirq && of_cpu->softirq.number == vector)
		end_cpu_job(tasks, kernel, cpu, &of_cpu->softirq, STRATA_SPAN_SOFTIRQ, now);
	if (of_cpu)
		of_cpu->in_softirq = false;
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
			cpu->task->wait.is_open = cpu->task->syscall.is_open = false;
		}
		cpu->task = NULL;
		cpu->depth = 0;
		cpu->in_softirq = false;
	}
	kernel->losses++;
}

/* Its state goes on, and yet its span ends. */
static void finish_task(struct strata_tasks *tasks, struct strata_task *task,
			const struct strata_moment *now)
{
	catch_up(task);
	enter(tasks, task, task->state, task->cpu, now);
}

void strata_tasks_finish(struct strata_tasks *tasks, const struct strata_moment *now)
{
	size_t i, j;

	for (i = 0; i < tasks->nr_traces; i++) {
		struct strata_kernel *kernel = tasks->kernels[i];

		for (j = 0; kernel && j < kernel->nr_tasks; j++)
			finish_task(tasks, kernel->all_tasks[j], now);
		for (j = 0; kernel && j < kernel->nr_cpus; j++) {
			if (kernel->cpus[j])
				finish_task(tasks, &kernel->cpus[j]->idle, now);
		}
	}
}

void strata_tasks_clear(struct strata_tasks *tasks)
{
	size_t i, j;

	for (i = 0; tasks->kernels && i < tasks->nr_traces; i++) {
		struct strata_kernel *kernel = tasks->kernels[i];

		if (!kernel)
			continue;
		for (j = 0; j < kernel->nr_tasks; j++)
			free(kernel->all_tasks[j]);
		for (j = 0; j < kernel->nr_cpus; j++)
			free(kernel->cpus[j]);
		free(kernel->all_tasks);
		free(kernel->cpus);
		strata_id_map_clear(&kernel->tasks);
		free(kernel);
	}
	free(tasks->kernels);
	memset(tasks, 0, sizeof(*tasks));
}
