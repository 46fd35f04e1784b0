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

#include "channel.h"
#include "control.h"
#include "private.h"
#include "selection.h"
#include "set.h"

struct note {
    unsigned int channels;
    struct strata_hv_selection record;
};

static void cf_check note_selection(void *info)
{
    const struct note *note = info;
    unsigned int started = strata_probe_begin();

    strata_write_own(started & note->channels, STRATA_HV_SELECTION,
                     &note->record, sizeof(note->record));
    strata_probe_end();
}

/* Makes each CPU record that the channel's selection is about to change, or has
 * changed. */
static int tell_selection(const struct strata_channel *channel, uint32_t changed)
{
    struct note note = {
        .channels       = 1u << strata_channel_number(channel),
        .record.changed = changed,
    };

    if ( !strata_channel_started(channel) )
        return 0;
    if ( !get_cpu_maps() )
        return -ERESTART;
    on_selected_cpus(&cpu_online_map, note_selection, &note, 1);
    put_cpu_maps();

    return 0;
}

int strata_retire_selection(struct strata_channel *channel)
{
    int rc = 0;

    if ( channel->retired_set || channel->retired_selection )
        rc = strata_await_probes();
    if ( !rc )
        strata_set_free_retired(channel);

    return rc;
}

int strata_select_events(struct strata_channel *channel,
                         struct strata_hv_op *op)
{
    bool apply = op->u.select.flags & STRATA_HV_SELECT_APPLY;
    int rc;

    if ( op->u.select.flags & ~(STRATA_HV_SELECT_BEGIN |
                                STRATA_HV_SELECT_APPLY) )
        return -EINVAL;
    if ( op->u.select.continued > apply )
        return -EINVAL;

    rc = strata_retire_selection(channel);
    if ( rc )
        return rc;

    if ( !op->u.select.continued )
    {
        rc = apply ? tell_selection(channel, 0) : 0;
        if ( rc )
            return rc;

        rc = strata_selection_draft(channel, op);
        if ( !apply )
            return rc;
        if ( !rc )
            rc = strata_set_change(channel, op->u.select.budget_per_s);
        if ( rc )
        {
            tell_selection(channel, 1); /* back to what stays in effect */
            return rc;
        }
        op->u.select.continued = 1;

        rc = strata_retire_selection(channel);
        if ( rc )
            return rc;
    }

    rc = tell_selection(channel, 1);
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
