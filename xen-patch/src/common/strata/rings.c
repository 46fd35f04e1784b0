/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.c - makes and frees the rings of a channel, for one owner at a time:
 * CREATE, DESTROY, and the rings of a CPU that is added to the host.
 *
 * control.c calls the operations, under the sysctl lock.  They may yield at any
 * page with -ERESTART and continue later; another caller's operation may run in
 * between.  A CPU is added under the lock of the CPU maps, and without the
 * sysctl lock: see `complete` in channel.h.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/softirq.h>
#include <xen/strata.h>

#include "aggregate.h"
#include "budget.h"
#include "channel.h"
#include "control.h"
#include "domain.h"
#include "private.h"
#include "set.h"

/* May yield at any page: call it again until it returns 0. */
static int free_rings(struct strata_channel *channel)
{
    unsigned int number = strata_channel_number(channel), cpu;

    for ( cpu = 0; ; )
    {
        if ( strata_ring_free(channel->freeing) )
            return -ERESTART;
        /* Its owner's CREATE may have begun one since the last call. */
        channel->freeing = channel->building;
        channel->building = NULL;
        if ( channel->freeing )
            continue;
        while ( cpu < nr_cpu_ids && !strata_cpus[cpu].ring[number] )
            cpu++;
        if ( cpu == nr_cpu_ids )
            break;
        channel->freeing = strata_cpus[cpu].ring[number];
        strata_cpus[cpu].ring[number] = NULL;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    if ( strata_free_aggregate(channel) )
        return -ERESTART;
    strata_port_free(channel);
    memset(channel->owner, 0, sizeof(channel->owner));
    channel->undoing = 0;

    return 0;
}

int strata_destroy_rings(struct strata_channel *channel)
{
    int rc;

    if ( !channel->owner[0] )
        return -ENOENT;

    /* Incomplete rings have never been started. */
    if ( channel->complete )
    {
        /* A SELECT may have yielded to wait for its probes. */
        rc = strata_retire_selection(channel);
        if ( rc )
            return rc;
        strata_set_forget(channel);
        rc = strata_stop_recording(channel);
        if ( rc )
            return rc;
        /* Not during CPU hotplug, which decides whether an added CPU has a
         * ring. */
        if ( !get_cpu_maps() )
            return -ERESTART;
        channel->complete = false;
        put_cpu_maps();
        strata_set_free_retired(channel);
        if ( strata_set )
            strata_budget_forget(strata_channel_number(channel));
        else
            strata_domain_free_all();
    }

    return free_rings(channel);
}

int strata_undo_create(struct strata_channel *channel, int error)
{
    int rc;

    channel->undoing = error;
    rc = free_rings(channel);

    return rc ?: error;
}

/* Incomplete rings belong to the owner that repeats the call. */
static bool resumes(const struct strata_channel *channel,
                    const struct strata_hv_op *op)
{
    return !channel->complete && !strata_tables_of(channel) &&
           channel->geometry.subbuf_bits == op->u.create.subbuf_bits &&
           channel->geometry.nr_subbufs_bits == op->u.create.nr_subbufs_bits &&
           channel->flags == op->u.create.flags &&
           !strncmp(channel->owner, op->u.create.owner,
                    sizeof(channel->owner));
}

/* Readers of strata_cpus[] only see complete rings. */
static void publish_ring(unsigned int cpu, unsigned int channel,
                         struct strata_cpu_ring *ring)
{
    smp_wmb(); /* pairs with smp_rmb() of strata_ring_of() */
    write_atomic(&strata_cpus[cpu].ring[channel], ring);
}

/* Makes the ring of @cpu, or continues making it. */
static int make_ring(struct strata_channel *channel, unsigned int cpu)
{
    int rc;

    if ( !channel->building )
        channel->building = strata_ring_begin(channel->geometry);
    rc = channel->building
         ? strata_ring_make(channel->building, cpu, channel->geometry,
                            channel->flags & STRATA_HV_OVERWRITE)
         : -ENOMEM;
    if ( rc )
        return rc;

    /* Probes read this only after the channel was started. */
    publish_ring(cpu, strata_channel_number(channel), channel->building);
    channel->building = NULL;

    return 0;
}

static unsigned long pages_of(const struct strata_channel *channel,
                              unsigned int nr_rings)
{
    return nr_rings * (STRATA_WRITER_AREA_PAGES +
                       (unsigned long)strata_data_pages(channel->geometry));
}

/*
 * Whether the rings leave Xen half of the free memory, also if each CREATE that
 * has yielded continues.  Some of its rings are made: they count twice.
 */
static bool have_memory(const struct strata_channel *channel,
                        unsigned int nr_rings)
{
    unsigned long pages = pages_of(channel, nr_rings);
    unsigned int i;

    for ( i = 0; i < STRATA_HV_CHANNELS; i++ )
    {
        const struct strata_channel *other = &strata_channels[i];

        if ( other != channel && other->owner[0] && !other->complete &&
             !strata_tables_of(other) )
            pages += pages_of(other, num_present_cpus());
    }

    return pages <= avail_domheap_pages() / 2;
}

static int begin_create(struct strata_channel *channel,
                        const struct strata_hv_op *op)
{
    channel->geometry.subbuf_bits = op->u.create.subbuf_bits;
    channel->geometry.nr_subbufs_bits = op->u.create.nr_subbufs_bits;
    channel->flags = op->u.create.flags;

    if ( !have_memory(channel, num_present_cpus()) )
        return -ENOMEM;

    memcpy(channel->owner, op->u.create.owner, sizeof(channel->owner));
    channel->unringed = 0;

    return 0;
}

/* A ring for each CPU present.  0, -ENOMEM or -ERESTART. */
static int make_rings(struct strata_channel *channel)
{
    unsigned int cpu;
    int rc;

    for_each_present_cpu ( cpu )
    {
        if ( strata_cpus[cpu].ring[strata_channel_number(channel)] )
            continue;
        rc = make_ring(channel, cpu);
        if ( rc )
            return rc;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* From here on, add_cpu() makes rings of added CPUs. -ERESTART: one was added
 * meanwhile without a ring, or is being added. */
static int complete_rings(struct strata_channel *channel)
{
    unsigned int cpu;
    bool all = true;

    if ( !get_cpu_maps() )
        return -ERESTART;

    for_each_present_cpu ( cpu )
        all = all && strata_cpus[cpu].ring[strata_channel_number(channel)];
    channel->complete = all;
    put_cpu_maps();

    return all ? 0 : -ERESTART;
}

static bool op_valid(const struct strata_hv_op *op)
{
    return op->u.create.owner[0] &&
           op->u.create.subbuf_bits >= STRATA_SUBBUF_BITS_MIN &&
           op->u.create.subbuf_bits <= STRATA_SUBBUF_BITS_MAX &&
           op->u.create.nr_subbufs_bits >= STRATA_NR_SUBBUFS_BITS_MIN &&
           op->u.create.nr_subbufs_bits <= STRATA_NR_SUBBUFS_BITS_MAX &&
           !(op->u.create.flags & ~STRATA_HV_OVERWRITE) &&
           !op->u.create.reserved;
}

int strata_create_rings(struct strata_channel *channel,
                        struct strata_hv_op *op)
{
    int rc = 0;

    op->u.create.owner[sizeof(op->u.create.owner) - 1] = '\0';
    if ( !op_valid(op) )
        return -EINVAL;

    if ( !channel->owner[0] )
        rc = begin_create(channel, op);
    else if ( !resumes(channel, op) )
    {
        memcpy(op->u.create.owner, channel->owner, sizeof(channel->owner));
        rc = -EBUSY;
    }
    if ( rc )
        return rc;

    if ( channel->undoing )
        return strata_undo_create(channel, channel->undoing);

    rc = make_rings(channel);
    if ( !rc )
        rc = strata_port_make(channel);
    if ( !rc )
        rc = strata_set_make();
    if ( !rc )
        rc = complete_rings(channel);

    return rc && rc != -ERESTART ? strata_undo_create(channel, rc) : rc;
}

void strata_describe_rings(const struct strata_channel *channel,
                           struct strata_hv_op *op)
{
    unsigned int cpu;

    memcpy(op->u.query.owner, channel->owner, sizeof(channel->owner));
    if ( !channel->complete )
        return;

    op->u.query.flags = channel->flags;
    if ( strata_tables_of(channel) )
        return;

    op->u.query.subbuf_bits = channel->geometry.subbuf_bits;
    op->u.query.nr_subbufs_bits = channel->geometry.nr_subbufs_bits;
    op->u.query.port = channel->port;
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
    {
        const struct strata_cpu_ring *ring =
            strata_ring_of(cpu, strata_channel_number(channel));

        if ( !ring )
            continue;
        op->u.query.nr_rings++;
        op->u.query.refused += ACCESS_ONCE(ring->refused);
    }
}

/* NULL: out of memory.  Interrupts on, and no other vCPU waits for the caller.
 */
static struct strata_cpu_ring *make_whole_ring(
    const struct strata_channel *channel, unsigned int cpu)
{
    struct strata_cpu_ring *ring;
    int rc;

    ring = have_memory(channel, 1) ? strata_ring_begin(channel->geometry)
                                   : NULL;
    if ( !ring )
        return NULL;

    do {
        rc = strata_ring_make(ring, cpu, channel->geometry,
                              channel->flags & STRATA_HV_OVERWRITE);
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
static void add_cpu(struct strata_channel *channel, unsigned int cpu)
{
    unsigned int number = strata_channel_number(channel);
    struct strata_cpu_ring *ring;

    if ( !channel->complete || strata_tables_of(channel) ||
         strata_cpus[cpu].ring[number] )
        return;

    ring = make_whole_ring(channel, cpu);
    if ( ring )
        publish_ring(cpu, number, ring);
    else
        printk(XENLOG_WARNING
               "strata: no memory for a ring of CPU %u; its events are not recorded, but counted, until rings are made anew\n",
               cpu);
}

/* Once made, a ring stays, even if its CPU does not come up. */
static int cf_check rings_cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu, i;

    if ( action != CPU_UP_PREPARE )
        return NOTIFY_DONE;

    strata_forget_skew(cpu);
    for ( i = 0; i < STRATA_HV_CHANNELS; i++ )
        add_cpu(&strata_channels[i], cpu);

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
