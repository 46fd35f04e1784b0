/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.c - XEN_SYSCTL_strata_op: checks the version of an operation and
 * dispatches it.
 *
 * Everything here runs under the sysctl lock.  Long operations yield with
 * -ERESTART and continue later; another caller's operation may run in between.
 */

#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/time.h>

#include "channel.h"
#include "control.h"
#include "private.h"

static void query(const struct strata_channel *channel,
                  struct strata_hv_op *op)
{
    memset(&op->u, 0, sizeof(op->u));
    op->u.query.state = !channel->complete ? STRATA_HV_IDLE
                        : strata_channel_started(channel) ? STRATA_HV_STARTED
                                                          : STRATA_HV_STOPPED;
    op->u.query.nr_cpus = nr_cpu_ids;
    op->u.query.tsc_khz = cpu_khz;
    op->u.query.unringed = ACCESS_ONCE(channel->unringed);
    strata_describe_rings(channel, op);
}

/* Operations on a channel that has its rings. */
static int operate(struct strata_channel *channel, struct strata_hv_op *op)
{
    switch ( op->operation )
    {
    case STRATA_HV_START:
        return strata_start_recording(channel, op);

    case STRATA_HV_STOP:
        return strata_stop_recording(channel);

    case STRATA_HV_FRAMES:
        return strata_list_frames(channel, op);

    case STRATA_HV_GET:
        return strata_get_subbuf(channel, op);

    case STRATA_HV_PUT:
        return strata_put_subbuf(channel, op);

    case STRATA_HV_FLUSH:
        return strata_flush_recording(channel);

    case STRATA_HV_SELECT:
        return strata_select_events(channel, op);

    case STRATA_HV_READ:
        return strata_read_aggregate(channel, op);
    }

    return -EINVAL;
}

int strata_sysctl(struct strata_hv_op *op)
{
    struct strata_channel *channel;

    if ( op->abi_version != STRATA_HV_ABI_VERSION )
    {
        op->abi_version = STRATA_HV_ABI_VERSION;
        return -EOPNOTSUPP;
    }
    if ( op->channel >= STRATA_HV_CHANNELS || op->reserved )
        return -EINVAL;

    channel = &strata_channels[op->channel];
    switch ( op->operation )
    {
    case STRATA_HV_QUERY:
        query(channel, op);
        return 0;

    case STRATA_HV_CREATE:
        return strata_create_rings(channel, op);

    case STRATA_HV_AGGREGATE:
        return strata_create_aggregate(channel, op);

    case STRATA_HV_DESTROY:
        return strata_destroy_rings(channel);

    case STRATA_HV_START:
    case STRATA_HV_STOP:
    case STRATA_HV_FRAMES:
    case STRATA_HV_GET:
    case STRATA_HV_PUT:
    case STRATA_HV_FLUSH:
    case STRATA_HV_SELECT:
    case STRATA_HV_READ:
        return channel->complete ? operate(channel, op) : -ENOENT;
    }

    return strata_flood_sysctl(op);
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
