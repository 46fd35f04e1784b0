/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.c - makes and frees the rings, for one owner at a time: CREATE, DESTROY,
 * and the ring of a CPU that is added to the host.
 *
 * control.c calls the operations, under the sysctl lock.  They may yield at any
 * page with -ERESTART and continue later; another caller's operation may run in
 * between.  A CPU is added under the lock of the CPU maps, and without the
 * sysctl lock: see strata_rings_complete.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/softirq.h>
#include <xen/strata.h>

#include "control.h"
#include "domain.h"
#include "private.h"
#include "selection.h"

static struct strata_ring_geometry geometry;
static uint32_t flags;                    /* STRATA_HV_OVERWRITE or 0 */
static char owner[STRATA_HV_OWNER_BYTES]; /* empty: no rings exist */
bool strata_rings_complete;
static bool undoing;                      /* memory ran out half way */
static struct strata_cpu_ring *building;  /* the ring of the CPU that is next */
static struct strata_cpu_ring *freeing;   /* not in strata_rings[], not freed */

/* May yield at any page: call it again until it returns 0. */
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

    /* Incomplete rings have never been started. */
    if ( strata_rings_complete )
    {
        rc = strata_stop_recording();
        if ( rc )
            return rc;
        /* Not during CPU hotplug, which decides whether an added CPU has a
         * ring. */
        if ( !get_cpu_maps() )
            return -ERESTART;
        strata_rings_complete = false;
        put_cpu_maps();
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

/* Incomplete rings belong to the owner that repeats the call. */
static bool resumes(const struct strata_hv_op *op)
{
    return !strata_rings_complete &&
           geometry.subbuf_bits == op->u.create.subbuf_bits &&
           geometry.nr_subbufs_bits == op->u.create.nr_subbufs_bits &&
           flags == op->u.create.flags &&
           !strncmp(owner, op->u.create.owner, sizeof(owner));
}

/* Readers of strata_rings[] only see complete rings. */
static void publish(unsigned int cpu, struct strata_cpu_ring *ring)
{
    smp_wmb(); /* pairs with smp_rmb() of strata_ring_of() */
    write_atomic(&strata_rings[cpu], ring);
}

/* Makes the ring of @cpu, or continues making it. */
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

    /* The gate is shut; probes read this only after it was opened. */
    publish(cpu, building);
    building = NULL;

    return 0;
}

/* Whether the rings leave Xen more than half of the free memory. */
static bool have_memory(unsigned int nr_rings)
{
    unsigned long pages = STRATA_WRITER_AREA_PAGES + strata_data_pages(geometry);

    return pages * nr_rings <= avail_domheap_pages() / 2;
}

static int begin_create(struct strata_hv_op *op)
{
    geometry.subbuf_bits = op->u.create.subbuf_bits;
    geometry.nr_subbufs_bits = op->u.create.nr_subbufs_bits;
    flags = op->u.create.flags;

    if ( !have_memory(num_present_cpus()) )
        return -ENOMEM;

    memcpy(owner, op->u.create.owner, sizeof(owner));
    strata_unringed = 0;

    return 0;
}

/* A ring for each CPU present.  0, -ENOMEM or -ERESTART. */
static int make_rings(void)
{
    unsigned int cpu;
    int rc;

    for_each_present_cpu ( cpu )
    {
        if ( strata_rings[cpu] )
            continue;
        rc = make_ring(cpu);
        if ( rc )
            return rc;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* From here on, add_cpu() makes rings of added CPUs. -ERESTART: one was added
 * meanwhile without a ring, or is being added. */
static int complete_rings(void)
{
    unsigned int cpu;
    bool all = true;

    if ( !get_cpu_maps() )
        return -ERESTART;

    for_each_present_cpu ( cpu )
        all = all && strata_rings[cpu];
    strata_rings_complete = all;
    put_cpu_maps();

    return all ? 0 : -ERESTART;
}

int strata_create_rings(struct strata_hv_op *op)
{
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

    rc = make_rings();
    if ( !rc )
        rc = complete_rings();

    return rc == -ENOMEM ? undo_create() : rc;
}

void strata_describe_rings(struct strata_hv_op *op)
{
    unsigned int cpu;

    memcpy(op->u.query.owner, owner, sizeof(owner));
    if ( !strata_rings_complete )
        return;

    op->u.query.subbuf_bits = geometry.subbuf_bits;
    op->u.query.nr_subbufs_bits = geometry.nr_subbufs_bits;
    op->u.query.flags = flags;
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
    {
        const struct strata_cpu_ring *ring = strata_ring_of(cpu);

        if ( !ring )
            continue;
        op->u.query.nr_rings++;
        op->u.query.refused += ACCESS_ONCE(ring->refused);
    }
}

/* NULL: out of memory.  Interrupts on, and no other vCPU waits for the caller.
 */
static struct strata_cpu_ring *make_whole_ring(unsigned int cpu)
{
    struct strata_cpu_ring *ring;
    int rc;

    ring = have_memory(1) ? strata_ring_begin(geometry) : NULL;
    if ( !ring )
        return NULL;

    do {
        rc = strata_ring_make(ring, cpu, geometry, flags & STRATA_HV_OVERWRITE);
        process_pending_softirqs();
    } while ( rc == -ERESTART );
    if ( !rc )
        return ring;

    while ( strata_ring_free(ring) )
        process_pending_softirqs();

    return NULL;
}

/*
 * Makes the ring of @cpu, which is being brought up and has not run yet.  The
 * CPU that brings it up holds the lock of the CPU maps, in its idle vCPU, and
 * handles softirqs as __cpu_up() does while it waits.  dom0's reader finds the
 * new ring by QUERY's nr_rings.
 */
static void add_cpu(unsigned int cpu)
{
    struct strata_cpu_ring *ring = strata_rings[cpu];

    if ( !strata_rings_complete )
        return;

    if ( ring )
    {
        /* Xen may write its TSC, which invalidates earlier measurements. */
        ring->skew = (struct strata_hv_pcpu_skew){};
        return;
    }

    ring = make_whole_ring(cpu);
    if ( ring )
        publish(cpu, ring);
    else
        printk(XENLOG_WARNING
               "strata: no memory for a ring of CPU %u; its events are not recorded, but counted, until rings are made anew\n",
               cpu);
}

/* Once made, a ring stays, even if its CPU does not come up. */
static int cf_check rings_cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    if ( action == CPU_UP_PREPARE )
        add_cpu((unsigned long)hcpu);

    return NOTIFY_DONE;
}

static struct notifier_block rings_cpu_nfb = {
    .notifier_call = rings_cpu_callback
};

static int __init cf_check strata_rings_init(void)
{
    register_cpu_notifier(&rings_cpu_nfb);

    return 0;
}
__initcall(strata_rings_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
