/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.c - records how each CPU's TSC maps to Xen's system time, and each
 * vCPU's runstate when recording began. How each vCPU's TSC follows from the
 * host's is in vcpu_clock.c.
 *
 * Called when recording starts (gate.c) and on each change.  Does nothing while
 * nothing is recorded.
 */

#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/time.h>

#include <asm/time.h>

#include "budget.h"
#include "domain.h"
#include "private.h"
#include "set.h"
#include "vcpu_clock.h"

void strata_pcpu_clock(void)
{
    struct strata_hv_pcpu_clock clock = { .tsc_khz = cpu_khz };
    unsigned long flags;

    if ( !strata_started() )
        return;

    /* Interrupts off, so that all fields are of one calibration. */
    local_irq_save(flags);
    clock.pcpu = smp_processor_id();
    get_cpu_clock(&clock);
    strata_record_own(STRATA_HV_PCPU_CLOCK, &clock, sizeof(clock));
    local_irq_restore(flags);
}

void strata_calibrated(void)
{
    unsigned int channels = strata_probe_begin(), channel;

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring =
            ACCESS_ONCE(strata_this_cpu()->ring[channel]);

        if ( ring )
            strata_budget_tell(ring, channel, smp_processor_id());
    }
    strata_probe_end();

    strata_switch();
}

void strata_vcpu_state(const struct vcpu *v)
{
    const struct strata_hv_vcpu_state state = {
        .domain   = v->domain->domain_id,
        .vcpu     = v->vcpu_id,
        .pcpu     = v->processor,
        .runstate = v->runstate.state,
    };

    unsigned int channels = strata_probe_begin();

    /* Without the changes that follow, the state would be taken for lasting. */
    if ( channels )
        channels &= strata_runstate_channels(ACCESS_ONCE(strata_set));
    strata_write_own(channels, STRATA_HV_VCPU_STATE, &state, sizeof(state));
    strata_probe_end();
}

void strata_vcpu_created(struct vcpu *v)
{
    /* An idle vCPU has no TSC of its own, and may have no CPU yet. */
    if ( !strata_started() || is_idle_vcpu(v) )
        return;

    strata_domain_make(v->domain);
    strata_vcpu_clock_state(v);
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
