/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select.c - the operation SELECT: puts a selection into effect, records the
 * change on each CPU, and frees the previous selection after a grace period.
 * selection.c makes selections from rules.
 *
 * Called by control.c, under the sysctl lock.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/vmap.h>

#include "control.h"
#include "private.h"
#include "selection.h"

static void cf_check probe_under_way(void *info)
{
    if ( strata_probe_under_way() )
        atomic_inc((atomic_t *)info);
}

/* 0 when all earlier probes have ended; -ERESTART: not yet. */
static int await_probes(void)
{
    unsigned int attempts = 0;
    atomic_t busy;

    if ( !get_cpu_maps() )
        return -ERESTART;

    do {
        atomic_set(&busy, 0);
        on_selected_cpus(&cpu_online_map, probe_under_way, &busy, 1);
    } while ( atomic_read(&busy) && ++attempts < STRATA_GRACE_ATTEMPTS );

    put_cpu_maps();

    return atomic_read(&busy) ? -ERESTART : 0;
}

static void cf_check note_selection(void *info)
{
    strata_record_own(STRATA_HV_SELECTION, info,
                      sizeof(struct strata_hv_selection));
}

/* Makes each CPU record that the selection is about to change, or has changed.
 */
static int tell_selection(uint32_t changed)
{
    struct strata_hv_selection record = { .changed = changed };

    if ( !strata_started() )
        return 0;
    if ( !get_cpu_maps() )
        return -ERESTART;
    on_selected_cpus(&cpu_online_map, note_selection, &record, 1);
    put_cpu_maps();

    return 0;
}

/*
 * @retired is the selection before the last change, until probes no longer use
 * it.  A continued call carries the number of its change.  The next change
 * waits until the call for the previous change has continued and ended: so two
 * numbers suffice.
 */
int strata_select_events(struct strata_hv_op *op)
{
    static struct strata_selection *retired;
    static uint32_t changes; /* number of the last one */
    struct strata_selection *old = NULL;
    bool apply = op->u.select.flags & STRATA_HV_SELECT_APPLY;
    int rc;

    if ( op->u.select.flags & ~(STRATA_HV_SELECT_BEGIN |
                                STRATA_HV_SELECT_APPLY) )
        return -EINVAL;
    if ( op->u.select.continued &&
         (!apply || !changes || changes - op->u.select.continued > 1) )
        return -EINVAL;

    if ( !op->u.select.continued )
    {
        rc = retired ? await_probes() : 0;
        if ( rc )
            return rc;
        vfree(retired);
        retired = NULL;

        rc = apply ? tell_selection(0) : 0;
        if ( rc )
            return rc;

        rc = strata_selection_change(op, &old);
        if ( !apply )
            return rc;
        if ( rc )
        {
            tell_selection(1); /* back to the selection that stays in effect */
            return rc;
        }
        retired = old;
        changes = changes + 1 ?: 1;
        op->u.select.continued = changes;
    }

    rc = await_probes();
    if ( rc )
        return rc;
    vfree(retired);
    retired = NULL;

    rc = tell_selection(1);
    if ( rc != -ERESTART )
        op->u.select.continued = 0;

    return rc;
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
