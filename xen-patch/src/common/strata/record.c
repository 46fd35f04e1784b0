/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.c - the probe: what happens when a trace point fires.
 *
 * Called from every trace point of Xen by way of __trace_var(), at any place
 * and in any context, NMI included.  It takes no lock, leaves interrupts as
 * they are, allocates nothing, touches no memory that may fault, and wakes
 * nobody: that a reader may be told is left to a softirq.
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

#include "private.h"

struct strata_cpu_ring *__read_mostly strata_rings[NR_CPUS];
uint32_t __read_mostly strata_event_mask;
unsigned long strata_unringed;

/*
 * Probes under way on this CPU.  Not in the ring, because it covers the moment
 * in which a probe fetches the ring's address: while it is not zero, no ring
 * is freed.
 */
static DEFINE_PER_CPU(unsigned int, probes);

/*
 * NULL: nothing is to be recorded.  Must be paired with strata_probe_end()
 * either way.  The order matters: counted first, gate second, ring third; the
 * interrupt by which strata_flush_this_cpu() runs sees the count, or the probe
 * sees the gate that was shut before it.  One CPU, so the compiler is all that
 * must be held back.
 */
static always_inline struct strata_cpu_ring *strata_probe_begin(void)
{
    struct strata_cpu_ring *ring;
    unsigned int *count = &this_cpu(probes);

    /* Not atomic: whoever nests in between puts back what it found. */
    write_atomic(count, read_atomic(count) + 1);
    barrier();

    if ( !strata_started() )
        return NULL;

    ring = ACCESS_ONCE(strata_rings[smp_processor_id()]);
    if ( unlikely(!ring) )
    {
        arch_fetch_and_add(&strata_unringed, 1);
        return NULL;
    }

    return strata_ring_enter(&ring->core) ? ring : NULL;
}

static always_inline void strata_probe_end(struct strata_cpu_ring *ring)
{
    unsigned int *count = &this_cpu(probes);

    if ( ring )
        strata_ring_exit(&ring->core);

    barrier();
    write_atomic(count, read_atomic(count) - 1);
}

/* Sub-buffers are handed over in a probe; readers hear of it from a softirq. */
static always_inline void notify(struct strata_cpu_ring *ring)
{
    if ( likely(!ring->core.delivered) )
        return;

    ring->core.delivered = false;
    /* A locked bit operation, so fine in an NMI. */
    raise_softirq(STRATA_SOFTIRQ);
}

static void cf_check strata_softirq(void)
{
    BUILD_BUG_ON(STRATA_HV_VIRQ != VIRQ_STRATA);
    send_global_virq(VIRQ_STRATA);
}

/*
 * At most seven words as a rule: a call of memcpy() would cost more than it
 * does.  The barrier keeps the compiler from making one of this loop.
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

static void write_record(uint32_t id, const void *data, unsigned int bytes)
{
    struct strata_cpu_ring *ring = strata_probe_begin();
    struct strata_slot slot;

    if ( ring )
    {
        unsigned int padded = ROUNDUP(bytes, sizeof(uint32_t));
        const struct strata_hv_context context = {
            .domain = current->domain->domain_id,
            .vcpu   = current->vcpu_id,
        };

        if ( strata_ring_reserve(&ring->core, id, sizeof(context) + padded,
                                 &slot) )
        {
            memcpy(slot.payload, &context, sizeof(context));
            copy_words((uint32_t *)(slot.payload + sizeof(context)), data,
                       bytes);
            strata_ring_commit(&ring->core, &slot);
            /* Of this sub-buffer, or of one that the reserve has closed. */
            notify(ring);
        }
    }

    strata_probe_end(ring);
}

/* xentrace's rule: class and subclass must both be in the mask. */
static always_inline bool selected(uint32_t event)
{
    uint32_t common = event & ACCESS_ONCE(strata_event_mask);

    return (common >> TRC_CLS_SHIFT) && ((common >> TRC_SUBCLS_SHIFT) & 0xf);
}

bool strata_wants(uint32_t event)
{
    return strata_started() && selected(event);
}

void strata_record(uint32_t event, unsigned int bytes, const void *data)
{
    uint32_t id;

    BUILD_BUG_ON(TRACE_EXTRA_MAX > 7);

    /* Whether the gate is open is seen in the probe. */
    if ( !selected(event) )
        return;

    bytes = min_t(unsigned int, bytes, TRACE_EXTRA_MAX * sizeof(uint32_t));
    id = event & STRATA_HV_ID_TRACE;
    id |= DIV_ROUND_UP(bytes, sizeof(uint32_t)) << STRATA_HV_ID_WORDS_SHIFT;
    write_record(id, data, bytes);
}

void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes)
{
    write_record(id, data, bytes);
}

bool strata_flush_this_cpu(void)
{
    struct strata_cpu_ring *ring = strata_rings[smp_processor_id()];

    ASSERT(!local_irq_is_enabled());

    if ( this_cpu(probes) )
        return false;

    if ( ring )
    {
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
        strata_ring_flush(&ring->core);
        notify(ring);
    }
}

/*
 * A reader that waits gets what there is at each calibration, so once a second
 * and without waking a CPU for it.  One that has a sub-buffer to read is left
 * alone: a ring that nobody reads must not fill up with half empty ones.
 */
void strata_flush_for_reader(void)
{
    struct strata_cpu_ring *ring = strata_probe_begin();

    /* A flight recorder has no reader that waits. */
    if ( ring && !ring->core.overwrite )
    {
        strata_count_t read = strata_load_acquire(&ring->reader.read_count);
        strata_count_t write = strata_read_once(&ring->core.write_count);

        if ( strata_subbuf_being_written(ring->core.geo, write, read) )
        {
            strata_ring_flush(&ring->core);
            notify(ring);
        }
    }

    strata_probe_end(ring);
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
