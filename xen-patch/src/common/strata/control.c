/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.c - XEN_SYSCTL_strata_op: makes, starts, stops, reads and frees the
 * rings, for one owner at a time.
 *
 * Everything here runs under the sysctl lock.  Whatever takes long gives way
 * with -ERESTART and goes on from where it was.
 *
 * The grace period: shut the gate, then interrupt every CPU.  Xen does not
 * preempt, so an interrupt that finds no probe below itself knows that each
 * probe from before has ended, and each later one finds the gate shut.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/time.h>
#include <xen/vmap.h>

#include "budget.h"
#include "private.h"
#include "selection.h"

/* How often STOP interrupts every CPU before it lets others have this one. */
#define GRACE_ATTEMPTS 16

static struct strata_ring_geometry geometry;
static uint32_t flags;                    /* STRATA_HV_OVERWRITE or 0 */
static char owner[STRATA_HV_OWNER_BYTES]; /* empty: there are no rings */
static bool complete;                     /* every CPU present has its ring */
static bool undoing;                      /* memory ran out half way */

static void cf_check start_this_cpu(void *unused)
{
    strata_pcpu_clock();
}

static void cf_check quiesce_this_cpu(void *info)
{
    atomic_t *busy = info;

    if ( !strata_flush_this_cpu() )
        atomic_inc(busy);
}

/* -ERESTART also when CPUs are coming or going: they hold the map. */
static int stop_recording(void)
{
    unsigned int cpu, attempts = 0;
    atomic_t busy;

    /* The TSCs may have drifted apart since the start. */
    if ( strata_started() && get_cpu_maps() )
    {
        strata_measure_skew();
        put_cpu_maps();
    }

    clear_bit(_TB_STRATA, &tb_init_done);

    if ( !get_cpu_maps() )
        return -ERESTART;

    do {
        atomic_set(&busy, 0);
        on_selected_cpus(&cpu_online_map, quiesce_this_cpu, &busy, 1);
    } while ( atomic_read(&busy) && ++attempts < GRACE_ATTEMPTS );

    for_each_present_cpu ( cpu )
        if ( !cpu_online(cpu) )
            strata_flush_offline_cpu(cpu);

    put_cpu_maps();

    return atomic_read(&busy) ? -ERESTART : 0;
}

/*
 * Records where everything stands: what a reader must know to make sense of
 * the changes.  The caller holds the CPU maps.
 */
static void record_state(void)
{
    struct domain *d;
    struct vcpu *v;
    unsigned int cpu;

    on_selected_cpus(&cpu_online_map, start_this_cpu, NULL, 1);
    strata_measure_skew();

    for_each_online_cpu ( cpu )
        vcpu_runstate_trace(idle_vcpu[cpu]);

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
        for_each_vcpu ( d, v )
            strata_vcpu_created(v);
    rcu_read_unlock(&domlist_read_lock);
}

static int start_recording(const struct strata_hv_op *op)
{
    if ( !complete )
        return -ENOENT;
    if ( !strata_switch_ms_valid(op->u.start.switch_ms) )
        return -EINVAL;

    if ( !get_cpu_maps() )
        return -ERESTART;

    strata_set_switch_period(op->u.start.switch_ms);
    set_bit(_TB_STRATA, &tb_init_done);

    /* After this, every CPU has seen the gate open. */
    record_state();
    put_cpu_maps();

    return 0;
}

/*
 * Rings that are overwritten may have lost what was said at the start, so it is
 * said again; then every CPU hands over what it has.
 */
static int flush_recording(void)
{
    unsigned int attempts = 0;
    atomic_t busy;

    if ( !complete )
        return -ENOENT;

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( strata_started() )
        record_state();

    do {
        atomic_set(&busy, 0);
        on_selected_cpus(&cpu_online_map, quiesce_this_cpu, &busy, 1);
    } while ( atomic_read(&busy) && ++attempts < GRACE_ATTEMPTS );

    put_cpu_maps();

    return 0;
}

/* Gives way after each ring: to be called again until it says 0. */
static int free_rings(void)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
    {
        struct strata_cpu_ring *ring = strata_rings[cpu];

        if ( !ring )
            continue;
        strata_rings[cpu] = NULL;
        strata_ring_free(ring);
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    memset(owner, 0, sizeof(owner));
    undoing = false;

    return 0;
}

static int destroy(void)
{
    int rc;

    if ( !owner[0] )
        return -ENOENT;

    /* What is not complete was never started. */
    if ( complete )
    {
        rc = stop_recording();
        if ( rc )
            return rc;
        complete = false;
        strata_selection_free();
        strata_budget_free_all();
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
    return !complete &&
           geometry.subbuf_bits == op->u.create.subbuf_bits &&
           geometry.nr_subbufs_bits == op->u.create.nr_subbufs_bits &&
           flags == op->u.create.flags &&
           !strncmp(owner, op->u.create.owner, sizeof(owner));
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

static int create(struct strata_hv_op *op)
{
    unsigned int cpu;
    int rc = 0;

    op->u.create.owner[sizeof(op->u.create.owner) - 1] = '\0';
    if ( !op->u.create.owner[0] ||
         op->u.create.subbuf_bits < STRATA_SUBBUF_BITS_MIN ||
         op->u.create.subbuf_bits > STRATA_SUBBUF_BITS_MAX ||
         op->u.create.nr_subbufs_bits < STRATA_NR_SUBBUFS_BITS_MIN ||
         op->u.create.nr_subbufs_bits > STRATA_NR_SUBBUFS_BITS_MAX ||
         (op->u.create.flags & ~STRATA_HV_OVERWRITE) )
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
        if ( strata_ring_make(cpu, geometry, flags & STRATA_HV_OVERWRITE) )
            return undo_create();
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    complete = true;

    return 0;
}

static void cf_check probe_under_way(void *info)
{
    if ( strata_probe_under_way() )
        atomic_inc((atomic_t *)info);
}

/* Returns when each probe from before has ended, or -ERESTART when not yet. */
static int await_probes(void)
{
    unsigned int attempts = 0;
    atomic_t busy;

    if ( !get_cpu_maps() )
        return -ERESTART;

    do {
        atomic_set(&busy, 0);
        on_selected_cpus(&cpu_online_map, probe_under_way, &busy, 1);
    } while ( atomic_read(&busy) && ++attempts < GRACE_ATTEMPTS );

    put_cpu_maps();

    return atomic_read(&busy) ? -ERESTART : 0;
}

static void cf_check note_selection(void *info)
{
    strata_record_own(STRATA_HV_SELECTION, info,
                      sizeof(struct strata_hv_selection));
}

/* Has each CPU record that the selection is about to change, or has. */
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

/* Goes on where it was: what no probe sees any more waits in @retired. */
static int select_events(struct strata_hv_op *op)
{
    static struct strata_selection *retired;
    int rc = 0;

    if ( !(op->u.select.flags & STRATA_HV_SELECT_APPLIED) )
    {
        struct strata_selection *old = NULL;

        rc = retired ? await_probes() : 0;
        if ( rc )
            return rc;
        vfree(retired);
        retired = NULL;

        if ( op->u.select.flags & STRATA_HV_SELECT_APPLY )
            rc = tell_selection(0);
        if ( rc )
            return rc;

        rc = strata_selection_change(op, &old);
        if ( !(op->u.select.flags & STRATA_HV_SELECT_APPLY) )
            return rc;
        if ( rc )
        {
            tell_selection(1); /* back to what holds on */
            return rc;
        }
        retired = old;
        op->u.select.flags |= STRATA_HV_SELECT_APPLIED;
    }

    rc = await_probes();
    if ( rc )
        return rc;
    vfree(retired);
    retired = NULL;

    return tell_selection(1);
}

static void query(struct strata_hv_op *op)
{
    unsigned int cpu;

    memset(&op->u, 0, sizeof(op->u));
    op->u.query.state = !complete ? STRATA_HV_IDLE
                                  : strata_started() ? STRATA_HV_STARTED
                                                     : STRATA_HV_STOPPED;
    op->u.query.nr_cpus = nr_cpu_ids;
    if ( complete )
    {
        op->u.query.subbuf_bits = geometry.subbuf_bits;
        op->u.query.nr_subbufs_bits = geometry.nr_subbufs_bits;
        op->u.query.flags = flags;
    }
    op->u.query.tsc_khz = cpu_khz;
    op->u.query.virq = STRATA_HV_VIRQ;
    op->u.query.unringed = ACCESS_ONCE(strata_unringed);
    for ( cpu = 0; complete && cpu < nr_cpu_ids; cpu++ )
        if ( strata_rings[cpu] )
            op->u.query.refused += ACCESS_ONCE(strata_rings[cpu]->refused);
    memcpy(op->u.query.owner, owner, sizeof(owner));
}

/* NULL: there are no rings, or none for that CPU. */
static struct strata_cpu_ring *find_ring(uint32_t cpu)
{
    return complete && cpu < nr_cpu_ids ? strata_rings[cpu] : NULL;
}

static int frames(struct strata_hv_op *op)
{
    const struct strata_cpu_ring *ring = find_ring(op->u.frames.cpu);
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

static int get_subbuf(struct strata_hv_op *op)
{
    struct strata_cpu_ring *ring = find_ring(op->u.subbuf.cpu);
    int page;

    if ( !ring )
        return -ENOENT;

    /* What was taken and not put is a dead reader's: this one comes instead. */
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

static int put_subbuf(const struct strata_hv_op *op)
{
    struct strata_cpu_ring *ring = find_ring(op->u.subbuf.cpu);

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
        return create(op);

    case STRATA_HV_START:
        return start_recording(op);

    case STRATA_HV_STOP:
        return complete ? stop_recording() : -ENOENT;

    case STRATA_HV_FRAMES:
        return frames(op);

    case STRATA_HV_GET:
        return get_subbuf(op);

    case STRATA_HV_PUT:
        return put_subbuf(op);

    case STRATA_HV_DESTROY:
        return destroy();

    case STRATA_HV_FLUSH:
        return flush_recording();

    case STRATA_HV_SELECT:
        return complete ? select_events(op) : -ENOENT;
    }

    return strata_flood_sysctl(op);
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
