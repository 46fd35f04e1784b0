/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen/strata.h - the interface of Strata, the lockless trace rings, to the rest
 * of Xen: one hook for every trace point, a few for the clocks, one sysctl.
 */

#ifndef __XEN_STRATA_H__
#define __XEN_STRATA_H__

#include <xen/strata_trace.h>
#include <xen/trace.h>
#include <xen/types.h>

struct cpu_info;
struct domain;
struct strata_hv_op;
struct strata_hv_pcpu_clock;
struct vcpu;

#ifdef CONFIG_STRATA

/*
 * Tested inline in frequent paths of Xen: while nothing is recorded, this is
 * the whole cost.
 */
static inline bool strata_started(void)
{
    return tb_init_done & TB_STRATA;
}

/* A CPU is to run with this information, or does already: it has no probes. */
void strata_init_cpu(struct cpu_info *info, unsigned int cpu);

/*
 * Whether a trace point with this event would be recorded. Any context.
 */
bool strata_wants(uint32_t event);

/*
 * The clock of this CPU was set or calibrated: record how it runs now.  To be
 * called before anything could read the new clock, with interrupts still off:
 * the new clock is valid from the record's own time on. Any context but NMI and
 * #MC.
 */
void strata_pcpu_clock(void);

/*
 * The periodic calibration of this CPU is done: records the refusals on it, and
 * hands over as strata_switch() does.
 */
void strata_calibrated(void);

/*
 * Hands this CPU's records to a reader that has nothing else to read, once per
 * period. Called on a path that awake CPUs take often, and where one is about
 * to sleep: no CPU is ever woken for it. Not in interrupts.
 */
void strata_hand_over(void);

static inline void strata_switch(void)
{
    if ( unlikely(strata_started()) )
        strata_hand_over();
}

/*
 * The TSC of a vCPU, or of all of a domain's, may have changed: record its map
 * if so, unless the guest changes it all the time.  Not in interrupts; the
 * domain stays as it is while we look.
 */
void strata_vcpu_clock_changed(const struct vcpu *v);
void strata_domain_clock_changed(const struct domain *d);

static inline void strata_vcpu_clock(const struct vcpu *v)
{
    if ( unlikely(strata_started()) )
        strata_vcpu_clock_changed(v);
}

static inline void strata_domain_clock(const struct domain *d)
{
    if ( unlikely(strata_started()) )
        strata_domain_clock_changed(d);
}

/* Records a vCPU's runstate.  The caller holds its schedule lock. */
void strata_vcpu_state(const struct vcpu *v);

/* A vCPU has been made: records its clock and runstate. */
void strata_vcpu_created(struct vcpu *v);

/* A domain has stopped running, and is in no list any more. */
void strata_domain_destroyed(struct domain *d);

/*
 * XEN_SYSCTL_strata_op, under the sysctl lock.  0, a negative error, or
 * -ERESTART: to be called again with the same @op, from a continuation.
 */
int strata_sysctl(struct strata_hv_op *op);

/*
 * What Strata uses from the rest of Xen. arch/x86/time.c: how this CPU
 * extrapolates system time. Interrupts off.
 */
void get_cpu_clock(struct strata_hv_pcpu_clock *clock);
/* common/sched/core.c: strata_vcpu_state() under the vCPU's schedule lock. */
void vcpu_runstate_trace(struct vcpu *v);

#else /* CONFIG_STRATA */

#include <xen/errno.h>

static inline void strata_init_cpu(struct cpu_info *info, unsigned int cpu) {}

static inline bool strata_wants(uint32_t event)
{
    return false;
}

static inline void strata_pcpu_clock(void) {}
static inline void strata_calibrated(void) {}
static inline void strata_switch(void) {}
static inline void strata_vcpu_clock(const struct vcpu *v) {}
static inline void strata_domain_clock(const struct domain *d) {}
static inline void strata_vcpu_created(struct vcpu *v) {}
static inline void strata_domain_destroyed(struct domain *d) {}

static inline int strata_sysctl(struct strata_hv_op *op)
{
    return -ENOSYS;
}

#endif /* CONFIG_STRATA */

#endif /* __XEN_STRATA_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
