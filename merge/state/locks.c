// SPDX-License-Identifier: GPL-2.0-or-later
/* locks.c - see locks.h. */
#include "state/locks.h"

/* Adding up the vCPUs of larger kernels at each wait would take too long. */
#define CPUS_MAX 64u

/* Linux's bits. */
#define FLAG_SPIN   1u
#define FLAG_READ   2u
#define FLAG_WRITE  4u
#define FLAG_RT     8u
#define FLAG_PERCPU 16u
#define FLAG_MUTEX  32u

static const char *kind_of(uint64_t flags)
{
	if (flags & FLAG_MUTEX)
		return "mutex";
	if (flags & FLAG_PERCPU)
		return "percpu rwsem";
	if (flags & FLAG_RT)
		return "rt mutex";
	if (flags & FLAG_SPIN)
		return flags & (FLAG_READ | FLAG_WRITE) ? "rwlock" : "spinlock";
	return flags & (FLAG_READ | FLAG_WRITE) ? "rwsem" : "lock";
}

/* How long all vCPUs but that of @task have waited for a physical CPU until now. */
static uint64_t others_waited(const struct strata_tasks *tasks, const struct strata_task *task,
			      const struct strata_moment *now)
{
	const struct strata_kernel *kernel = task->kernel;
	uint64_t sum = 0, ns[STRATA_NR_VCPU_STATES];
	uint32_t i;

	for (i = 0; kernel->nr_cpus <= CPUS_MAX && i < kernel->nr_cpus; i++) {
		const struct strata_vcpu *vcpu =
			i == task->cpu ? NULL : strata_kernel_vcpu(tasks, kernel, i);

		if (!vcpu)
			continue;
		strata_vcpu_times(vcpu, now, ns);
		sum += ns[STRATA_VCPU_RUNNABLE];
	}
	return sum;
}

static struct strata_task_lock *waiting_for(struct strata_task *task, uint64_t lock)
{
	size_t i;

	for (i = 0; i < sizeof(task->life->locks) / sizeof(task->life->locks[0]); i++) {
		if (task->life->locks[i].job.is_open && task->life->locks[i].job.number == lock)
			return &task->life->locks[i];
	}
	return NULL;
}

void strata_locks_begin(struct strata_tasks *tasks, struct strata_task *task, uint64_t lock,
			uint64_t flags, const struct strata_moment *now)
{
	struct strata_task_lock *wait;

	/* A wait that a loss hid the end of is not this one. */
	strata_task_catch_up(task);
	if (waiting_for(task, lock))
		return;
	/* The outer one stays; a third within both has no place, and replaces the second. */
	wait = &task->life->locks[task->life->locks[0].job.is_open];
	strata_task_begin_job(tasks, task, &wait->job, lock, kind_of(flags), now);
	wait->others_waited_ns = others_waited(tasks, task, now);
}

void strata_locks_end(struct strata_tasks *tasks, struct strata_task *task, uint64_t lock,
		      const struct strata_moment *now)
{
	struct strata_task_lock *wait;
	uint64_t others, length;

	/* This ends what a loss hid. */
	strata_task_catch_up(task);
	wait = waiting_for(task, lock);
	if (!wait)
		return;
	others = others_waited(tasks, task, now);
	length = strata_moments_between(&wait->job.since, now);
	/* A task that migrated has other others; several vCPUs may have waited at once. */
	others = others > wait->others_waited_ns ? others - wait->others_waited_ns : 0;
	strata_task_end_job(tasks, task, &wait->job, STRATA_SPAN_LOCK,
			    others < length ? others : length, now);
}
