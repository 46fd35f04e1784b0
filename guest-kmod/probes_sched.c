// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes_sched.c - the probes that say which task runs, wakes, begins and ends.
 *
 * Called with the scheduler's locks held and interrupts off, for the most part.
 */
#include <linux/binfmts.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "probes.h"
#include "record.h"

static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	/* Always 16 bytes: a name that changes meanwhile can be mixed, but not overrun. */
	memcpy(to, task->comm, TASK_COMM_LEN);
}

/* The state that a task is switched out in, in the bits of the kernel's own sched_switch event. */
static __always_inline u32 reported_state(bool preempt, unsigned int prev_state,
					  const struct task_struct *prev)
{
	unsigned int index;

	/* Whatever it was about to do, a preempted task is still runnable. */
	if (preempt)
		return TASK_REPORT_MAX;
	index = __task_state_index(prev_state, prev->exit_state);
	return index ? 1u << (index - 1) : 0;
}

void strata_probe_sched_switch(void *unused, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int prev_state)
{
	struct strata_open_record record;
	struct strata_payload_sched_switch *payload = strata_record_begin(&record, sched_switch);

	if (!payload)
		return;
	copy_comm(payload->prev_comm, prev);
	payload->prev_tid = prev->pid;
	payload->prev_prio = prev->prio;
	payload->prev_state = reported_state(preempt, prev_state, prev);
	copy_comm(payload->next_comm, next);
	payload->next_tid = next->pid;
	payload->next_prio = next->prio;
	strata_record_end(&record);
}

void strata_probe_sched_waking(void *unused, struct task_struct *task)
{
	struct strata_open_record record;
	struct strata_payload_sched_waking *payload = strata_record_begin(&record, sched_waking);

	if (!payload)
		return;
	copy_comm(payload->comm, task);
	payload->tid = task->pid;
	payload->prio = task->prio;
	payload->target_cpu = task_cpu(task);
	strata_record_end(&record);
}

void strata_probe_sched_wakeup(void *unused, struct task_struct *task)
{
	struct strata_open_record record;
	struct strata_payload_sched_wakeup *payload = strata_record_begin(&record, sched_wakeup);

	if (!payload)
		return;
	copy_comm(payload->comm, task);
	payload->tid = task->pid;
	payload->prio = task->prio;
	payload->target_cpu = task_cpu(task);
	strata_record_end(&record);
}

void strata_probe_sched_process_fork(void *unused, struct task_struct *parent,
				     struct task_struct *child)
{
	struct strata_open_record record;
	struct strata_payload_sched_process_fork *payload =
		strata_record_begin(&record, sched_process_fork);

	if (!payload)
		return;
	copy_comm(payload->parent_comm, parent);
	payload->parent_tid = parent->pid;
	copy_comm(payload->child_comm, child);
	payload->child_tid = child->pid;
	strata_record_end(&record);
}

void strata_probe_sched_process_exec(void *unused, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	struct strata_open_record record;
	struct strata_payload_sched_process_exec *payload =
		strata_record_begin(&record, sched_process_exec);

	if (!payload)
		return;
	/* bprm->filename is kernel memory, so the copy cannot fault. */
	strscpy_pad(payload->filename, bprm->filename, sizeof(payload->filename));
	payload->tid = task->pid;
	payload->old_tid = old_pid;
	strata_record_end(&record);
}

void strata_probe_sched_process_exit(void *unused, struct task_struct *task)
{
	struct strata_open_record record;
	struct strata_payload_sched_process_exit *payload =
		strata_record_begin(&record, sched_process_exit);

	if (!payload)
		return;
	copy_comm(payload->comm, task);
	payload->tid = task->pid;
	payload->prio = task->prio;
	strata_record_end(&record);
}
