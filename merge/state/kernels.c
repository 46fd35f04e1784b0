// SPDX-License-Identifier: GPL-2.0-or-later
/* kernels.c - finds kernels, their CPUs and their tasks, and adds what is new (tasks.h). */
#include "state/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fair_share.h"

#define CPUS_MAX 8192u /* of a kernel: Linux has no more */

/* Adds a kernel behind those of earlier traces, where there is room. */
static void add_known(struct strata_tasks *tasks, struct strata_kernel *kernel)
{
	size_t at = tasks->nr_known++;

	for (; at > 0 && tasks->known[at - 1]->trace > kernel->trace; at--)
		tasks->known[at] = tasks->known[at - 1];
	tasks->known[at] = kernel;
}

struct strata_kernel *strata_tasks_kernel(struct strata_tasks *tasks, size_t trace, size_t machine,
					  uint32_t domain)
{
	struct strata_kernel *kernel = tasks->kernels[trace];

	if (kernel)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel || !STRATA_GROW(tasks->known, tasks->nr_known, tasks->known_room)) {
		free(kernel);
		tasks->no_memory = true;
		return NULL;
	}
	kernel->trace = trace;
	kernel->machine = machine;
	kernel->domain = domain;
	tasks->kernels[trace] = kernel;
	add_known(tasks, kernel);
	return kernel;
}

struct strata_kernel *strata_tasks_find_kernel(const struct strata_tasks *tasks, size_t machine,
					       uint32_t domain)
{
	size_t i;

	for (i = 0; i < tasks->nr_known; i++) {
		struct strata_kernel *kernel = tasks->known[i];

		if (kernel->machine == machine &&
		    (domain == STRATA_NO_DOMAIN || kernel->domain == STRATA_NO_DOMAIN ||
		     kernel->domain == domain))
			return kernel;
	}
	return NULL;
}

const struct strata_vcpu *strata_kernel_find_vcpu(const struct strata_tasks *tasks,
						  const struct strata_kernel *kernel, uint32_t cpu)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_known_cpu(kernel, cpu);
	const struct strata_vcpu *vcpu;

	if (kernel->domain == STRATA_NO_DOMAIN || cpu > UINT16_MAX)
		return NULL;
	vcpu = strata_vcpus_find(tasks->vcpus, kernel->machine, kernel->domain, cpu);
	/* vCPUs stay. */
	if (of_cpu)
		of_cpu->vcpu = vcpu;
	return vcpu;
}

bool strata_kernel_own_times(const struct strata_kernel *kernel, const struct strata_moment *now,
			     uint64_t ns[STRATA_NR_VCPU_STATES])
{
	memset(ns, 0, STRATA_NR_VCPU_STATES * sizeof(*ns));
	if (kernel->domain != STRATA_NO_DOMAIN)
		return false;
	ns[STRATA_VCPU_GUEST] = now->ns;
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
	strata_kernel_vcpu_times(tasks, kernel, cpu, now, task->life->vcpu_ns);
}

struct strata_kernel_cpu *strata_kernel_add_cpu(struct strata_tasks *tasks,
						struct strata_kernel *kernel, uint32_t cpu,
						const struct strata_moment *now)
{
	struct strata_kernel_cpu **larger;

	if (cpu >= CPUS_MAX ||
	    !strata_share_has_room(kernel->nr_known_cpus, tasks->nr_cpus, STRATA_CPUS_MAX)) {
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
	if (!kernel->cpus[cpu]) {
		tasks->no_memory = true;
		return NULL;
	}
	kernel->nr_known_cpus++;
	tasks->nr_cpus++;
	kernel->cpus[cpu]->idle.life = &kernel->cpus[cpu]->idle_life;
	init_task(tasks, &kernel->cpus[cpu]->idle, kernel, 0, cpu, now);
	return kernel->cpus[cpu];
}

/* A task begins its life, be it the first with its number or not.  0, or -1: out of memory. */
static int begin_life(struct strata_tasks *tasks, struct strata_task *task,
		      struct strata_kernel *kernel, uint32_t tid, uint32_t cpu,
		      const struct strata_moment *now)
{
	task->life = calloc(1, sizeof(*task->life));
	if (!task->life) {
		tasks->no_memory = true;
		return -1;
	}
	init_task(tasks, task, kernel, tid, cpu, now);
	return 0;
}

void strata_task_end_life(struct strata_task *task)
{
	struct strata_task **recent = &task->kernel->recent_tasks[task->tid % STRATA_RECENT_TASKS];

	/* A task that is looked for is one that lives. */
	if (*recent == task)
		*recent = NULL;
	free(task->life);
	task->life = NULL;
}

struct strata_task *strata_tasks_find(struct strata_tasks *tasks, struct strata_kernel *kernel,
				      uint32_t tid, uint32_t cpu, const struct strata_moment *now)
{
	struct strata_kernel_cpu *of_cpu;
	struct strata_task *task;

	if (tid == 0) {
		of_cpu = strata_kernel_cpu(tasks, kernel, cpu, now);
		return of_cpu ? &of_cpu->idle : NULL;
	}
	task = strata_id_map_find(&kernel->tasks, tid);
	if (task) {
		if (!task->life && begin_life(tasks, task, kernel, tid, cpu, now))
			return NULL;
		kernel->recent_tasks[tid % STRATA_RECENT_TASKS] = task;
		return task;
	}
	if (!strata_share_has_room(kernel->nr_tasks, tasks->nr_tasks, STRATA_TASKS_MAX)) {
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
	tasks->nr_tasks++;
	return begin_life(tasks, task, kernel, tid, cpu, now) ? NULL : task;
}

struct strata_task *strata_tasks_known(const struct strata_kernel *kernel, uint32_t tid,
				       uint32_t cpu)
{
	struct strata_kernel_cpu *of_cpu = strata_kernel_known_cpu(kernel, cpu);
	struct strata_task *task;

	if (tid == 0)
		return of_cpu ? &of_cpu->idle : NULL;
	task = strata_id_map_find(&kernel->tasks, tid);
	return task && task->life ? task : NULL;
}

void strata_task_rename(struct strata_task *task, const char *comm, size_t bytes)
{
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, comm, bytes < sizeof(task->comm) ? bytes : sizeof(task->comm));
}

void strata_tasks_clear(struct strata_tasks *tasks)
{
	size_t i, j;

	for (i = 0; tasks->kernels && i < tasks->nr_traces; i++) {
		struct strata_kernel *kernel = tasks->kernels[i];

		if (!kernel)
			continue;
		for (j = 0; j < kernel->nr_tasks; j++) {
			free(kernel->all_tasks[j]->life);
			free(kernel->all_tasks[j]);
		}
		for (j = 0; j < kernel->nr_cpus; j++)
			free(kernel->cpus[j]);
		free(kernel->all_tasks);
		free(kernel->cpus);
		strata_id_map_clear(&kernel->tasks);
		strata_timers_clear(&kernel->timers);
		free(kernel);
	}
	free(tasks->kernels);
	free(tasks->known);
	memset(tasks, 0, sizeof(*tasks));
}
