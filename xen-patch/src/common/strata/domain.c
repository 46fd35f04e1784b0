/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.c - see domain.h: allocates and frees the state of a domain.
 */

#include <xen/lib.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/vmap.h>

#include "budget.h"
#include "domain.h"
#include "private.h"
#include "vcpu_clock.h"

static void free_one(struct strata_domain *mine)
{
    if ( !mine )
        return;

    strata_vcpu_maps_free(mine);
    vfree(mine);
}

static struct strata_domain *allocate(const struct domain *d)
{
    struct strata_domain *new;

    /* Zeroed: the first record fills each budget. */
    new = vzalloc(offsetof(struct strata_domain,
                           budget[nr_cpu_ids * STRATA_HV_CHANNELS]));
    if ( new && !strata_vcpu_maps_make(new, d) )
    {
        vfree(new);
        new = NULL;
    }

    return new;
}

/* Records that this domain's events are incomplete: see STRATA_HV_BUDGET. */
static void tell_no_memory(const struct domain *d)
{
    const struct strata_hv_budget record = {
        .domain = d->domain_id,
        .pcpu   = smp_processor_id(),
    };

    strata_record_own(STRATA_HV_BUDGET, &record, sizeof(record));
}

void strata_domain_make(struct domain *d)
{
    struct strata_domain *new;

    if ( ACCESS_ONCE(d->strata) || strata_domain_unbounded(d) )
        return;

    new = allocate(d);
    if ( !new )
        tell_no_memory(d);
    else if ( cmpxchg(&d->strata, NULL, new) )
        free_one(new); /* START raced with the creation of a vCPU */
}

void strata_domain_free_all(void)
{
    struct domain *d;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
        free_one(xchg(&d->strata, NULL));
    rcu_read_unlock(&domlist_read_lock);
}

/* Its vCPUs no longer run, and it is no longer in the list of domains. */
void strata_domain_destroyed(struct domain *d)
{
    struct strata_domain *mine = xchg(&d->strata, NULL);

    if ( mine )
        strata_budget_tell_all(mine, d);
    free_one(mine);
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
