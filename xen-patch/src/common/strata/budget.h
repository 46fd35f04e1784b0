/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - how many records a domain may cause on each physical CPU, so that
 * no guest fills a ring at the expense of the others.
 *
 * Each domain but dom0 has two buckets for each CPU and channel: one for its own
 * events, and one for interrupts that arrive while it runs. Another guest can send
 * those (it gives a page back and takes it again, and Xen flushes the TLBs of
 * all CPUs), so they take nothing from what the domain itself may record.
 *
 * Only a CPU's own probes take from its bucket, so it needs no lock; nested
 * probes may exceed the budget by a few records, but no refusal is left
 * uncounted.
 */

#ifndef __COMMON_STRATA_BUDGET_H__
#define __COMMON_STRATA_BUDGET_H__

#include <xen/sched.h>
#include <xen/softirq.h>
#include <xen/trace.h>

#include "domain.h"
#include "private.h"
#include "set.h"

/* VM exits for an interrupt: EXIT_REASON_EXTERNAL_INTERRUPT of VMX,
 * VMEXIT_INTR of SVM.  Neither number means another traced exit on the other
 * processor. */
#define STRATA_EXIT_VMX_INTERRUPT 0x01u
#define STRATA_EXIT_SVM_INTERRUPT 0x60u

/*
 * Returns the cause of a record on this CPU.  An interrupt causes those from the
 * VM exit that it forces to the next VM entry, including both.
 */
static always_inline enum strata_cause strata_cause(
    const struct strata_cpu *cpu)
{
    if ( unlikely(in_irq()) || unlikely(cpu->interrupted == current) )
        return STRATA_BY_INTERRUPT;

    return STRATA_BY_GUEST;
}

/* Of a domain's budgets, the one on this CPU. */
static always_inline struct strata_budget *strata_budget_here(
    struct strata_budget *budgets, unsigned int channel)
{
    return &budgets[smp_processor_id() * STRATA_HV_CHANNELS + channel];
}

static always_inline struct strata_budget *strata_budget_of(
    struct strata_domain *mine, unsigned int channel)
{
    return strata_budget_here(mine->budget, channel);
}

/* No tokens are left: refill for a new window, or refuse. */
bool strata_budget_refill(const struct strata_set *set,
                          struct strata_cpu_ring *ring, unsigned int channel,
                          const struct domain *d, enum strata_cause cause);

/* Refuses events of a limited domain that has no memory for its counters. */
bool strata_budget_without(struct strata_cpu_ring *ring);

/* From which a record of the domain that runs takes a token, of its @budgets. */
static always_inline struct strata_bucket *strata_bucket_here(
    const struct strata_cpu *cpu, struct strata_budget *budgets,
    unsigned int channel)
{
    struct strata_budget *budget = strata_budget_here(budgets, channel);

    /* Not an index, which would have to be computed. */
    if ( unlikely(strata_cause(cpu) == STRATA_BY_INTERRUPT) )
        return &budget->bucket[STRATA_BY_INTERRUPT];

    return &budget->bucket[STRATA_BY_GUEST];
}

static always_inline bool strata_bucket_empty(const struct strata_bucket *bucket)
{
    return ACCESS_ONCE(bucket->tokens) <= 0;
}

/* Takes a token of a bucket that had one: a nested probe may have taken it, and
 * then this one is owed. */
static always_inline void strata_bucket_take(struct strata_bucket *bucket)
{
    bucket->tokens--;
    barrier();
}

/*
 * Whether one more record of @d may be written to @ring, which is this CPU's.
 */
static inline bool strata_budget_take(
    const struct strata_set *set, const struct strata_cpu *cpu,
    struct strata_cpu_ring *ring, unsigned int channel, const struct domain *d)
{
    struct strata_domain *mine = ACCESS_ONCE(d->strata);
    struct strata_bucket *bucket;

    if ( !set->tokens[channel] )
        return true;
    if ( !mine )
        return strata_domain_unbounded(d) || strata_budget_without(ring);
    bucket = strata_bucket_here(cpu, mine->budget, channel);
    if ( strata_bucket_empty(bucket) )
        return strata_budget_refill(set, ring, channel, d, strata_cause(cpu));
    strata_bucket_take(bucket);

    return true;
}

/*
 * Takes a token of the domain that runs on this CPU from its budget in each of
 * @channels, if one is left.  In a probe.
 */
void strata_budget_charge(unsigned int channels, struct strata_domain *mine);

/*
 * Records the refusals on @cpu that are not recorded yet into @ring, which is
 * this CPU's or belongs to an offline CPU.
 */
void strata_budget_tell(struct strata_cpu_ring *ring, unsigned int channel,
                        unsigned int cpu);

/* The same for all CPUs and channels of a domain that ends, into this CPU's
 * rings. */
void strata_budget_tell_all(struct strata_domain *mine,
                            const struct domain *d);

/* Forgets what a channel that is being destroyed has counted of all domains.
 * No probe writes into it. */
void strata_budget_forget(unsigned int channel);

#endif /* __COMMON_STRATA_BUDGET_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
