/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.c - operations of dom0's reader on one ring: list its frames, get and
 * put a sub-buffer.
 *
 * Called by control.c, under the sysctl lock.
 */

#include <xen/errno.h>
#include <xen/lib.h>

#include "channel.h"
#include "control.h"
#include "private.h"

/* Returns the channel's ring of a CPU, or NULL. */
static struct strata_cpu_ring *find_ring(const struct strata_channel *channel,
                                         uint32_t cpu)
{
    return cpu < nr_cpu_ids
           ? strata_ring_of(cpu, strata_channel_number(channel)) : NULL;
}

int strata_list_frames(const struct strata_channel *channel,
                       struct strata_hv_op *op)
{
    const struct strata_cpu_ring *ring =
        find_ring(channel, op->u.frames.cpu);
    unsigned int i, nr;

    if ( !ring )
        return -ENOENT;
    if ( op->u.frames.first >= ring->nr_frames )
        return -EINVAL;

    nr = min_t(unsigned int, ring->nr_frames - op->u.frames.first,
               STRATA_HV_FRAMES_PER_CALL);
    for ( i = 0; i < nr; i++ )
        op->u.frames.mfn[i] = mfn_x(ring->frames[op->u.frames.first + i]);
    op->u.frames.nr = nr;
    op->u.frames.total = ring->nr_frames;

    return 0;
}

int strata_get_subbuf(const struct strata_channel *channel,
                      struct strata_hv_op *op)
{
    struct strata_cpu_ring *ring = find_ring(channel, op->u.subbuf.cpu);
    int page;

    if ( !ring )
        return -ENOENT;

    /* A previous reader died between GET and PUT: continue for it. */
    if ( ring->taken )
    {
        ring->taken = false;
        strata_ring_put(&ring->core);
    }

    page = strata_ring_get(&ring->core, &ring->spare);
    if ( page < 0 )
        return -EAGAIN;
    ring->taken = ring->core.overwrite;
    op->u.subbuf.position = ring->reader.read_count;
    op->u.subbuf.page = page;

    return 0;
}

int strata_put_subbuf(const struct strata_channel *channel,
                      const struct strata_hv_op *op)
{
    struct strata_cpu_ring *ring = find_ring(channel, op->u.subbuf.cpu);

    if ( !ring )
        return -ENOENT;
    if ( op->u.subbuf.position != ring->reader.read_count )
        return -EINVAL;
    if ( ring->core.overwrite ? !ring->taken
                              : strata_ring_get(&ring->core, &ring->spare) < 0 )
        return -EINVAL;
    ring->taken = false;
    strata_ring_put(&ring->core);

    return 0;
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
