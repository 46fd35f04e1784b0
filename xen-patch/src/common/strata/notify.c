/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.c - wakes the reader of a channel through an event channel, to which
 * the reader in dom0 binds the other end.  A VIRQ would serve one reader only.
 *
 * Probes only note what is ready, and raise a softirq.
 */

#include <xen/event.h>
#include <xen/init.h>
#include <xen/sched.h>
#include <xen/softirq.h>

#include "channel.h"
#include "notify.h"

void strata_notify(struct strata_cpu_ring *ring, unsigned int channel)
{
    ring->core.delivered = false;
    /* No reader waits for the sub-buffers of a flight recorder. */
    if ( ring->core.overwrite )
        return;
    write_atomic(&strata_channels[channel].delivered, true);
    /* A locked bit operation, so fine in an NMI; orders the store before it. */
    raise_softirq(STRATA_SOFTIRQ);
}

/*
 * dom0 is interrupted once for any number of sub-buffers, until the reader has
 * taken the event and unmasked its port.
 */
static void cf_check strata_softirq(void)
{
    struct strata_channel *channel = strata_channels;

    for ( ; channel < strata_channels + STRATA_HV_CHANNELS; channel++ )
    {
        if ( !read_atomic(&channel->delivered) )
            continue;
        write_atomic(&channel->delivered, false);
        spin_lock(&channel->port_lock);
        if ( channel->port )
            notify_via_xen_event_channel(hardware_domain, channel->port);
        spin_unlock(&channel->port_lock);
    }
}

/* The reader notifies us of nothing. */
static void cf_check on_event(struct vcpu *v, unsigned int port)
{
}

int strata_port_make(struct strata_channel *channel)
{
    int port;

    if ( channel->port )
        return 0;

    port = alloc_unbound_xen_event_channel(
        hardware_domain, 0, hardware_domain->domain_id, on_event);
    if ( port < 0 )
        return port;
    spin_lock(&channel->port_lock);
    channel->port = port;
    spin_unlock(&channel->port_lock);

    return 0;
}

void strata_port_free(struct strata_channel *channel)
{
    evtchn_port_t port = channel->port;

    spin_lock(&channel->port_lock);
    channel->port = 0;
    spin_unlock(&channel->port_lock);
    if ( port )
        free_xen_event_channel(hardware_domain, port);
}

static int __init cf_check strata_notify_init(void)
{
    struct strata_channel *channel = strata_channels;

    for ( ; channel < strata_channels + STRATA_HV_CHANNELS; channel++ )
        spin_lock_init(&channel->port_lock);
    open_softirq(STRATA_SOFTIRQ, strata_softirq);

    return 0;
}
presmp_initcall(strata_notify_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
