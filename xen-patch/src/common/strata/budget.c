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
#include "channel.h"
#include "private.h"
#include "set.h"

/* Records the events refused since the last such record, unless a nested probe
 * has recorded them. */
static void tell(struct strata_cpu_ring *ring, unsigned int channel,
                 const struct domain *d, struct strata_budget *budget,
                 unsigned int cpu)
{
    unsigned long told = read_atomic(&budget->told);
    unsigned long refused = read_atomic(&budget->refused);
    const struct strata_hv_budget record = {
        .domain        = d->domain_id,
        .pcpu          = cpu,
        .budget_per_s  = ACCESS_ONCE(strata_channels[channel].budget_per_s),
        .refused       = refused - told,
        .refused_total = refused,
    };

    if ( refused == told ||
         strata_local_cmpxchg(&budget->told, told, refused) != told )
        return;

    strata_ring_write(ring, channel, STRATA_HV_BUDGET, &record,
                      sizeof(record));
}

void strata_vm_exit(uint32_t reason)
{
    strata_this_cpu()->interrupted = reason == STRATA_EXIT_VMX_INTERRUPT ||
                                     reason == STRATA_EXIT_SVM_INTERRUPT
                                     ? current : NULL;
}

void strata_vm_entry(void)
{
    strata_this_cpu()->interrupted = NULL;
}

bool strata_budget_refill(const struct strata_set *set,
                          struct strata_cpu_ring *ring, unsigned int channel,
                          const struct domain *d, enum strata_cause cause)
{
    struct strata_budget *budget = strata_budget_of(ACCESS_ONCE(d->strata), channel);
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
            tell(ring, channel, d, budget, smp_processor_id());
        }
        return false;
    }

    write_atomic(&bucket->refilled_ticks, now);
    write_atomic(&bucket->tokens, set->tokens[channel] - 1L);
    bucket->refusing = false;
    tell(ring, channel, d, budget, smp_processor_id());

    return true;
}

bool strata_budget_without(struct strata_cpu_ring *ring)
{
    strata_local_add_return(&ring->refused, 1);

    return false;
}

void strata_budget_charge(unsigned int channels, struct strata_domain *mine)
{
    const struct strata_set *set = ACCESS_ONCE(strata_set);
    unsigned int channel;

    /* The last channel has been destroyed since the probe began. */
    if ( !set )
        return;

    strata_for_each_channel ( channel, channels )
    {
        struct strata_bucket *bucket =
            &strata_budget_of(mine, channel)->bucket[STRATA_BY_GUEST];

        if ( set->tokens[channel] && !strata_bucket_empty(bucket) )
            strata_bucket_take(bucket);
    }
}

void strata_budget_tell(struct strata_cpu_ring *ring, unsigned int channel,
                        unsigned int cpu)
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
            tell(ring, channel, d,
                 &mine->budget[cpu * STRATA_HV_CHANNELS + channel], cpu);
    }
    rcu_read_unlock(&domlist_read_lock);
}

static void tell_channel(struct strata_domain *mine, const struct domain *d,
                         unsigned int channel)
{
    struct strata_cpu_ring *ring =
        ACCESS_ONCE(strata_this_cpu()->ring[channel]);
    unsigned int cpu;

    for ( cpu = 0; ring && cpu < nr_cpu_ids; cpu++ )
        tell(ring, channel, d,
             &mine->budget[cpu * STRATA_HV_CHANNELS + channel], cpu);
}

void strata_budget_tell_all(struct strata_domain *mine,
                            const struct domain *d)
{
    unsigned int channels = strata_probe_begin(), channel;

    strata_for_each_channel ( channel, channels )
        tell_channel(mine, d, channel);
    strata_probe_end();
}

void strata_budget_forget(unsigned int channel)
{
    struct domain *d;
    unsigned int cpu;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
        for ( cpu = 0; d->strata && cpu < nr_cpu_ids; cpu++ )
            d->strata->budget[cpu * STRATA_HV_CHANNELS + channel] =
                (struct strata_budget){};
    rcu_read_unlock(&domlist_read_lock);
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
