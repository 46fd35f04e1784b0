/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.c - the probe: writes a record when a trace point fires, into the ring
 * of each channel that takes the event.
 *
 * Called from every trace point of Xen through __trace_var(), at any place and
 * in any context, NMI included. It takes no lock, leaves interrupts as they
 * are, allocates nothing, touches no memory that may fault, and wakes no
 * reader: a softirq does that.
 *
 * The ring itself is include/strata/ring_writer.h, the same in guests and in
 * applications.
 */

#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>

#include "budget.h"
#include "channel.h"
#include "notify.h"
#include "private.h"
#include "set.h"

struct strata_cpu __read_mostly strata_cpus[NR_CPUS];

/*
 * Begins a probe; returns the set, or NULL: there is no channel.  Must be
 * paired with probe_end() in either case.  The order matters: counted first,
 * set second, its gates and this CPU's rings third; the interrupt by which
 * strata_flush_this_cpu() and strata_await_probes() run sees the count, or the
 * probe sees what was changed before it.  One CPU, so a compiler barrier
 * suffices.
 */
static always_inline const struct strata_set *probe_begin(
    struct strata_cpu *cpu)
{
    /* Not atomic: a nested probe restores the count. */
    write_atomic(&cpu->nesting, read_atomic(&cpu->nesting) + 1);
    barrier();

    return ACCESS_ONCE(strata_set);
}

static always_inline void probe_end(struct strata_cpu *cpu)
{
    barrier();
    write_atomic(&cpu->nesting, read_atomic(&cpu->nesting) - 1);
}

unsigned int strata_probe_begin(void)
{
    const struct strata_set *set = probe_begin(strata_this_cpu());

    return set ? read_atomic(&set->started) : 0;
}

void strata_probe_end(void)
{
    probe_end(strata_this_cpu());
}

bool strata_probe_under_way(void)
{
    return read_atomic(&strata_this_cpu()->nesting);
}

/* In a probe: whether its records must be lost, because probes nest too deep. */
static always_inline bool too_deep(const struct strata_cpu *cpu)
{
    return unlikely(read_atomic(&cpu->nesting) > STRATA_RING_NESTING_MAX);
}

static noinline void count_nested(struct strata_cpu *cpu, unsigned int channels)
{
    unsigned int channel;

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring = ACCESS_ONCE(cpu->ring[channel]);

        if ( ring )
            strata_ring_count_lost(&ring->core, STRATA_LOST_NESTED);
    }
}

/* The channel's ring of this CPU; NULL: it has none, which is counted. */
static always_inline struct strata_cpu_ring *ring_of(
    const struct strata_cpu *cpu, unsigned int channel)
{
    struct strata_cpu_ring *ring = ACCESS_ONCE(cpu->ring[channel]);

    if ( unlikely(!ring) )
        arch_fetch_and_add(&strata_channels[channel].unringed, 1);

    return ring;
}

/*
 * Writes the context and whole words.  A size that the compiler knows takes a
 * few moves; for others, usually at most seven words, a call of memcpy() would
 * cost more than the copy: the barrier keeps the compiler from turning the loop
 * into one.
 */
static always_inline void write_payload(const struct strata_slot *slot,
                                        uint32_t context, const void *data,
                                        unsigned int bytes)
{
    uint32_t *to = (uint32_t *)slot->payload;
    const uint32_t *from = data;

    *to++ = context;
    if ( __builtin_constant_p(bytes) && bytes <= 7 * sizeof(*to) )
        memcpy(to, data, bytes);
    else
        for ( ; bytes; bytes -= sizeof(*to) )
        {
            *to++ = *from++;
            barrier();
        }
}

/* Writes a record of @bytes, whole words, behind its context. */
static inline void write_record(struct strata_cpu_ring *ring,
                                unsigned int channel, uint32_t id,
                                uint32_t context, const void *data,
                                unsigned int bytes, uint64_t ticks)
{
    struct strata_slot slot;

    if ( !strata_ring_reserve_at(&ring->core, id, sizeof(context) + bytes,
                                 ticks, &slot) )
    {
        strata_flood_lost(id);
        return;
    }
    strata_flood_reserved(&slot);
    write_payload(&slot, context, data, bytes);
    strata_ring_commit(&ring->core, &slot);
    /* Of this sub-buffer, or of one that the reserve has closed. */
    if ( unlikely(ring->core.delivered) )
        strata_notify(ring, channel);
}

static void write_anything(struct strata_cpu_ring *ring, unsigned int channel,
                           uint32_t id, const void *data, unsigned int bytes)
{
    write_record(ring, channel, id, strata_context(current), data, bytes,
                 strata_clock());
}

void strata_ring_write(struct strata_cpu_ring *ring, unsigned int channel,
                       uint32_t id, const void *data, unsigned int bytes)
{
    write_anything(ring, channel, id, data, bytes);
}

void strata_write_own(unsigned int channels, enum strata_hv_own_event id,
                      const void *data, unsigned int bytes)
{
    struct strata_cpu *cpu = strata_this_cpu();
    unsigned int channel;

    if ( too_deep(cpu) )
    {
        count_nested(cpu, channels);
        return;
    }

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring = ring_of(cpu, channel);

        if ( ring )
            write_anything(ring, channel, id, data, bytes);
    }
}

void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes)
{
    strata_write_own(strata_probe_begin(), id, data, bytes);
    strata_probe_end();
}

/*
 * Returns the channels that take an event; some in *@unbounded, whoever runs
 * and without a budget: see struct strata_hv_rule.
 */
static always_inline unsigned int takers(const struct strata_set *set,
                                         uint32_t event,
                                         unsigned int *unbounded)
{
    unsigned int word = strata_event_word(set, event);

    *unbounded = word >> STRATA_ANY_RUNNER_SHIFT;
    word &= strata_runner_channels(set, current);

    return (word | *unbounded) & read_atomic(&set->started);
}

bool strata_wants(uint32_t event)
{
    struct strata_cpu *cpu = strata_this_cpu();
    const struct strata_set *set = probe_begin(cpu);
    unsigned int unbounded;
    bool wants = set && takers(set, event, &unbounded);

    probe_end(cpu);

    return wants;
}

/* The words of a record, by its id. */
static always_inline unsigned int id_bytes(uint32_t id)
{
    return (id >> STRATA_HV_ID_WORDS_SHIFT) * sizeof(uint32_t);
}

/*
 * Records an event in each of @channels, then ends the probe.
 * @data:      whole words, as @id says
 * @unbounded: of takers()
 * @ready:     a channel whose sub-buffer was completed just now, or -1
 * @ticks:     the clock, read before any ring was looked at
 */
static noinline void record_rest(struct strata_cpu *cpu, uint32_t id,
                                 const void *data, unsigned int channels,
                                 unsigned int unbounded, int ready,
                                 uint64_t ticks)
{
    const struct strata_set *set = ACCESS_ONCE(strata_set);
    unsigned int channel;

    if ( ready >= 0 )
        strata_notify(cpu->ring[ready], ready);

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring = ring_of(cpu, channel);

        /* Changes of runstates need a switch each, and prove the order. */
        if ( ring && set &&
             (unbounded ||
              strata_budget_take(set, cpu, ring, channel, current->domain)) )
            write_record(ring, channel, id, current->strata.context, data,
                         id_bytes(id), ticks);
    }

    strata_note_entry(cpu, id);
    probe_end(cpu);
}

/* What is rare is left to record_rest(). */
static always_inline void record(uint32_t event, unsigned int bytes,
                                 const void *data)
{
    struct strata_cpu *cpu = strata_this_cpu();
    const struct strata_set *set = probe_begin(cpu);
    unsigned int channels, unbounded, channel;
    struct strata_bucket *bucket = NULL;
    struct strata_cpu_ring *ring;
    struct strata_slot slot;
    uint64_t ticks;
    uint32_t id;

    if ( unlikely(!set) )
        goto out;
    channels = takers(set, event, &unbounded);
    if ( !channels )
        goto out;
    if ( too_deep(cpu) )
    {
        count_nested(cpu, channels);
        goto out;
    }

    /*
     * Before any ring is looked at: a probe that nests in this one from here on
     * is newer, and the rings that it writes make this one read the clock
     * again.
     */
    ticks = strata_clock();
    strata_note_exit(cpu, event, bytes, data);
    id = event & STRATA_HV_ID_TRACE;
    id |= bytes / sizeof(uint32_t) << STRATA_HV_ID_WORDS_SHIFT;

    channel = find_first_set_bit(channels);
    ring = ACCESS_ONCE(cpu->ring[channel]);
    if ( unlikely(!ring) ||
         (!unbounded &&
          unlikely(!strata_budget_find(set, cpu, channel, current->domain,
                                       &bucket))) ||
         unlikely(!strata_ring_try_at(&ring->core, id,
                                      sizeof(uint32_t) + bytes, ticks, &slot)) )
    {
        record_rest(cpu, id, data, channels, unbounded, -1, ticks);
        return;
    }

    strata_bucket_take(bucket);
    strata_flood_reserved(&slot);
    write_payload(&slot, current->strata.context, data, bytes);
    strata_ring_commit(&ring->core, &slot);
    channels &= channels - 1;
    if ( unlikely(ring->core.delivered) || unlikely(channels) )
    {
        record_rest(cpu, id, data, channels, unbounded,
                    ring->core.delivered ? (int)channel : -1, ticks);
        return;
    }
    strata_note_entry(cpu, event);

 out:
    probe_end(cpu);
}

#define STRATA_RECORD_WORDS(words)                                 \
void strata_record_ ## words(uint32_t event, const void *data)     \
{                                                                  \
    record(event, (words) * sizeof(uint32_t), data);               \
}
STRATA_RECORD_WORDS(1)
STRATA_RECORD_WORDS(2)
STRATA_RECORD_WORDS(3)
STRATA_RECORD_WORDS(4)
STRATA_RECORD_WORDS(5)
STRATA_RECORD_WORDS(6)

/* Any other size is copied into whole words. */
static noinline void record_odd(uint32_t event, unsigned int bytes,
                                const void *data)
{
    uint32_t words[TRACE_EXTRA_MAX] = {};

    BUILD_BUG_ON(TRACE_EXTRA_MAX > 7);

    bytes = min_t(unsigned int, bytes, sizeof(words));
    memcpy(words, data, bytes);
    record(event, ROUNDUP(bytes, sizeof(uint32_t)), words);
}

void strata_record(uint32_t event, unsigned int bytes, const void *data)
{
    switch ( bytes )
    {
    case 1 * sizeof(uint32_t):
        strata_record_1(event, data);
        break;
    case 2 * sizeof(uint32_t):
        strata_record_2(event, data);
        break;
    case 3 * sizeof(uint32_t):
        strata_record_3(event, data);
        break;
    case 4 * sizeof(uint32_t):
        strata_record_4(event, data);
        break;
    case 5 * sizeof(uint32_t):
        strata_record_5(event, data);
        break;
    case 6 * sizeof(uint32_t):
        strata_record_6(event, data);
        break;
    default:
        record_odd(event, bytes, data);
    }
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
