// SPDX-License-Identifier: GPL-2.0-only
/* trace_sched.c - events of tasks, interrupts, timers, system calls and the rest of the kernel's
 * core. */
#include "trace_helpers.h"

#include <linux/interrupt.h>

/* They ask task_numa_group_id(), which the kernel does not export. */
#define STRATA_SKIP_sched_move_numa          1
#define STRATA_SKIP_sched_numa_pair_template 1

/* struct pool_workqueue is the work queues' own. */
struct pool_workqueue;
#define STRATA_SKIP_workqueue_queue_work 1

#define CREATE_TRACE_POINTS
#include <trace/events/alarmtimer.h>
#include <trace/events/cgroup.h>
#include <trace/events/context_tracking.h>
#include <trace/events/cpuhp.h>
#include <trace/events/error_report.h>
#include <trace/events/initcall.h>
#include <trace/events/irq.h>
#include <trace/events/lock.h>
#include <trace/events/module.h>
#include <trace/events/nmi.h>
#include <trace/events/preemptirq.h>
#include <trace/events/printk.h>
#include <trace/events/rcu.h>
#include <trace/events/rseq.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>
