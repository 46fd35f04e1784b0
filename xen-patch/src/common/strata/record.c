/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.c - the probe: writes a record when a trace point fires.
 *
 * Called from every trace point of Xen through __trace_var(), at any place and
 * in any context, NMI included. It takes no lock, leaves interrupts as they
 * are, allocates nothing, touches no memory that may fault, and wakes no
 * reader: a softirq does that.
 *
 * The ring itself is include/strata/ring_writer.h, the same in guests and in
 * applications.
 */

#include <xen/event.h>
#include <xen/init.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/softirq.h>

#include <xen/strata.h>
#include <xen/time.h>

#include <strata/ring_switch.h>

#include "budget.h"
#include "private.h"
#include "selection.h"
#include "vcpu_clock.h"

struct strata_cpu_ring *__read_mostly strata_rings[NR_CPUS];
static s_time_t __read_mostly switch_period; /* 0: never */
unsigned long strata_unringed;

/*
 * Probes under way on this CPU.  Not in the ring, because it covers the moment
 * in which a probe fetches the ring's address: while it is not zero, no ring
 * is freed.
 */
static DEFINE_PER_CPU(unsigned int, probes);

/*
 * False: nothing is recorded.  Must be paired with probe_end() in either case.
 * The order matters: counted first, gate second, selection and ring
 * third; the interrupt by which strata_flush_this_cpu() runs sees the count, or
 * the probe sees the gate that was shut before it.  One CPU, so a compiler
 * barrier suffices.
 */
static always_inline bool probe_begin(void)
{
    unsigned int *count = &this_cpu(probes);

    /* Not atomic: a nested probe restores the count. */
    write_atomic(count, read_atomic(count) + 1);
    barrier();

    return strata_started();
}

/* Returns this CPU's ring, after probe_begin() returned true; NULL: the CPU
 * has no ring. */
static always_inline struct strata_cpu_ring *probe_ring(void)
{
    struct strata_cpu_ring *ring;

    ring = ACCESS_ONCE(strata_rings[smp_processor_id()]);
    if ( unlikely(!ring) )
    {
        arch_fetch_and_add(&strata_unringed, 1);
        return NULL;
    }

    return strata_ring_enter(&ring->core) ? ring : NULL;
}

static always_inline void probe_end(struct strata_cpu_ring *ring)
{
    unsigned int *count = &this_cpu(probes);

    if ( ring )
        strata_ring_exit(&ring->core);

    barrier();
    write_atomic(count, read_atomic(count) - 1);
}

struct strata_cpu_ring *strata_probe_begin(void)
{
    return probe_begin() ? probe_ring() : NULL;
}

void strata_probe_end(struct strata_cpu_ring *ring)
{
    probe_end(ring);
}

bool strata_probe_under_way(void)
{
    return this_cpu(probes);
}

/*
 * Probes deliver sub-buffers; a softirq notifies readers. No reader waits for
 * those of a flight recorder.
 */
static always_inline void notify(struct strata_cpu_ring *ring)
{
    if ( likely(!ring->core.delivered) )
        return;

    ring->core.delivered = false;
    if ( ring->core.overwrite )
        return;
    /* A locked bit operation, so fine in an NMI. */
    raise_softirq(STRATA_SOFTIRQ);
}

/*
 * dom0 is interrupted once for any number of sub-buffers, until the reader has
 * taken the event and unmasked its port.
 */
static void cf_check strata_softirq(void)
{
    BUILD_BUG_ON(STRATA_HV_VIRQ != VIRQ_STRATA);
    send_global_virq(VIRQ_STRATA);
}

/*
 * Usually at most seven words: a call of memcpy() would cost more than the
 * copy. The barrier keeps the compiler from turning this loop into one.
 */
static always_inline void copy_words(uint32_t *to, const void *data, unsigned int bytes)
{
    const uint32_t *from = data;

    for ( ; bytes >= sizeof(*to); bytes -= sizeof(*to) )
    {
        *to++ = *from++;
        barrier();
    }
    if ( bytes )
    {
        uint32_t last = 0;

        memcpy(&last, from, bytes);
        *to = last;
    }
}

static always_inline void write_record(struct strata_cpu_ring *ring,
                                       uint32_t id, const void *data,
                                       unsigned int bytes)
{
    unsigned int padded = ROUNDUP(bytes, sizeof(uint32_t));
    const struct strata_hv_context context = {
        .domain = current->domain->domain_id,
        .vcpu   = current->vcpu_id,
    };
    struct strata_slot slot;

    if ( strata_ring_reserve(&ring->core, id, sizeof(context) + padded, &slot) )
    {
        strata_flood_reserved(&slot);
        memcpy(slot.payload, &context, sizeof(context));
        copy_words((uint32_t *)(slot.payload + sizeof(context)), data, bytes);
        strata_ring_commit(&ring->core, &slot);
        /* Of this sub-buffer, or of one that the reserve has closed. */
        notify(ring);
    }
    else
        strata_flood_lost(id);
}

void strata_ring_write(struct strata_cpu_ring *ring, uint32_t id,
                       const void *data, unsigned int bytes)
{
    write_record(ring, id, data, bytes);
}

/*
 * Selects by the event and by the running vCPU; see struct strata_hv_rule for
 * the exception.
 */
static always_inline bool selected(const struct strata_selection *selection,
                                   uint32_t event)
{
    return selection && strata_event_selected(selection, event) &&
           (strata_runstate_change(event) ||
            strata_runner_selected(selection, current));
}

bool strata_wants(uint32_t event)
{
    bool wants = probe_begin() &&
                 selected(ACCESS_ONCE(strata_selection), event);

    probe_end(NULL);

    return wants;
}

void strata_record(uint32_t event, unsigned int bytes, const void *data)
{
    const struct strata_selection *selection;
    struct strata_cpu_ring *ring = NULL;
    enum strata_cause cause;
    uint32_t id;

    BUILD_BUG_ON(TRACE_EXTRA_MAX > 7);

    if ( !probe_begin() )
        goto out;

    selection = ACCESS_ONCE(strata_selection);
    if ( !selected(selection, event) )
        goto out;

    ring = probe_ring();
    if ( !ring )
        goto out;

    /* Changes of runstates need a switch each, and prove the order. */
    cause = strata_cause(ring, event, bytes, data);
    if ( !strata_runstate_change(event) &&
         !strata_budget_take(selection, ring, current->domain, cause) )
        goto out;

    bytes = min_t(unsigned int, bytes, TRACE_EXTRA_MAX * sizeof(uint32_t));
    id = event & STRATA_HV_ID_TRACE;
    id |= DIV_ROUND_UP(bytes, sizeof(uint32_t)) << STRATA_HV_ID_WORDS_SHIFT;
    write_record(ring, id, data, bytes);

 out:
    probe_end(ring);
}

void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes)
{
    struct strata_cpu_ring *ring = strata_probe_begin();

    if ( ring )
        write_record(ring, id, data, bytes);

    strata_probe_end(ring);
}

bool strata_flush_this_cpu(void)
{
    struct strata_cpu_ring *ring = strata_rings[smp_processor_id()];

    ASSERT(!local_irq_is_enabled());

    if ( strata_probe_under_way() )
        return false;

    if ( ring )
    {
        strata_budget_tell(ring, smp_processor_id());
        strata_ring_flush(&ring->core);
        notify(ring);
    }

    return true;
}

void strata_flush_offline_cpu(unsigned int cpu)
{
    struct strata_cpu_ring *ring = strata_rings[cpu];

    ASSERT(!cpu_online(cpu));

    if ( ring )
    {
        strata_budget_tell(ring, cpu);
        strata_ring_flush(&ring->core);
        notify(ring);
    }
}

void strata_set_switch_period(uint32_t ms)
{
    ACCESS_ONCE(switch_period) = MILLISECS(ms);
}

void strata_hand_over(void)
{
    struct strata_cpu_ring *ring = NULL;
    s_time_t period = ACCESS_ONCE(switch_period), now;

    strata_vcpu_clocks_late(false);

    /* A CPU without a ring needs no report here: no event of it is lost. */
    if ( probe_begin() && period && strata_rings[smp_processor_id()] )
        ring = probe_ring();

    if ( ring )
    {
        now = NOW();
        if ( now - ring->switched >= period && strata_ring_switch(&ring->core) )
        {
            ring->switched = now;
            notify(ring);
        }
    }

    probe_end(ring);
}

static int __init cf_check strata_record_init(void)
{
    open_softirq(STRATA_SOFTIRQ, strata_softirq);

    return 0;
}
presmp_initcall(strata_record_init);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
