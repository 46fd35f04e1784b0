/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe_cpu.h - keeps a probe of a trace point on its CPU, and waits for probes.
 *
 * Up to Linux 6.12 the kernel calls all probes with preemption off.  From 6.13 on it calls those of
 * system calls with preemption on, because they may fault, and later kernels call the others
 * so, too, under SRCU.  Our probes do not fault, but one that moved to another CPU between reserve
 * and commit would ruin two rings.  Kprobes have preemption off everywhere.
 */
#ifndef STRATA_KMOD_PROBE_CPU_H
#define STRATA_KMOD_PROBE_CPU_H

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

/* The kernels that have a trace point for which it is true have this macro. */
#ifdef DECLARE_TRACE_SYSCALL
#define STRATA_PROBES_ARE_PREEMPTIBLE true
#else
#define STRATA_PROBES_ARE_PREEMPTIBLE false
#endif

/* Around all of a probe. */
static __always_inline void strata_probe_pin(void)
{
	if (STRATA_PROBES_ARE_PREEMPTIBLE)
		preempt_disable_notrace();
}

static __always_inline void strata_probe_unpin(void)
{
	if (STRATA_PROBES_ARE_PREEMPTIBLE)
		preempt_enable_notrace();
}

/* Returns when each probe that has begun before, kprobes included, has ended.  May sleep. */
static inline void strata_await_probes(void)
{
	tracepoint_synchronize_unregister();
	/* It waits for regions without preemption, too; but not where it waits for SRCU. */
	if (STRATA_PROBES_ARE_PREEMPTIBLE)
		synchronize_rcu();
}

#endif /* STRATA_KMOD_PROBE_CPU_H */
