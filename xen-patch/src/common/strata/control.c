/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.c - XEN_SYSCTL_strata_op: makes, starts, stops, reads and frees the
 * rings, for one owner at a time.
 *
 * Everything here runs under the sysctl lock.  Whatever takes long gives way
 * with -ERESTART and goes on from where it was; another caller's operation may
 * come in between.
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

#include "domain.h"
#include "private.h"
#include "selection.h"
#include "vcpu_clock.h"

/* How often STOP interrupts every CPU before it lets others have this one. */
#define GRACE_ATTEMPTS 16

static struct strata_ring_geometry geometry;
static uint32_t flags;                    /* STRATA_HV_OVERWRITE or 0 */
static char owner[STRATA_HV_OWNER_BYTES]; /* empty: there are no rings */
static bool complete;                     /* every CPU present has its ring */
static bool undoing;                      /* memory ran out half way */
static struct strata_cpu_ring *building;  /* the ring of the CPU that is next */
static struct strata_cpu_ring *freeing;   /* out of strata_rings[], not gone */

/* How far START or FLUSH has come with the state of everything. */
static struct {
    enum { WALK_IDLE, WALK_BUDGETS, WALK_SKEW, WALK_DOMAINS } stage;
    unsigned int domain, vcpu; /* the next ones */
} walk;

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

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( strata_started() )
    {
        /* The TSCs may have drifted apart since the start. */
        if ( strata_measure_skew() )
        {
            put_cpu_maps();
            return -ERESTART;
        }
        strata_vcpu_clocks_late(true);
    }

    clear_bit(_TB_STRATA, &tb_init_done);
    walk.stage = WALK_IDLE;

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
 * Has @visit do its work for each domain, and for each vCPU if it wants that,
 * from where the walk is.  0 when all are done, or -ERESTART.  Domains are
 * listed by their number, so those that come and go in between do no harm.
 */
static int walk_domains(void (*visit)(struct domain *d),
                        void (*visit_vcpu)(struct vcpu *v))
{
    struct domain *d;
    int rc = 0;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
    {
        if ( d->domain_id < walk.domain )
            continue;
        if ( d->domain_id > walk.domain )
        {
            walk.domain = d->domain_id;
            walk.vcpu = 0;
        }
        if ( visit && !walk.vcpu )
            visit(d);
        for ( ; visit_vcpu && d->vcpu && walk.vcpu < d->max_vcpus; walk.vcpu++ )
        {
            if ( walk.vcpu && hypercall_preempt_check() )
            {
                rc = -ERESTART;
                goto out;
            }
            if ( d->vcpu[walk.vcpu] )
                visit_vcpu(d->vcpu[walk.vcpu]);
        }
        walk.domain++;
        walk.vcpu = 0;
        if ( hypercall_preempt_check() )
        {
            rc = -ERESTART;
            goto out;
        }
    }

 out:
    rcu_read_unlock(&domlist_read_lock);

    return rc;
}

static void enter(unsigned int stage)
{
    walk.stage = stage;
    walk.domain = 0;
    walk.vcpu = 0;
}

/*
 * Records where everything stands: what a reader must know to make sense of
 * the changes.  The caller holds the CPU maps.  0 or -ERESTART, from the stage
 * that it is in.
 */
static int record_state(void)
{
    unsigned int cpu;

    if ( walk.stage == WALK_SKEW )
    {
        if ( strata_measure_skew() )
            return -ERESTART;
        on_selected_cpus(&cpu_online_map, start_this_cpu, NULL, 1);
        for_each_online_cpu ( cpu )
            vcpu_runstate_trace(idle_vcpu[cpu]);
        enter(WALK_DOMAINS);
    }

    if ( walk_domains(NULL, strata_vcpu_created) )
        return -ERESTART;
    enter(WALK_IDLE);

    return 0;
}

static int start_recording(const struct strata_hv_op *op)
{
    int rc;

    if ( !complete )
        return -ENOENT;
    if ( op->u.start.reserved || !strata_switch_ms_valid(op->u.start.switch_ms) )
        return -EINVAL;

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( walk.stage == WALK_IDLE )
        enter(WALK_BUDGETS);
    if ( walk.stage == WALK_BUDGETS )
    {
        /* Before the gate opens: without one, nothing of a domain is recorded. */
        rc = walk_domains(strata_domain_make, NULL);
        if ( rc )
            goto out;
        strata_set_switch_period(op->u.start.switch_ms);
        set_bit(_TB_STRATA, &tb_init_done);
        enter(WALK_SKEW);
    }

    /* After this, every CPU has seen the gate open. */
    rc = record_state();

 out:
    put_cpu_maps();

    return rc;
}

/*
 * Rings that are overwritten may have lost what was said at the start, so it is
 * said again; then every CPU hands over what it has.
 */
static int flush_recording(void)
{
    unsigned int attempts = 0, cpu;
    atomic_t busy;

    if ( !complete )
        return -ENOENT;

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( strata_started() )
    {
        if ( walk.stage == WALK_IDLE )
        {
            /* Measured again only if CPUs came meanwhile. */
            if ( strata_record_skew() )
            {
                on_selected_cpus(&cpu_online_map, start_this_cpu, NULL, 1);
                for_each_online_cpu ( cpu )
                    vcpu_runstate_trace(idle_vcpu[cpu]);
                enter(WALK_DOMAINS);
            }
            else
                enter(WALK_SKEW);
        }
        if ( record_state() )
        {
            put_cpu_maps();
            return -ERESTART;
        }
    }

    do {
        atomic_set(&busy, 0);
        on_selected_cpus(&cpu_online_map, quiesce_this_cpu, &busy, 1);
    } while ( atomic_read(&busy) && ++attempts < GRACE_ATTEMPTS );

    put_cpu_maps();

    return 0;
}

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
    return !complete &&
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

/*
 * What probes saw before the last change waits in @retired.  A call that goes on
 * carries the number of its change.  The next change waits for the one before
 * it, whose call then still goes on: so two numbers are known.
 */
static int select_events(struct strata_hv_op *op)
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
            tell_selection(1); /* back to what holds on */
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
