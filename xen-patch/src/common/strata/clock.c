/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.c - records what a reader needs to turn every TSC into one timeline:
 * how each CPU's TSC gives Xen's system time, and how each vCPU's TSC follows
 * from the host's; and what each vCPU was doing when recording began.
 *
 * Called when recording starts (control.c) and from where any of it changes.
 * While nothing is recorded, it does nothing.
 */

#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/time.h>

#include <asm/hvm/hvm.h>
#include <asm/time.h>

#include "budget.h"
#include "private.h"

void strata_pcpu_clock(void)
{
    struct strata_hv_pcpu_clock clock = { .tsc_khz = cpu_khz };
    unsigned long flags;

    if ( !strata_started() )
        return;

    /* Interrupts off, for the fields to be of one calibration. */
    local_irq_save(flags);
    clock.pcpu = smp_processor_id();
    get_cpu_clock(&clock);
    strata_record_own(STRATA_HV_PCPU_CLOCK, &clock, sizeof(clock));
    local_irq_restore(flags);
}

void strata_calibrated(void)
{
    struct strata_cpu_ring *ring = strata_probe_begin();

    if ( ring )
        strata_budget_tell(ring, smp_processor_id());
    strata_probe_end(ring);

    strata_switch();
}

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

void strata_vcpu_clock(const struct vcpu *v)
{
    const struct domain *d = v->domain;
    struct strata_hv_vcpu_clock clock = {
        .domain      = d->domain_id,
        .vcpu        = v->vcpu_id,
        .tsc_mode    = d->arch.tsc_mode,
        .is_hvm      = is_hvm_domain(d),
        .ratio       = 1,
        .guest_khz   = d->arch.tsc_khz ?: cpu_khz,
        .incarnation = d->arch.incarnation,
    };

    /* Of a domain that is being made this is not yet what its vCPUs will see. */
    if ( !strata_started() || !d->creation_finished )
        return;

    if ( d->arch.vtsc )
        fill_emulated(&clock, v);

    if ( is_hvm_domain(d) )
    {
        clock.offset = v->arch.hvm.cache_tsc_offset;
        if ( hvm_tsc_scaling_supported &&
             hvm_tsc_scaling_ratio(d) != hvm_default_tsc_scaling_ratio )
        {
            clock.ratio = hvm_tsc_scaling_ratio(d);
            clock.ratio_frac_bits = hvm_funcs.tsc_scaling.ratio_frac_bits;
        }
    }

    strata_record_own(STRATA_HV_VCPU_CLOCK, &clock, sizeof(clock));
}

void strata_domain_clock(const struct domain *d)
{
    const struct vcpu *v;

    if ( strata_started() && d->vcpu )
        for_each_vcpu ( d, v )
            strata_vcpu_clock(v);
}

void strata_vcpu_state(const struct vcpu *v)
{
    const struct strata_hv_vcpu_state state = {
        .domain   = v->domain->domain_id,
        .vcpu     = v->vcpu_id,
        .pcpu     = v->processor,
        .runstate = v->runstate.state,
    };

    strata_record_own(STRATA_HV_VCPU_STATE, &state, sizeof(state));
}

void strata_vcpu_created(struct vcpu *v)
{
    /* An idle vCPU has no TSC of its own, and no place to run yet. */
    if ( !strata_started() || is_idle_vcpu(v) )
        return;

    strata_budget_make(v->domain);
    strata_vcpu_clock(v);
    vcpu_runstate_trace(v);
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
