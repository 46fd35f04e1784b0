// SPDX-License-Identifier: GPL-2.0-only
/* trace_sched.c - events of tasks, interrupts, timers and system calls. */
#include "trace_helpers.h"

#include <linux/interrupt.h>

/* They ask task_numa_group_id(), which the kernel does not export. */
#define STRATA_SKIP_sched_move_numa          1
#define STRATA_SKIP_sched_numa_pair_template 1

#define CREATE_TRACE_POINTS
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/timer.h>
