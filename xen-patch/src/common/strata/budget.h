/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - how many records a domain may cause on each physical CPU, so that
 * no guest fills a ring at the expense of the others.
 *
 * Each domain but dom0 has two buckets for each CPU: one for its own events,
 * and one for interrupts that arrive while it runs. Another guest can send
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
#include "selection.h"

/* VM exits for an interrupt: EXIT_REASON_EXTERNAL_INTERRUPT of VMX,
 * VMEXIT_INTR of SVM.  Neither number means another traced exit on the other
 * processor. */
#define STRATA_EXIT_VMX_INTERRUPT 0x01u
#define STRATA_EXIT_SVM_INTERRUPT 0x60u

/*
 * Returns the cause of a record on this CPU.  An interrupt causes the records
 * from the VM exit that it forces to the next VM entry, including both.
 */
static always_inline enum strata_cause strata_cause(
    struct strata_cpu_ring *ring, uint32_t event, unsigned int bytes,
    const void *data)
{
    const struct vcpu *interrupted = ring->interrupted;
    uint32_t reason = 0;

    switch ( event & STRATA_HV_ID_TRACE & ~(TRC_64_FLAG | TRC_HVM_NESTEDFLAG) )
    {
    case TRC_HVM_VMEXIT:
        if ( bytes >= sizeof(reason) )
            memcpy(&reason, data, sizeof(reason));
        interrupted = reason == STRATA_EXIT_VMX_INTERRUPT ||
                      reason == STRATA_EXIT_SVM_INTERRUPT ? current : NULL;
        ring->interrupted = interrupted;
        break;

    case TRC_HVM_VMENTRY:
        ring->interrupted = NULL;
        break;
    }

    return in_irq() || interrupted == current ? STRATA_BY_INTERRUPT
                                              : STRATA_BY_GUEST;
}

/* No tokens are left: refill for a new window, or refuse. */
bool strata_budget_refill(const struct strata_selection *selection,
                          struct strata_cpu_ring *ring,
                          const struct domain *d, struct strata_budget *budget,
                          enum strata_cause cause);

/* Refuses events of a limited domain that has no memory for its counters. */
bool strata_budget_without(struct strata_cpu_ring *ring);

/*
 * Whether one more record of @d may be written to @ring, which is this CPU's.
 */
static always_inline bool strata_budget_take(
    const struct strata_selection *selection, struct strata_cpu_ring *ring,
    const struct domain *d, enum strata_cause cause)
{
    struct strata_domain *mine = ACCESS_ONCE(d->strata);
    struct strata_budget *budget;
    unsigned long tokens;

    if ( !selection->tokens )
        return true;
    if ( !mine )
        return strata_domain_unbounded(d) || strata_budget_without(ring);

    budget = &mine->budget[smp_processor_id()];
    tokens = read_atomic(&budget->bucket[cause].tokens);
    if ( unlikely(!tokens) )
        return strata_budget_refill(selection, ring, d, budget, cause);
    write_atomic(&budget->bucket[cause].tokens, tokens - 1);

    return true;
}

/* Takes a token of the domain that runs on this CPU, if one is left. */
static always_inline void strata_budget_charge(
    const struct strata_selection *selection, struct strata_domain *mine)
{
    struct strata_bucket *bucket =
        &mine->budget[smp_processor_id()].bucket[STRATA_BY_GUEST];
    unsigned long tokens = read_atomic(&bucket->tokens);

    if ( selection->tokens && tokens )
        write_atomic(&bucket->tokens, tokens - 1);
}

/*
 * Records the refusals on @cpu that are not recorded yet into @ring, which is
 * this CPU's or belongs to an offline CPU.
 */
void strata_budget_tell(struct strata_cpu_ring *ring, unsigned int cpu);

/* The same for all CPUs of a domain that ends, into this CPU's ring. */
void strata_budget_tell_all(struct strata_domain *mine,
                            const struct domain *d);

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
