/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probes.h - the functions that the kernel's trace points call, and which of
 * them are attached.
 */
#ifndef STRATA_KMOD_PROBES_H
#define STRATA_KMOD_PROBES_H

#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/types.h>

struct hrtimer;
struct linux_binprm;
struct pt_regs;
struct task_struct;

/* Finds the trace point of each event.  0, or -ENOENT after a message.  Once, before the rest. */
int strata_probes_find(void);

/*
 * Attaches exactly the probes of the events in @mask, bit n being record id n,
 * and detaches all others.  0, or a negative error after a message; some are
 * attached then and some are not.  Detached probes may still run until
 * strata_probes_detach_all().  One caller at a time; may sleep.
 */
int strata_probes_attach(u64 mask);

/* Detaches all probes; when it returns, none runs.  One caller at a time; may sleep. */
void strata_probes_detach_all(void);

/* The probes; their arguments are the trace points'. */
void strata_probe_sched_switch(void *unused, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int prev_state);
void strata_probe_sched_waking(void *unused, struct task_struct *task);
void strata_probe_sched_wakeup(void *unused, struct task_struct *task);
void strata_probe_sched_process_fork(void *unused, struct task_struct *parent,
				     struct task_struct *child);
void strata_probe_sched_process_exec(void *unused, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm);
void strata_probe_sched_process_exit(void *unused, struct task_struct *task);
void strata_probe_irq_handler_entry(void *unused, int irq, struct irqaction *action);
void strata_probe_irq_handler_exit(void *unused, int irq, struct irqaction *action, int ret);
void strata_probe_softirq_entry(void *unused, unsigned int vec);
void strata_probe_softirq_exit(void *unused, unsigned int vec);
void strata_probe_hrtimer_expire_entry(void *unused, struct hrtimer *timer, ktime_t *now);
void strata_probe_hrtimer_expire_exit(void *unused, struct hrtimer *timer);
void strata_probe_syscall_entry(void *unused, struct pt_regs *regs, long nr);
void strata_probe_syscall_exit(void *unused, struct pt_regs *regs, long ret);

#endif /* STRATA_KMOD_PROBES_H */
