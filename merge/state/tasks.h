/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h - the kernels' part of a host's state: which task each CPU of a kernel runs, in which
 * state each task is, and what the kernel does for it meanwhile.
 *
 * A task that waits for a CPU waits for the one that it was woken for, and so for that vCPU, whose
 * times divide its own (struct strata_split).
 */
#ifndef STRATA_MERGE_STATE_TASKS_H
#define STRATA_MERGE_STATE_TASKS_H

#include "base/id_map.h"
#include "state/queue.h"
#include "state/snapshots.h"
#include "state/timers.h"
#include "state/vcpus.h"

#define STRATA_TASK_COMM_BYTES 16u
#define STRATA_IRQ_NAME_BYTES  STRATA_HANDLER_NAME_BYTES
#define STRATA_IRQ_DEPTH       4u  /* interrupts within interrupts that are followed */
#define STRATA_SOFTIRQS        16u /* vectors */
#define STRATA_RECENT_TASKS    64u

/* Followed of all kernels together, 2 KB a task and 13 KB a CPU: of one alone half of them
 * (fair_share.h). */
#define STRATA_TASKS_MAX 524288u
#define STRATA_CPUS_MAX  16384u

/* Something under way: its beginning, and its task's times then. */
struct strata_task_job {
	bool is_open;
	struct strata_moment since;
	struct strata_split split;
	uint64_t number;
	const char *name; /* NULL: it has a number only */
};

/* What only a task has that has not ended. */
struct strata_task_life {
	struct strata_split split;               /* its times, until it changed last */
	uint64_t vcpu_ns[STRATA_NR_VCPU_STATES]; /* its vCPU's times then */
	uint64_t sleep;                          /* Linux's bits of its state when it blocked */
	struct strata_task_job wait;             /* for a CPU; number: enum strata_span_kind */
	struct strata_task_job syscall;
	/* Locks that it waits for: one within another if an interrupt has to wait, too. */
	struct strata_task_lock {
		struct strata_task_job job; /* number: its address */
		uint64_t others_waited_ns;  /* of the kernel's other vCPUs, then */
	} locks[2];
	struct strata_task_wake {
		struct strata_link link;
		struct strata_delivery delivery; /* the link's cause, if it has one */
		char name[STRATA_IRQ_NAME_BYTES];
	} wake;
};

/* One that has ended stays, for those who refer to it, without its life; a task with the same
 * number takes its place. */
struct strata_task {
	struct strata_kernel *kernel;
	struct strata_task_life *life;          /* NULL: it has ended */
	struct strata_moment since;             /* its last change */
	uint64_t losses;                        /* of the kernel that are accounted for */
	struct strata_task_snapshot *snapshots; /* the latest first */
	uint32_t tid;
	uint32_t cpu;                      /* that it runs on, waits for, or ran on last */
	char comm[STRATA_TASK_COMM_BYTES]; /* ended by a zero unless full; any bytes */
	enum strata_task_state state;
	bool is_woken;  /* `wake` is why it is runnable */
	bool is_waking; /* it still runs: `wake` is to be when it blocks */
};

/* A CPU of a kernel. */
struct strata_kernel_cpu {
	struct strata_task *task;       /* NULL: unknown */
	const struct strata_vcpu *vcpu; /* that it is; NULL: not known yet */
	struct strata_task idle;        /* its task 0 */
	struct strata_task_life idle_life;
	struct strata_queue queue; /* of tasks that wait for it */
	unsigned int depth;
	struct strata_cpu_job {
		struct strata_moment since;
		uint64_t number;
		char name[STRATA_IRQ_NAME_BYTES];
		bool has_vcpu;
		uint64_t ns[STRATA_NR_VCPU_STATES];
		bool has_cause;
		struct strata_delivery cause;        /* the event channel that it handles */
		const struct strata_task *raised_by; /* a softirq, on this CPU; NULL: a handler */
	} irqs[STRATA_IRQ_DEPTH], softirq;
	bool in_softirq, in_timer;
	uint64_t timer; /* its function */
	bool has_due;
	struct strata_moment due; /* when that timer was to expire */
	bool in_upcall;           /* whose handler has not begun yet */
	uint64_t upcall_irq;
	struct strata_link upcall; /* its DELIVERY; a HANDLER's cause if has_delivery */
	bool has_delivery;
	struct strata_delivery delivery;
	/* Softirqs that handlers of event channels raised. */
	bool is_raised[STRATA_SOFTIRQS];
	struct strata_delivery raised[STRATA_SOFTIRQS];
	/* The first that raised a softirq; `idle` also stands for handlers. */
	const struct strata_task *raised_by[STRATA_SOFTIRQS];
};

struct strata_kernel {
	size_t trace; /* of the set */
	size_t machine;
	uint32_t domain; /* STRATA_NO_DOMAIN: no hypervisor is known of, so its CPUs always run */
	struct strata_kernel_cpu **cpus; /* NULL where no event is of one */
	size_t nr_cpus;
	size_t nr_known_cpus;       /* of them that are not NULL */
	struct strata_id_map tasks; /* but for those with number 0 */
	/* Those that were looked for last, by the low bits of their numbers; NULL: none. */
	struct strata_task *recent_tasks[STRATA_RECENT_TASKS];
	struct strata_task **all_tasks;
	size_t nr_tasks, tasks_room;
	struct strata_timers timers;
	uint64_t losses;
	bool has_switches;   /* else tasks are unknown */
	bool has_interrupts; /* else a wake-up's cause, a task or an interrupt, is unknown */
	bool has_wakeups;    /* sched_wakeup, not only sched_waking */
};

#define STRATA_NO_DOMAIN UINT32_MAX

struct strata_tasks {
	const struct strata_spans *spans;
	const struct strata_vcpus *vcpus;
	struct strata_split split;      /* of a span that is told; zero between them */
	struct strata_kernel **kernels; /* by trace of the set; NULL: not one */
	size_t nr_traces;
	struct strata_kernel *
		*known; /* those that are there, by trace: most traces may be others */
	size_t nr_known, known_room;
	size_t nr_tasks, nr_cpus;  /* of all kernels; tasks but for those with number 0 */
	uint64_t not_followed;     /* finds of tasks and CPUs beyond the most that are followed */
	uint64_t switches_missing; /* switches that do not follow from what ran before */
	bool no_memory;
};

/* The kernel of a domain; STRATA_NO_DOMAIN: any of the machine.  NULL: it was not traced. */
struct strata_kernel *strata_tasks_find_kernel(const struct strata_tasks *tasks, size_t machine,
					       uint32_t domain);

/* A kernel's CPU; NULL: no event was of it. */
static inline struct strata_kernel_cpu *strata_kernel_known_cpu(const struct strata_kernel *kernel,
								uint32_t cpu)
{
	return cpu < kernel->nr_cpus ? kernel->cpus[cpu] : NULL;
}

/* The same as strata_kernel_vcpu() where the vCPU has not been found yet. */
const struct strata_vcpu *strata_kernel_find_vcpu(const struct strata_tasks *tasks,
						  const struct strata_kernel *kernel, uint32_t cpu);

/* The vCPU that is a kernel's CPU; NULL: no event told of it. */
static inline const struct strata_vcpu *strata_kernel_vcpu(const struct strata_tasks *tasks,
							   const struct strata_kernel *kernel,
							   uint32_t cpu)
{
	const struct strata_kernel_cpu *of_cpu = strata_kernel_known_cpu(kernel, cpu);

	return of_cpu && of_cpu->vcpu ? of_cpu->vcpu : strata_kernel_find_vcpu(tasks, kernel, cpu);
}

/* The times of a kernel's CPU where no vCPU is known.  False: they are unknown. */
bool strata_kernel_own_times(const struct strata_kernel *kernel, const struct strata_moment *now,
			     uint64_t ns[STRATA_NR_VCPU_STATES]);

/* The times of the vCPU that is a kernel's CPU.  False: it has none that is known. */
static inline bool strata_kernel_vcpu_times(const struct strata_tasks *tasks,
					    const struct strata_kernel *kernel, uint32_t cpu,
					    const struct strata_moment *now,
					    uint64_t ns[STRATA_NR_VCPU_STATES])
{
	const struct strata_vcpu *vcpu = strata_kernel_vcpu(tasks, kernel, cpu);

	if (!vcpu)
		return strata_kernel_own_times(kernel, now, ns);
	strata_vcpu_times(vcpu, now, ns);
	return true;
}

/* The same as strata_kernel_cpu() for one that no event was of. */
struct strata_kernel_cpu *strata_kernel_add_cpu(struct strata_tasks *tasks,
						struct strata_kernel *kernel, uint32_t cpu,
						const struct strata_moment *now);

/* A kernel's CPU.  NULL: out of memory, or no CPU has such a number. */
static inline struct strata_kernel_cpu *strata_kernel_cpu(struct strata_tasks *tasks,
							  struct strata_kernel *kernel,
							  uint32_t cpu,
							  const struct strata_moment *now)
{
	struct strata_kernel_cpu *known = strata_kernel_known_cpu(kernel, cpu);

	return known ? known : strata_kernel_add_cpu(tasks, kernel, cpu, now);
}

struct strata_kernel *strata_tasks_kernel(struct strata_tasks *tasks, size_t trace, size_t machine,
					  uint32_t domain);

/* The innermost handler that has a CPU in place of its task; NULL: none, or it is too deep to be
 * followed.  A softirq that the task raised itself is its own work. */
static inline const struct strata_cpu_job *
strata_kernel_cpu_job(const struct strata_kernel_cpu *cpu)
{
	if (cpu->depth > 0)
		return cpu->depth <= STRATA_IRQ_DEPTH ? &cpu->irqs[cpu->depth - 1] : NULL;
	return cpu->in_softirq && !cpu->softirq.raised_by ? &cpu->softirq : NULL;
}

/* The same as strata_tasks_get() for one that was not looked for last. */
struct strata_task *strata_tasks_find(struct strata_tasks *tasks, struct strata_kernel *kernel,
				      uint32_t tid, uint32_t cpu, const struct strata_moment *now);

/* A task by its number; of 0, that of @cpu.  One that is new is in an unknown state since @now.
 * NULL: out of memory, or there are too many. */
static inline struct strata_task *strata_tasks_get(struct strata_tasks *tasks,
						   struct strata_kernel *kernel, uint32_t tid,
						   uint32_t cpu, const struct strata_moment *now)
{
	struct strata_task *task = kernel->recent_tasks[tid % STRATA_RECENT_TASKS];

	return task && task->tid == tid ? task : strata_tasks_find(tasks, kernel, tid, cpu, now);
}

/* A task that the kernel's events have named, and that lives; NULL: they have not, or it has ended.
 */
struct strata_task *strata_tasks_known(const struct strata_kernel *kernel, uint32_t tid,
				       uint32_t cpu);

void strata_task_rename(struct strata_task *task, const char *comm, size_t bytes);

/* The task that runs on a CPU; NULL: unknown. */
static inline struct strata_task *strata_tasks_current(const struct strata_kernel *kernel,
						       uint32_t cpu)
{
	const struct strata_kernel_cpu *of_cpu = strata_kernel_known_cpu(kernel, cpu);

	return of_cpu ? of_cpu->task : NULL;
}

/* One task follows another on a CPU.  If the one before is not known to have run there, or the
 * other ran already, a switch is missing: what those tasks did since their last change is unknown.
 * @state: of the one before, from then on
 * @sleep: Linux's bits of its state */
void strata_tasks_switch(struct strata_tasks *tasks, struct strata_task *before,
			 enum strata_task_state state, uint64_t sleep, struct strata_task *after,
			 uint32_t cpu, const struct strata_moment *now);

/* How a task is woken. */
struct strata_waker {
	const struct strata_task *task; /* that has the CPU where it is woken; NULL: not known */
	uint32_t cpu;                   /* STRATA_NO_CPU: not known, and nothing is of who woke */
	bool is_waking; /* sched_waking: a sched_wakeup follows if that is recorded */
};

/* A task is woken, for @cpu. */
void strata_tasks_wake(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
		       const struct strata_waker *waker, const struct strata_moment *now);

/* What has a kernel's CPU in place of its task; false: nothing, or not known. */
bool strata_tasks_handler(const struct strata_kernel *kernel, uint32_t cpu,
			  struct strata_handler *handler);

/* A task waits for another CPU. */
void strata_tasks_migrate(struct strata_tasks *tasks, struct strata_task *task, uint32_t cpu,
			  const struct strata_moment *now);

/* A system call of a task. @name: stays, or NULL */
void strata_tasks_syscall(struct strata_tasks *tasks, struct strata_task *task, uint64_t number,
			  const char *name, const struct strata_moment *now);
void strata_tasks_syscall_end(struct strata_tasks *tasks, struct strata_task *task,
			      const struct strata_moment *now);

/* Interrupts of a CPU, and work that they leave for later. */
void strata_tasks_irq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
		      uint64_t number, const char *name, size_t bytes,
		      const struct strata_moment *now);
void strata_tasks_irq_end(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t number, const struct strata_moment *now);
void strata_tasks_softirq(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			  uint64_t vector, const struct strata_moment *now);
void strata_tasks_softirq_end(struct strata_tasks *tasks, struct strata_kernel *kernel,
			      uint32_t cpu, uint64_t vector, const struct strata_moment *now);

/* A handler raises a softirq, to be run after it; or a task does, which may run it itself. */
void strata_tasks_raise(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			uint64_t vector, const struct strata_moment *now);
/* A timer's function begins, or ends. */
void strata_tasks_timer(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			bool begins, uint64_t function, const struct strata_moment *now);
/* After its function has begun: which timer it is of, and what the kernel's clock shows. */
void strata_tasks_timer_late(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			     uint64_t timer, uint64_t clock_ns, const struct strata_moment *now);
/* The upcall for an event channel begins; its handler is that of @irq.
 * @delivery: the link, with its cause; NULL: it is unknown since when the port was pending */
void strata_tasks_upcall(struct strata_tasks *tasks, struct strata_kernel *kernel, uint32_t cpu,
			 uint32_t port, uint64_t irq, const struct strata_link *delivery,
			 const struct strata_moment *now);

/* A task has ended, and has left its CPU: gives up its life, which nothing may refer to. */
void strata_task_end_life(struct strata_task *task);

/* Forgets a task's state and jobs at a loss: they ended at an unknown time. */
void strata_task_forget_loss(struct strata_task *task);

/* Does so if there was a loss. */
static inline void strata_task_catch_up(struct strata_task *task)
{
	if (task->losses != task->kernel->losses)
		strata_task_forget_loss(task);
}

/* Begins a job of a task, or ends it and tells its span.
 * @others_waited_ns: as in the span */
void strata_task_begin_job(struct strata_tasks *tasks, struct strata_task *task,
			   struct strata_task_job *job, uint64_t number, const char *name,
			   const struct strata_moment *now);
void strata_task_end_job(struct strata_tasks *tasks, struct strata_task *task,
			 struct strata_task_job *job, enum strata_span_kind kind,
			 uint64_t others_waited_ns, const struct strata_moment *now);

/* Events of a CPU of a kernel are missing from @now on. */
void strata_tasks_lose(struct strata_tasks *tasks, struct strata_kernel *kernel,
		       const struct strata_moment *now);

/* A kernel's trace ends: its tasks are unknown from @now on. */
void strata_tasks_end(struct strata_tasks *tasks, struct strata_kernel *kernel,
		      const struct strata_moment *now);

/* The times of a task until @now.  Those since its last change may turn out to be unknown, so to
 * subtract them later, take a snapshot (snapshots.h). */
void strata_task_times(struct strata_tasks *tasks, struct strata_task *task,
		       const struct strata_moment *now, struct strata_split *split);

/* Tells the states that go on, up to @now; they stay as they are. */
void strata_tasks_tell_open(const struct strata_tasks *tasks, const struct strata_spans *spans,
			    const struct strata_moment *now);
void strata_tasks_clear(struct strata_tasks *tasks);

#endif /* STRATA_MERGE_STATE_TASKS_H */
