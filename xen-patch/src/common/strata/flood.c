/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flood.c - a flood of NMIs, in a hypervisor that is built for tests.
 *
 * A flood sends NMIs in two ways.  Each CPU sends the next one an NMI from a
 * timer: these hit anywhere, guests and recorders included.  And in the middle
 * of ordinary records, between reserve and commit, a CPU sends one to itself
 * and waits for it: these hit the critical place.
 *
 * Why a separate hypervisor: the place between a reserve and its commit is in
 * write_record(), and the NMIs should hit records of a working host, in their
 * own contexts.  A runtime switch there would cost each event of every user a
 * load and a branch; a separate loop that reserves and commits would be free,
 * but would test only itself.  Apart from flood.o, only objects of this
 * directory with a hook differ from the users' hypervisor, so building this
 * one takes little more than a link.
 *
 * Called by record.c, control.c and, for each NMI, do_nmi().
 */

#ifndef STRATA_TEST
#error "flood.c is for tests only: build with STRATA_TEST=y, as build.sh --test does"
#endif

#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/percpu.h>
#include <xen/smp.h>
#include <xen/strata.h>
#include <xen/timer.h>
#include <xen/trace.h>

#include <asm/apic.h>
#include <asm/hardirq.h>
#include <asm/nmi.h>

#include "flood.h"
#include "private.h"

/* How long a CPU waits for an NMI that it sent to itself, in loop iterations. */
#define WAIT_TURNS 1000000

/* A CPU is reported after this time in xentrace. */
#define STUCK_MS 100

struct flood_cpu {
    struct timer timer;
    unsigned int records; /* since the last record that an NMI hit */
    unsigned long between;
    unsigned long lost_nmi;
    unsigned long lost_check;
    unsigned long lost_other;
    /* While an NMI is in __trace_var(): since when, and what it hit. */
    uint64_t in_xentrace_ticks;
    unsigned long in_xentrace_ip;
};

static DEFINE_PER_CPU(struct flood_cpu, flood);

/* The arguments of START; set while no flood is under way. */
static struct strata_flood_op settings;
static bool active;

/*
 * Whether this CPU has a record that is reserved and not committed, in the
 * latest sub-buffer.  The core's own test, see strata_ring_completes().
 */
static bool between_reserve_and_commit(const struct strata_ring *ring)
{
    strata_count_t write = strata_read_once(&ring->write_count);
    strata_count_t last = write - 1;
    strata_count_t commit =
        strata_read_once(&ring->subbuf[strata_subbuf_index(ring->geo, last)].commit_count);

    if ( strata_subbuf_offset(ring->geo, write) == 0 )
        return !strata_subbuf_ready(ring->geo, last, commit);

    return strata_subbuf_offset(ring->geo, write ^ commit) != 0;
}

/* xentrace's own path, unchanged; it may never return. */
static void call_xentrace(struct flood_cpu *me, const struct cpu_user_regs *regs)
{
    uint32_t d[] = { regs->rip, regs->rip >> 32 };

    me->in_xentrace_ip = regs->rip;
    write_atomic(&me->in_xentrace_ticks, rdtsc());
    __trace_var(TRC_HW_NMI_ENTRY, 1, sizeof(d), d);
    write_atomic(&me->in_xentrace_ticks, 0UL);
}

/* The same of a record in any channel. */
static bool is_between(const struct strata_cpu *cpu)
{
    unsigned int i;

    for ( i = 0; i < STRATA_HV_CHANNELS; i++ )
        if ( cpu->ring[i] && between_reserve_and_commit(&cpu->ring[i]->core) )
            return true;

    return false;
}

/* We claim that the NMI is not ours, so the trace point for NMIs comes next. */
static int cf_check on_nmi(const struct cpu_user_regs *regs, int cpu)
{
    struct flood_cpu *me = &this_cpu(flood);
    struct strata_flood_record record = {
        .number  = this_cpu(nmi_count),
        .cpu     = cpu,
        .between = strata_started() && is_between(&strata_cpus[cpu]),
        .ip      = { regs->rip, regs->rip >> 32 },
        .pattern = this_cpu(nmi_count) * 0x9e3779b9u,
    };

    record.check = strata_flood_check(&record);
    me->between += record.between;
    strata_record(STRATA_FLOOD_EVENT, sizeof(record), &record);

    if ( settings.flags & STRATA_FLOOD_XENTRACE )
        call_xentrace(me, regs);

    return 0;
}

void strata_flood_reserved(struct strata_slot *slot)
{
    struct flood_cpu *me = &this_cpu(flood);
    unsigned int before, turns = 0;

    /* Not within an NMI handler: the CPU would hold the NMI back. */
    if ( !active || !settings.every || in_nmi_handler() ||
         ++me->records < settings.every )
        return;

    me->records = 0;
    before = read_atomic(&this_cpu(nmi_count));
    self_nmi();
    while ( read_atomic(&this_cpu(nmi_count)) == before &&
            ++turns < WAIT_TURNS )
        cpu_relax();

    if ( settings.flags & STRATA_FLOOD_STAMP_LATE )
        ((struct strata_record_header *)slot->payload - 1)->ticks =
            strata_clock();
}

void strata_flood_lost(uint32_t id)
{
    struct flood_cpu *me = &this_cpu(flood);
    uint32_t event = id & STRATA_HV_ID_OWN ? 0 : id & STRATA_HV_ID_TRACE;

    /* Atomic: a nested NMI may count, too. */
    strata_local_add_return(event == TRC_HW_NMI_ENTRY ? &me->lost_nmi :
                            event == STRATA_FLOOD_EVENT ? &me->lost_check :
                                                          &me->lost_other, 1);
}

/* Reports a CPU that does not return from xentrace.  False: it is stuck. */
static bool watch(unsigned int cpu)
{
    const struct flood_cpu *it = &per_cpu(flood, cpu);
    uint64_t since = read_atomic(&it->in_xentrace_ticks);
    uint64_t ticks = rdtsc() - since;

    if ( !since || (int64_t)ticks < (int64_t)cpu_khz * STUCK_MS )
        return true;

    printk("strata: an NMI on CPU%u hit %pS and has been in __trace_var() for %lu ms\n",
           cpu, (void *)it->in_xentrace_ip, ticks / cpu_khz);

    return false;
}

static void cf_check tick(void *unused)
{
    unsigned int cpu = smp_processor_id();
    unsigned int next = cpumask_cycle(cpu, &cpu_online_map);

    if ( !active || !watch(next) )
        return;

    send_IPI_mask(cpumask_of(next), APIC_DM_NMI);
    set_timer(&this_cpu(flood).timer, NOW() + MICROSECS(settings.period_us));
}

static void cf_check nothing(void *unused) {}

static int begin_flood(const struct strata_flood_op *op)
{
    unsigned int cpu;

    if ( active )
        return -EBUSY;

    settings = *op;
    set_nmi_callback(on_nmi);
    active = true;

    for_each_online_cpu ( cpu )
    {
        init_timer(&per_cpu(flood, cpu).timer, tick, NULL, cpu);
        if ( settings.period_us )
            set_timer(&per_cpu(flood, cpu).timer,
                      NOW() + MICROSECS(settings.period_us));
    }

    return 0;
}

static int end_flood(void)
{
    unsigned int cpu;

    if ( !active )
        return -ENOENT;

    active = false;
    for_each_online_cpu ( cpu )
        kill_timer(&per_cpu(flood, cpu).timer);
    /* An NMI is delivered before an interrupt that was sent later. */
    on_selected_cpus(&cpu_online_map, nothing, NULL, 1);
    unset_nmi_callback();

    return 0;
}

static int query(struct strata_flood_op *op)
{
    const struct flood_cpu *it;

    if ( op->cpu >= nr_cpu_ids || !cpu_online(op->cpu) )
        return -ENOENT;

    it = &per_cpu(flood, op->cpu);
    op->nmis = read_atomic(&per_cpu(nmi_count, op->cpu));
    op->between = read_atomic(&it->between);
    op->lost_nmi = read_atomic(&it->lost_nmi);
    op->lost_check = read_atomic(&it->lost_check);
    op->lost_other = read_atomic(&it->lost_other);

    return 0;
}

int strata_flood_sysctl(struct strata_hv_op *hv_op)
{
    struct strata_flood_op *op = (struct strata_flood_op *)hv_op;

    BUILD_BUG_ON(sizeof(*op) > sizeof(*hv_op));
    BUILD_BUG_ON(offsetof(typeof(*op), reserved) !=
                 offsetof(typeof(*hv_op), reserved));
    BUILD_BUG_ON(sizeof(struct strata_flood_record) !=
                 TRACE_EXTRA_MAX * sizeof(uint32_t));

    switch ( op->operation )
    {
    case STRATA_FLOOD_START:
        return begin_flood(op);

    case STRATA_FLOOD_STOP:
        return end_flood();

    case STRATA_FLOOD_QUERY:
        return query(op);
    }

    return -EINVAL;
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
