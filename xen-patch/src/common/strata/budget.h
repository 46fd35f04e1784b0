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

#include <xen/sched.h>

#include "domain.h"
#include "selection.h"

struct strata_cpu_ring;

/* There are no tokens: a new window's worth of them, or a refusal. */
bool strata_budget_refill(const struct strata_selection *selection,
                          struct strata_cpu_ring *ring,
                          const struct domain *d, struct strata_budget *budget);

/* Of a domain of which nothing is kept: refused, unless @d has no bound. */
bool strata_budget_without(struct strata_cpu_ring *ring,
                           const struct domain *d);

/* May one more record of @d be written to @ring, which is this CPU's? */
static always_inline bool strata_budget_take(
    const struct strata_selection *selection, struct strata_cpu_ring *ring,
    const struct domain *d)
{
    struct strata_domain *mine = ACCESS_ONCE(d->strata);
    struct strata_budget *budget;
    unsigned long tokens;

    if ( !selection->tokens )
        return true;
    if ( unlikely(!mine) )
        return strata_budget_without(ring, d);

    budget = &mine->budget[smp_processor_id()];
    tokens = read_atomic(&budget->tokens);
    if ( unlikely(!tokens) )
        return strata_budget_refill(selection, ring, d, budget);
    write_atomic(&budget->tokens, tokens - 1);

    return true;
}

/* Takes a token of what runs on this CPU, if there is one left. */
static always_inline void strata_budget_charge(
    const struct strata_selection *selection, struct strata_domain *mine)
{
    struct strata_budget *budget = &mine->budget[smp_processor_id()];
    unsigned long tokens = read_atomic(&budget->tokens);

    if ( selection->tokens && tokens )
        write_atomic(&budget->tokens, tokens - 1);
}

/*
 * Records what was refused on @cpu and not told yet, into @ring, which is this
 * CPU's or belongs to one that is offline.
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
