/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handover.c - hands a CPU's records to a channel's reader before their
 * sub-buffer is full: when the channel stops or is flushed, and once a period.
 *
 * Called by gate.c, and where CPUs that are awake often come by.
 */

#include <xen/cpumask.h>
#include <xen/lib.h>
#include <xen/strata.h>
#include <xen/time.h>

#include <strata/ring_switch.h>

#include "budget.h"
#include "channel.h"
#include "notify.h"
#include "private.h"
#include "vcpu_clock.h"

/* The CPU is this one and in no probe, or it is offline. */
static void flush(unsigned int cpu, unsigned int channel)
{
    struct strata_cpu_ring *ring = strata_cpus[cpu].ring[channel];

    if ( !ring )
        return;

    strata_budget_tell(ring, channel, cpu);
    strata_ring_flush(&ring->core);
    if ( ring->core.delivered )
        strata_notify(ring, channel);
}

bool strata_flush_this_cpu(unsigned int channel)
{
    ASSERT(!local_irq_is_enabled());

    if ( strata_probe_under_way() )
        return false;

    flush(smp_processor_id(), channel);

    return true;
}

void strata_flush_offline_cpu(unsigned int cpu, unsigned int channel)
{
    ASSERT(!cpu_online(cpu));

    flush(cpu, channel);
}

void strata_hand_over(void)
{
    unsigned int channels, channel;

    strata_vcpu_clocks_late(false);

    channels = strata_probe_begin();
    strata_for_each_channel ( channel, channels )
    {
        s_time_t period = ACCESS_ONCE(strata_channels[channel].switch_period);
        /* A CPU without a ring needs no report here: no event of it is lost. */
        struct strata_cpu_ring *ring =
            ACCESS_ONCE(strata_this_cpu()->ring[channel]);
        s_time_t now;

        if ( !period || !ring )
            continue;
        now = NOW();
        if ( now - ring->switched >= period && strata_ring_switch(&ring->core) )
        {
            ring->switched = now;
            if ( ring->core.delivered )
                strata_notify(ring, channel);
        }
    }
    strata_probe_end();
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
