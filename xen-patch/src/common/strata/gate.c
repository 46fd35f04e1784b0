/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.c - opens and shuts a channel's gate: START, STOP and FLUSH; records the
 * state of all clocks and vCPUs at START and FLUSH, in every channel that has
 * been started: it is true in all of them.
 *
 * Called by control.c and rings.c, under the sysctl lock.
 *
 * The grace period: shut the gate, then interrupt every CPU.  Xen does not
 * preempt, so an interrupt that finds no probe below itself knows that each
 * probe from before has ended, and each later one finds the gate shut.
 *
 * CPUs that are offline or parked need no interrupt.  A CPU leaves the online
 * map, and its last probes run, while cpu_down() holds the CPU maps, so
 * get_cpu_maps() fails meanwhile.  cpu_down() waits until the CPU is dead, which
 * play_dead() says only after it has disabled interrupts and made the CPU's NMI
 * handler one that returns.  It stays in dead_idle() then, which has no trace
 * point, and nor has the handler of machine checks.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/strata.h>

#include "aggregate.h"
#include "channel.h"
#include "control.h"
#include "domain.h"
#include "private.h"
#include "set.h"
#include "vcpu_clock.h"

struct quiesce {
    unsigned int channel;
    atomic_t busy;
};

static void cf_check start_this_cpu(void *unused)
{
    strata_pcpu_clock();
}

static void cf_check quiesce_this_cpu(void *info)
{
    struct quiesce *quiesce = info;

    if ( !strata_flush_this_cpu(quiesce->channel) )
        atomic_inc(&quiesce->busy);
}

/*
 * Each CPU hands over the channel's records.  The caller holds the CPU maps.
 * False: a CPU is in a probe after all attempts.
 */
static bool quiesce_all(const struct strata_channel *channel)
{
    struct quiesce quiesce = { .channel = strata_channel_number(channel) };
    unsigned int attempts = 0;

    do {
        atomic_set(&quiesce.busy, 0);
        on_selected_cpus(&cpu_online_map, quiesce_this_cpu, &quiesce, 1);
    } while ( atomic_read(&quiesce.busy) &&
              ++attempts < STRATA_GRACE_ATTEMPTS );

    return !atomic_read(&quiesce.busy);
}

static void cf_check probe_under_way(void *info)
{
    if ( strata_probe_under_way() )
        atomic_inc((atomic_t *)info);
}

int strata_await_probes(void)
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

/* -ERESTART also during CPU hotplug, which holds the CPU maps. */
int strata_stop_recording(struct strata_channel *channel)
{
    unsigned int number = strata_channel_number(channel), cpu;
    bool quiet;

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( strata_channel_started(channel) && !strata_tables_of(channel) )
    {
        /* The TSCs may have drifted apart since the start. */
        if ( strata_measure_skew(number) )
        {
            put_cpu_maps();
            return -ERESTART;
        }
        strata_vcpu_clocks_late(true);
    }

    strata_set_start(channel, false);
    channel->walk.stage = WALK_IDLE;

    quiet = quiesce_all(channel);
    for_each_present_cpu ( cpu )
        if ( !cpu_online(cpu) )
            strata_flush_offline_cpu(cpu, number);

    put_cpu_maps();

    return quiet ? 0 : -ERESTART;
}

/* Records the state of @d's vCPUs, from the walk's position. 0 or -ERESTART. */
static int walk_vcpus(struct strata_walk *walk, struct domain *d)
{
    while ( d->vcpu && walk->vcpu < d->max_vcpus )
    {
        struct vcpu *v = d->vcpu[walk->vcpu++];

        if ( v )
            strata_vcpu_created(v);
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/*
 * Allocates the state of each domain, or records the state of all vCPUs, from
 * the walk's position. 0 when all are done, or -ERESTART.  Domains are visited
 * by number, so creation and destruction in between do no harm.
 */
static int walk_domains(struct strata_walk *walk)
{
    struct domain *d;
    int rc = 0;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
    {
        if ( d->domain_id < walk->domain )
            continue;
        if ( d->domain_id > walk->domain )
        {
            walk->domain = d->domain_id;
            walk->vcpu = 0;
        }
        if ( walk->stage == WALK_BUDGETS )
            strata_domain_make(d);
        else
            rc = walk_vcpus(walk, d);
        if ( rc )
            break;
        walk->domain++;
        walk->vcpu = 0;
        if ( hypercall_preempt_check() )
        {
            rc = -ERESTART;
            break;
        }
    }
    rcu_read_unlock(&domlist_read_lock);

    return rc;
}

static void enter(struct strata_walk *walk, unsigned int stage)
{
    walk->stage = stage;
    walk->domain = 0;
    walk->vcpu = 0;
}

/*
 * Records the initial state, which readers need to interpret later changes.
 * The caller holds the CPU maps. 0, or -ERESTART with the stage kept.
 */
static int record_state(struct strata_channel *channel)
{
    struct strata_walk *walk = &channel->walk;
    unsigned int cpu;

    if ( walk->stage == WALK_SKEW )
    {
        if ( strata_measure_skew(strata_channel_number(channel)) )
            return -ERESTART;
        on_selected_cpus(&cpu_online_map, start_this_cpu, NULL, 1);
        for_each_online_cpu ( cpu )
            vcpu_runstate_trace(idle_vcpu[cpu]);
        enter(walk, WALK_DOMAINS);
    }

    if ( walk_domains(walk) )
        return -ERESTART;
    enter(walk, WALK_IDLE);

    return 0;
}

int strata_start_recording(struct strata_channel *channel,
                           const struct strata_hv_op *op)
{
    struct strata_walk *walk = &channel->walk;
    int rc;

    if ( op->u.start.reserved || !strata_switch_ms_valid(op->u.start.switch_ms) )
        return -EINVAL;

    /* Counts need no clocks, states of vCPUs and budgets. */
    if ( strata_tables_of(channel) )
    {
        if ( !strata_channel_started(channel) )
            strata_aggregate_starts(channel);
        strata_set_start(channel, true);
        return strata_channel_started(channel) ? 0 : -EBUSY;
    }

    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( walk->stage == WALK_IDLE )
        enter(walk, WALK_BUDGETS);
    if ( walk->stage == WALK_BUDGETS )
    {
        /* Before the gate opens, because a domain without state is not
         * recorded. */
        rc = walk_domains(walk);
        if ( rc )
            goto out;
        ACCESS_ONCE(channel->switch_period) = MILLISECS(op->u.start.switch_ms);
        strata_set_start(channel, true);
        enter(walk, WALK_SKEW);
    }
    /* The last channel's DESTROY has yielded, and has taken the set away. */
    if ( !strata_channel_started(channel) )
    {
        enter(walk, WALK_IDLE);
        rc = -EBUSY;
        goto out;
    }

    /* After this, every CPU has seen the gate open. */
    rc = record_state(channel);

 out:
    put_cpu_maps();

    return rc;
}

/*
 * Flight recorders may have overwritten the initial state, so it is recorded
 * again; then every CPU hands over its records.
 */
int strata_flush_recording(struct strata_channel *channel)
{
    struct strata_walk *walk = &channel->walk;
    unsigned int cpu;

    if ( strata_tables_of(channel) )
        return 0;
    if ( !get_cpu_maps() )
        return -ERESTART;

    if ( strata_channel_started(channel) )
    {
        /* An interrupted START may be at the budgets: it restarts. */
        if ( walk->stage == WALK_IDLE || walk->stage == WALK_BUDGETS )
        {
            /* Measure again only if CPUs were added meanwhile. */
            if ( strata_record_skew() )
            {
                on_selected_cpus(&cpu_online_map, start_this_cpu, NULL, 1);
                for_each_online_cpu ( cpu )
                    vcpu_runstate_trace(idle_vcpu[cpu]);
                enter(walk, WALK_DOMAINS);
            }
            else
                enter(walk, WALK_SKEW);
        }
        if ( record_state(channel) )
        {
            put_cpu_maps();
            return -ERESTART;
        }
    }

    quiesce_all(channel);

    put_cpu_maps();

    return 0;
}

/*
 * The CPU that handles CPU_DEAD hands over the records of a CPU that went
 * offline, in the channels that have been started.  STOP, which takes the CPU
 * maps, has done so in others, whose rings DESTROY may be freeing just now.
 * The ring stays for the reader and for the CPU's return: then the
 * CPU records its own clock (init_percpu_time()), and the CPU that brought it
 * up records the state of its idle vCPU.
 */
static int cf_check gate_cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu, channel, channels;

    if ( !strata_started() )
        return NOTIFY_DONE;

    if ( action == CPU_DEAD )
    {
        channels = strata_probe_begin();
        strata_for_each_channel ( channel, channels )
            strata_flush_offline_cpu(cpu, channel);
        strata_probe_end();
    }
    else if ( action == CPU_ONLINE )
        vcpu_runstate_trace(idle_vcpu[cpu]);

    return NOTIFY_DONE;
}

static struct notifier_block gate_cpu_nfb = {
    .notifier_call = gate_cpu_callback
};

static int __init cf_check strata_gate_init(void)
{
    register_cpu_notifier(&gate_cpu_nfb);

    return 0;
}
__initcall(strata_gate_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
