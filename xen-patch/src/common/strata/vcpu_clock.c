/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpu_clock.c - records how each vCPU's TSC follows from the host's: when
 * recording starts, and when it changes.
 *
 * A guest decides how often its TSC changes (WRMSR of IA32_TSC, INIT of another
 * vCPU, nested VM entries), and no selection or budget limits these records. So
 * an unchanged map is not recorded again, and each vCPU may record a few maps
 * in a window. The next one is marked incomplete, and changes after it are only
 * counted. The map in effect is then recorded late: in the next window, by the
 * first CPU that has a softirq, goes to sleep or is calibrated, or when
 * recording stops.
 *
 * A vCPU's lock is held from reading its map until that is recorded: another
 * CPU that records it late, or for START and FLUSH, cannot record an older map
 * after a newer one. No interrupt takes it.
 */

#include <xen/lib.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/spinlock.h>
#include <xen/strata.h>
#include <xen/xmalloc.h>

#include <asm/hvm/hvm.h>

#include "budget.h"
#include "domain.h"
#include "private.h"
#include "vcpu_clock.h"

struct strata_vcpu_map {
    spinlock_t lock;
    struct strata_hv_vcpu_clock recorded; /* all zero: none */
    uint64_t window_ticks;   /* when this window began */
    unsigned int left;       /* maps that may be recorded in it */
    unsigned int suppressed; /* changes since the last record */
};

enum why {
    CHANGED, /* unless nothing did */
    ASKED,   /* START or FLUSH requests the map */
    LATE,    /* if changes were not recorded, and the window is over */
    LAST,    /* if changes were not recorded: STOP does not wait */
};

/* When the waiting maps are due, in host ticks; 0: no map waits. */
static unsigned long due;

/*
 * Emulated: guest TSC = scale(system time - vtsc_offset) + offset, for PV and
 * HVM alike.  See pv_soft_rdtsc() and hvm_get_guest_tsc_fixed().
 */
static void fill_emulated(struct strata_hv_vcpu_clock *clock,
                          const struct vcpu *v)
{
    const struct domain *d = v->domain;

    clock->emulated = 1;
    clock->vtsc_mul_frac = d->arch.ns_to_vtsc.mul_frac;
    clock->vtsc_shift = d->arch.ns_to_vtsc.shift;
    if ( is_hvm_domain(d) )
    {
        const struct pl_time *pl = d->arch.hvm.pl_time;

        clock->vtsc_offset_ns = -(pl->stime_offset + v->arch.hvm.stime_offset);
        clock->vtsc_last_ns = ACCESS_ONCE(pl->last_guest_time) -
                              pl->stime_offset;
    }
    else
    {
        clock->vtsc_offset_ns = d->arch.vtsc_offset;
        clock->vtsc_last_ns = ACCESS_ONCE(d->arch.vtsc_last);
    }
}

static void fill(struct strata_hv_vcpu_clock *clock, const struct vcpu *v)
{
    const struct domain *d = v->domain;

    *clock = (struct strata_hv_vcpu_clock){
        .domain      = d->domain_id,
        .vcpu        = v->vcpu_id,
        .tsc_mode    = d->arch.tsc_mode,
        .is_hvm      = is_hvm_domain(d),
        .ratio       = 1,
        .guest_khz   = d->arch.tsc_khz ?: cpu_khz,
        .incarnation = d->arch.incarnation,
    };

    if ( d->arch.vtsc )
        fill_emulated(clock, v);

    if ( is_hvm_domain(d) )
    {
        clock->offset = v->arch.hvm.cache_tsc_offset;
        if ( hvm_tsc_scaling_supported &&
             hvm_tsc_scaling_ratio(d) != hvm_default_tsc_scaling_ratio )
        {
            clock->ratio = hvm_tsc_scaling_ratio(d);
            clock->ratio_frac_bits = hvm_funcs.tsc_scaling.ratio_frac_bits;
        }
    }
}

/*
 * Each reading changes vtsc_last_ns; the two fields after it are not part of
 * the map.
 */
static bool same_map(const struct strata_hv_vcpu_clock *a,
                     const struct strata_hv_vcpu_clock *b)
{
    return !memcmp(a, b, offsetof(struct strata_hv_vcpu_clock, vtsc_last_ns));
}

static uint64_t window_length(void)
{
    return (uint64_t)cpu_khz * STRATA_HV_BUDGET_WINDOW_MS;
}

/* Begins a new window if the last one is over, or if the clock stepped back.
 */
static bool new_window(struct strata_vcpu_map *map)
{
    uint64_t now = strata_clock();

    if ( now - map->window_ticks < window_length() )
        return false;
    map->window_ticks = now;
    map->left = STRATA_HV_VCPU_CLOCKS_PER_WINDOW;

    return true;
}

static bool take_token(struct strata_vcpu_map *map)
{
    new_window(map);
    if ( !map->left )
        return false;
    map->left--;

    return true;
}

/*
 * Sets @mine's flag before the due time: the CPU that takes the due time away
 * (a full barrier in strata_vcpu_clocks_late()) reads the flag after it.
 */
static void wait_for_window(struct strata_domain *mine)
{
    unsigned long at = strata_clock() + window_length();

    write_atomic(&mine->late, true);
    cmpxchg(&due, 0UL, at ?: 1UL);
}

/* In a probe.  @map's lock is held. */
static void record_map(unsigned int channels, struct strata_domain *mine,
                       struct strata_vcpu_map *map, const struct vcpu *v,
                       enum why why)
{
    struct strata_hv_vcpu_clock clock;
    bool incomplete = false;

    if ( why >= LATE && !map->recorded.incomplete )
        return;
    if ( why == LATE )
    {
        if ( !new_window(map) )
        {
            wait_for_window(mine);
            return;
        }
        map->left--;
    }

    fill(&clock, v);
    if ( why == CHANGED )
    {
        if ( same_map(&clock, &map->recorded) )
            return;
        incomplete = !take_token(map);
        if ( incomplete && map->recorded.incomplete )
        {
            map->suppressed++;
            return;
        }
        /* A map also counts against the domain's budget, if any is left. */
        strata_budget_charge(channels, mine);
    }

    clock.incomplete = incomplete;
    clock.suppressed = map->suppressed;
    map->suppressed = 0;
    map->recorded = clock;
    strata_write_own(channels, STRATA_HV_VCPU_CLOCK, &clock, sizeof(clock));
    if ( incomplete )
        wait_for_window(mine);
}

/* For a domain without state, no change is recorded. */
static void record_unbounded(unsigned int channels, const struct vcpu *v,
                             enum why why)
{
    bool bounded = !strata_domain_unbounded(v->domain);
    struct strata_hv_vcpu_clock clock;

    if ( bounded && why != ASKED )
        return;

    fill(&clock, v);
    clock.incomplete = bounded;
    strata_write_own(channels, STRATA_HV_VCPU_CLOCK, &clock, sizeof(clock));
}

static void record(const struct vcpu *v, enum why why)
{
    unsigned int channels = strata_probe_begin();
    struct strata_domain *mine = ACCESS_ONCE(v->domain->strata);

    /*
     * For a domain under construction this is not yet what its vCPUs will see.
     */
    if ( channels && v->domain->creation_finished )
    {
        if ( mine && v->vcpu_id < mine->nr_maps )
        {
            struct strata_vcpu_map *map = &mine->maps[v->vcpu_id];
            unsigned long flags;

            spin_lock_irqsave(&map->lock, flags);
            record_map(channels, mine, map, v, why);
            spin_unlock_irqrestore(&map->lock, flags);
        }
        else
            record_unbounded(channels, v, why);
    }

    strata_probe_end();
}

void strata_vcpu_clock_changed(const struct vcpu *v)
{
    record(v, CHANGED);
}

void strata_vcpu_clock_state(const struct vcpu *v)
{
    record(v, ASKED);
}

void strata_domain_clock_changed(const struct domain *d)
{
    const struct vcpu *v;

    if ( d->vcpu )
        for_each_vcpu ( d, v )
            record(v, CHANGED);
}

static void record_late(const struct domain *d, enum why why)
{
    struct strata_domain *mine = ACCESS_ONCE(d->strata);
    const struct vcpu *v;

    if ( mine && xchg(&mine->late, false) )
        for_each_vcpu ( d, v )
            record(v, why);
}

void strata_vcpu_clocks_late(bool now)
{
    unsigned long at = ACCESS_ONCE(due);
    struct domain *d;

    if ( likely(!at) || (!now && (long)(strata_clock() - at) < 0) )
        return;
    /* One CPU does it.  Pairs with wait_for_window(). */
    if ( cmpxchg(&due, at, 0UL) != at )
        return;

    /* In a probe, so that the domains' state is not freed. */
    if ( strata_probe_begin() )
    {
        rcu_read_lock(&domlist_read_lock);
        for_each_domain ( d )
            record_late(d, now ? LAST : LATE);
        rcu_read_unlock(&domlist_read_lock);
    }
    strata_probe_end();
}

bool strata_vcpu_maps_make(struct strata_domain *mine, const struct domain *d)
{
    unsigned int i;

    mine->maps = xzalloc_array(struct strata_vcpu_map, d->max_vcpus);
    if ( !mine->maps )
        return false;

    mine->nr_maps = d->max_vcpus;
    for ( i = 0; i < mine->nr_maps; i++ )
        spin_lock_init(&mine->maps[i].lock);

    return true;
}

void strata_vcpu_maps_free(struct strata_domain *mine)
{
    xfree(mine->maps);
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
