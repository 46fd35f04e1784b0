/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - how many records a domain may cause on each physical CPU, so that
 * no guest fills a ring at the expense of the others.
 *
 * Each domain but dom0 has a bucket for each CPU.  A CPU's own probes are all
 * that takes from it, so it needs no lock; a nested probe may make it a few
 * records more than the budget says, and never fewer refusals than there were.
 */

#ifndef __COMMON_STRATA_BUDGET_H__
#define __COMMON_STRATA_BUDGET_H__

#include <xen/cache.h>
#include <xen/sched.h>

#include "selection.h"

struct strata_cpu_ring;

struct strata_budget {
    unsigned long tokens;
    uint64_t refilled_ticks;
    unsigned long refused; /* in all */
    unsigned long told;    /* of which the trace holds a record */
    bool refusing;         /* since the last window began */
} __cacheline_aligned;

/* There are no tokens: a new window's worth of them, or a refusal. */
bool strata_budget_refill(const struct strata_selection *selection,
                          struct strata_cpu_ring *ring,
                          const struct domain *d, struct strata_budget *budget);

/* May one more record of @d be written to @ring, which is this CPU's? */
static always_inline bool strata_budget_take(
    const struct strata_selection *selection, struct strata_cpu_ring *ring,
    const struct domain *d)
{
    struct strata_budget *budget = ACCESS_ONCE(d->strata_budget);
    unsigned long tokens;

    if ( !budget || !selection->tokens )
        return true;

    budget += smp_processor_id();
    tokens = read_atomic(&budget->tokens);
    if ( unlikely(!tokens) )
        return strata_budget_refill(selection, ring, d, budget);
    write_atomic(&budget->tokens, tokens - 1);

    return true;
}

/* Gives @d its buckets, if it is one that has them.  Without memory: none. */
void strata_budget_make(struct domain *d);

/* Frees all buckets.  The gate is shut and no probe is under way. */
void strata_budget_free_all(void);

/*
 * Records what was refused on @cpu and not told yet, into @ring, which is this
 * CPU's or belongs to one that is offline.
 */
void strata_budget_tell(struct strata_cpu_ring *ring, unsigned int cpu);

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
