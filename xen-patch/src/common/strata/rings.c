/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.c - makes and frees the rings, for one owner at a time: CREATE and
 * DESTROY.
 *
 * Called by control.c, under the sysctl lock.  Both give way at any page with
 * -ERESTART and go on from where they were; another caller's operation may come
 * in between.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>

#include "control.h"
#include "domain.h"
#include "private.h"
#include "selection.h"

static struct strata_ring_geometry geometry;
static uint32_t flags;                    /* STRATA_HV_OVERWRITE or 0 */
static char owner[STRATA_HV_OWNER_BYTES]; /* empty: there are no rings */
bool strata_rings_complete;
static bool undoing;                      /* memory ran out half way */
static struct strata_cpu_ring *building;  /* the ring of the CPU that is next */
static struct strata_cpu_ring *freeing;   /* out of strata_rings[], not gone */

/* Gives way at any page: to be called again until it says 0. */
static int free_rings(void)
{
    unsigned int cpu;

    if ( !freeing )
    {
        freeing = building;
        building = NULL;
    }
    for ( cpu = 0; ; )
    {
        if ( strata_ring_free(freeing) )
            return -ERESTART;
        freeing = NULL;
        while ( cpu < nr_cpu_ids && !strata_rings[cpu] )
            cpu++;
        if ( cpu == nr_cpu_ids )
            break;
        freeing = strata_rings[cpu];
        strata_rings[cpu] = NULL;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    memset(owner, 0, sizeof(owner));
    undoing = false;

    return 0;
}

int strata_destroy_rings(void)
{
    int rc;

    if ( !owner[0] )
        return -ENOENT;

    /* What is not complete was never started. */
    if ( strata_rings_complete )
    {
        rc = strata_stop_recording();
        if ( rc )
            return rc;
        strata_rings_complete = false;
        strata_selection_free();
        strata_domain_free_all();
    }

    return free_rings();
}

static int undo_create(void)
{
    int rc;

    undoing = true;
    rc = free_rings();

    return rc ?: -ENOMEM;
}

/* The half that is made so far belongs to the owner that asks again. */
static bool resumes(const struct strata_hv_op *op)
{
    return !strata_rings_complete &&
           geometry.subbuf_bits == op->u.create.subbuf_bits &&
           geometry.nr_subbufs_bits == op->u.create.nr_subbufs_bits &&
           flags == op->u.create.flags &&
           !strncmp(owner, op->u.create.owner, sizeof(owner));
}

/* Makes the ring of @cpu, or goes on with it. */
static int make_ring(unsigned int cpu)
{
    int rc;

    if ( !building )
        building = strata_ring_begin(geometry);
    rc = building ? strata_ring_make(building, cpu, geometry,
                                     flags & STRATA_HV_OVERWRITE)
                  : -ENOMEM;
    if ( rc )
        return rc;

    /* The gate is shut; probes look here after it was opened. */
    strata_rings[cpu] = building;
    building = NULL;

    return 0;
}

static int begin_create(struct strata_hv_op *op)
{
    unsigned long pages;

    geometry.subbuf_bits = op->u.create.subbuf_bits;
    geometry.nr_subbufs_bits = op->u.create.nr_subbufs_bits;
    flags = op->u.create.flags;

    /* Leave Xen the better half of what is free. */
    pages = STRATA_WRITER_AREA_PAGES + strata_data_pages(geometry);
    if ( pages * num_present_cpus() > avail_domheap_pages() / 2 )
        return -ENOMEM;

    memcpy(owner, op->u.create.owner, sizeof(owner));
    strata_unringed = 0;

    return 0;
}

int strata_create_rings(struct strata_hv_op *op)
{
    unsigned int cpu;
    int rc = 0;

    op->u.create.owner[sizeof(op->u.create.owner) - 1] = '\0';
    if ( !op->u.create.owner[0] ||
         op->u.create.subbuf_bits < STRATA_SUBBUF_BITS_MIN ||
         op->u.create.subbuf_bits > STRATA_SUBBUF_BITS_MAX ||
         op->u.create.nr_subbufs_bits < STRATA_NR_SUBBUFS_BITS_MIN ||
         op->u.create.nr_subbufs_bits > STRATA_NR_SUBBUFS_BITS_MAX ||
         (op->u.create.flags & ~STRATA_HV_OVERWRITE) ||
         op->u.create.reserved )
        return -EINVAL;

    if ( !owner[0] )
        rc = begin_create(op);
    else if ( !resumes(op) )
    {
        memcpy(op->u.create.owner, owner, sizeof(owner));
        rc = -EBUSY;
    }
    if ( rc )
        return rc;

    if ( undoing )
        return undo_create();

    for_each_present_cpu ( cpu )
    {
        if ( strata_rings[cpu] )
            continue;
        rc = make_ring(cpu);
        if ( rc )
            return rc == -ENOMEM ? undo_create() : rc;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    strata_rings_complete = true;

    return 0;
}

void strata_describe_rings(struct strata_hv_op *op)
{
    unsigned int cpu;

    if ( strata_rings_complete )
    {
        op->u.query.subbuf_bits = geometry.subbuf_bits;
        op->u.query.nr_subbufs_bits = geometry.nr_subbufs_bits;
        op->u.query.flags = flags;
    }
    for ( cpu = 0; strata_rings_complete && cpu < nr_cpu_ids; cpu++ )
        if ( strata_rings[cpu] )
            op->u.query.refused += ACCESS_ONCE(strata_rings[cpu]->refused);
    memcpy(op->u.query.owner, owner, sizeof(owner));
}

/*
 * What a CPU recorded before it went offline is handed over by the one that
 * buries it.  Its ring stays, to be read and to be used when it comes back.
 */
static int cf_check cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    if ( action == CPU_DEAD && strata_started() )
        strata_flush_offline_cpu((unsigned long)hcpu);

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback
};

static int __init cf_check strata_control_init(void)
{
    register_cpu_notifier(&cpu_nfb);

    return 0;
}
__initcall(strata_control_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
