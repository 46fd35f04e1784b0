/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.c - see budget.h: refuses events of a domain whose budget is used up,
 * and records how many.  domain.c allocates the buckets.
 */

#include <xen/lib.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/time.h>

#include "budget.h"
#include "private.h"

/* Records the events refused since the last such record, unless a nested probe
 * has recorded them. */
static void tell(struct strata_cpu_ring *ring, const struct domain *d,
                 struct strata_budget *budget, unsigned int cpu)
{
    const struct strata_selection *selection = ACCESS_ONCE(strata_selection);
    unsigned long told = read_atomic(&budget->told);
    unsigned long refused = read_atomic(&budget->refused);
    const struct strata_hv_budget record = {
        .domain        = d->domain_id,
        .pcpu          = cpu,
        .budget_per_s  = selection ? selection->budget_per_s : 0,
        .refused       = refused - told,
        .refused_total = refused,
    };

    if ( refused == told ||
         strata_local_cmpxchg(&budget->told, told, refused) != told )
        return;

    strata_ring_write(ring, STRATA_HV_BUDGET, &record, sizeof(record));
}

bool strata_budget_refill(const struct strata_selection *selection,
                          struct strata_cpu_ring *ring,
                          const struct domain *d, struct strata_budget *budget,
                          enum strata_cause cause)
{
    struct strata_bucket *bucket = &budget->bucket[cause];
    uint64_t now = strata_clock();
    uint64_t passed = now - read_atomic(&bucket->refilled_ticks);

    /* A clock that stepped back refills the budget, too. */
    if ( passed < (uint64_t)cpu_khz * STRATA_HV_BUDGET_WINDOW_MS )
    {
        strata_local_add_return(&budget->refused, 1);
        strata_local_add_return(&ring->refused, 1);
        /*
         * Immediately: from here on, a reader must know that events are
         * missing.
         */
        if ( !bucket->refusing )
        {
            bucket->refusing = true;
            tell(ring, d, budget, smp_processor_id());
        }
        return false;
    }

    write_atomic(&bucket->refilled_ticks, now);
    write_atomic(&bucket->tokens, selection->tokens - 1UL);
    bucket->refusing = false;
    tell(ring, d, budget, smp_processor_id());

    return true;
}

bool strata_budget_without(struct strata_cpu_ring *ring)
{
    strata_local_add_return(&ring->refused, 1);

    return false;
}

void strata_budget_tell(struct strata_cpu_ring *ring, unsigned int cpu)
{
    const struct domain *d;

    /* The common case. */
    if ( ring->refused == ring->refused_seen )
        return;
    ring->refused_seen = ring->refused;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
    {
        struct strata_domain *mine = ACCESS_ONCE(d->strata);

        if ( mine )
            tell(ring, d, &mine->budget[cpu], cpu);
    }
    rcu_read_unlock(&domlist_read_lock);
}

void strata_budget_tell_all(struct strata_domain *mine,
                            const struct domain *d)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
    {
        struct strata_budget *budget = &mine->budget[cpu];
        struct strata_cpu_ring *ring;

        if ( budget->refused == budget->told )
            continue;
        ring = strata_probe_begin();
        if ( ring )
            tell(ring, d, budget, cpu);
        strata_probe_end(ring);
    }
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
