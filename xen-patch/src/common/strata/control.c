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

#include "control.h"
#include "private.h"

static void query(struct strata_hv_op *op)
{
    memset(&op->u, 0, sizeof(op->u));
    op->u.query.state = !strata_rings_complete ? STRATA_HV_IDLE
                                  : strata_started() ? STRATA_HV_STARTED
                                                     : STRATA_HV_STOPPED;
    op->u.query.nr_cpus = nr_cpu_ids;
    op->u.query.tsc_khz = cpu_khz;
    op->u.query.virq = STRATA_HV_VIRQ;
    op->u.query.unringed = ACCESS_ONCE(strata_unringed);
    strata_describe_rings(op);
}

int strata_sysctl(struct strata_hv_op *op)
{
    if ( op->abi_version != STRATA_HV_ABI_VERSION )
    {
        op->abi_version = STRATA_HV_ABI_VERSION;
        return -EOPNOTSUPP;
    }

    switch ( op->operation )
    {
    case STRATA_HV_QUERY:
        query(op);
        return 0;

    case STRATA_HV_CREATE:
        return strata_create_rings(op);

    case STRATA_HV_START:
        return strata_start_recording(op);

    case STRATA_HV_STOP:
        return strata_rings_complete ? strata_stop_recording() : -ENOENT;

    case STRATA_HV_FRAMES:
        return strata_list_frames(op);

    case STRATA_HV_GET:
        return strata_get_subbuf(op);

    case STRATA_HV_PUT:
        return strata_put_subbuf(op);

    case STRATA_HV_DESTROY:
        return strata_destroy_rings();

    case STRATA_HV_FLUSH:
        return strata_flush_recording();

    case STRATA_HV_SELECT:
        return strata_rings_complete ? strata_select_events(op) : -ENOENT;
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
