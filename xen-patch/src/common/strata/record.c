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

#include "aggregate.h"
#include "budget.h"
#include "channel.h"
#include "notify.h"
#include "private.h"
#include "set.h"

struct strata_cpu __read_mostly strata_cpus[NR_CPUS];

void strata_init_cpu(struct cpu_info *info, unsigned int cpu)
{
    info->strata_nesting = 0;
    info->strata_cpu = &strata_cpus[cpu];
}

/*
 * Begins a probe; returns the set, or NULL: there is no channel.  Must be
 * paired with probe_end() in either case.  The order matters: counted first,
 * set second, its gates and this CPU's rings third; the interrupt by which
 * strata_flush_this_cpu() and strata_await_probes() run sees the count, or the
 * probe sees what was changed before it.  One CPU, so a compiler barrier
 * suffices.
 */
static always_inline const struct strata_set *probe_begin(void)
{
    /* Not atomic: a nested probe restores the count. */
    ++*strata_nesting();
    barrier();

    return ACCESS_ONCE(strata_set);
}

static always_inline void probe_end(void)
{
    barrier();
    --*strata_nesting();
}

unsigned int strata_probe_begin(void)
{
    const struct strata_set *set = probe_begin();

    return set ? read_atomic(&set->started) : 0;
}

void strata_probe_end(void)
{
    probe_end();
}

bool strata_probe_under_way(void)
{
    return ACCESS_ONCE(*strata_nesting());
}

/* In a probe: whether its records must be lost, because probes nest too deep. */
static always_inline bool too_deep(void)
{
    return unlikely(*strata_nesting() > STRATA_RING_NESTING_MAX);
}

static noinline void count_nested(struct strata_cpu *cpu, unsigned int channels)
{
    unsigned int channel;

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring = ACCESS_ONCE(cpu->ring[channel]);

        if ( ring )
            strata_ring_count_lost(&ring->core, STRATA_LOST_NESTED);
        else
            strata_nested_without_ring(channel);
    }
}

/* The channel's ring of this CPU; NULL: it has none, and counts the event. */
static always_inline struct strata_cpu_ring *ring_of(
    const struct strata_cpu *cpu, unsigned int channel, uint32_t id,
    uint64_t ticks)
{
    struct strata_cpu_ring *ring = ACCESS_ONCE(cpu->ring[channel]);

    if ( unlikely(!ring) )
        strata_without_ring(channel, id, ticks);

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

    if ( too_deep() )
    {
        count_nested(cpu, channels);
        return;
    }

    strata_for_each_channel ( channel, channels )
    {
        struct strata_cpu_ring *ring = ring_of(cpu, channel, id, 0);

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

bool strata_wants(uint32_t event)
{
    const struct strata_set *set = probe_begin();
    bool wants = set && strata_takers(set, strata_event_index(event), current);

    probe_end();

    return wants;
}

/* The words of a record, by its id. */
static always_inline unsigned int id_bytes(uint32_t id)
{
    return (id >> STRATA_HV_ID_WORDS_SHIFT) * sizeof(uint32_t);
}

/*
 * Records an event in each of @takers, then ends the probe.
 * @data:   whole words, as @id says
 * @takers: of strata_takers()
 * @ticks:  the clock, read before any ring was looked at
 * @full:   the record is in the first of @takers, and completed this sub-buffer
 *          there; or NULL
 */
static noinline void record_rest(uint32_t id, const void *data,
                                 unsigned int takers, uint64_t ticks,
                                 struct strata_ring_subbuf *full)
{
    const struct strata_set *set = ACCESS_ONCE(strata_set);
    struct strata_cpu *cpu = strata_this_cpu();

    for ( ; takers; takers &= takers - 1 )
    {
        unsigned int taker = find_first_set_bit(takers);
        unsigned int channel = taker % STRATA_HV_CHANNELS;
        struct strata_cpu_ring *ring = ring_of(cpu, channel, id,
                                               ticks);

        if ( unlikely(full) )
        {
            strata_ring_deliver(&ring->core, full);
            full = NULL;
            strata_notify(ring, channel);
        }
        /* Changes of runstates need a switch each, and prove the order. */
        else if ( ring &&
                  (taker >= STRATA_ANY_RUNNER_SHIFT ||
                   (set && strata_budget_take(set, cpu, ring, channel,
                                              current->domain))) )
            write_record(ring, channel, id, current->strata.context, data,
                         id_bytes(id), ticks);
    }

    probe_end();
}

/*
 * The same in whatever channels take it: the vCPU does not know yet, or probes
 * nest too deep.
 */
static noinline void record_anew(uint32_t id, const void *data,
                                 unsigned int index)
{
    const struct strata_set *set = ACCESS_ONCE(strata_set);
    unsigned int takers = set ? strata_takers(set, index, current) : 0;

    if ( !too_deep() )
    {
        record_rest(id, data, takers, strata_clock(), NULL);
        return;
    }
    count_nested(strata_this_cpu(), strata_takers_channels(takers));
    probe_end();
}

/* Counts an event of one channel, which has no ring, then ends the probe. */
static noinline void count_alone(unsigned int channel, uint32_t id,
                                 uint64_t ticks)
{
    strata_without_ring(channel, id, ticks);
    probe_end();
}

/* A function that records an event in each of @takers, then ends the probe. */
typedef void strata_takers_fn(uint32_t id, const void *data,
                              unsigned long takers,
                              struct strata_budget *budgets, uint64_t ticks);

/*
 * Records an event in the first of @takers, then calls @next for the others.
 * What is rare is left to record_rest().  Either ends the probe, so no function
 * is called that returns here, and no registers need be saved for it.
 * @bucket: from which the record takes a token; NULL: from none
 */
static always_inline void record_first(
    uint32_t id, unsigned int bytes, const void *data, unsigned long takers,
    struct strata_budget *budgets, struct strata_bucket *bucket,
    uint64_t ticks, strata_takers_fn *next)
{
    unsigned long channel = find_first_set_bit(takers) % STRATA_HV_CHANNELS;
    struct strata_cpu_ring *ring =
        ACCESS_ONCE(strata_this_cpu()->ring[channel]);
    struct strata_slot slot;

    /* An aggregator has the highest number, so its channel comes last. */
    if ( unlikely(!ring) && !(takers & (takers - 1)) )
    {
        count_alone(channel, id, ticks);
        return;
    }
    if ( unlikely(!ring) ||
         unlikely(!strata_ring_try_at(&ring->core, id,
                                      sizeof(uint32_t) + bytes, ticks, &slot)) )
    {
        record_rest(id, data, takers, ticks, NULL);
        return;
    }

    if ( bucket )
        strata_bucket_take(bucket);
    strata_flood_reserved(&slot);
    write_payload(&slot, current->strata.context, data, bytes);
    if ( strata_ring_commit_completes(&ring->core, &slot) )
    {
        record_rest(id, data, takers, ticks, slot.subbuf);
        return;
    }
    takers &= takers - 1;
    if ( unlikely(takers) )
        next(id, data, takers, budgets, ticks);
    else
        probe_end();
}

/* The same where a channel may bound the domain that runs, by its @budgets. */
static always_inline void record_bounded(
    const struct strata_set *set, uint32_t id, unsigned int bytes,
    const void *data, unsigned long takers, struct strata_budget *budgets,
    uint64_t ticks, strata_takers_fn *next)
{
    unsigned long channel = find_first_set_bit(takers);
    struct strata_bucket *bucket = NULL;

    /* Changes of runstates need a switch each, and prove the order. */
    if ( channel < STRATA_ANY_RUNNER_SHIFT && set->tokens[channel] )
    {
        bucket = strata_bucket_here(strata_this_cpu(), budgets, channel);
        if ( unlikely(strata_bucket_empty(bucket)) )
        {
            record_rest(id, data, takers, ticks, NULL);
            return;
        }
    }
    record_first(id, bytes, data, takers, budgets, bucket, ticks, next);
}

static always_inline void record(uint32_t id, unsigned int bytes,
                                 const void *data, unsigned long index,
                                 strata_takers_fn *others)
{
    const struct strata_set *set = probe_begin();
    struct strata_budget *budgets;
    unsigned long runner, takers;
    uint64_t ticks;

    if ( unlikely(!set) )
        goto out;
    runner = strata_runner(set, current);
    if ( unlikely(strata_runner_unknown(runner)) || too_deep() )
    {
        record_anew(id, data, index);
        return;
    }
    takers = runner & set->events[index];
    if ( !takers )
        goto out;

    /*
     * Before any ring is looked at: a probe that nests in this one from here on
     * is newer, and the rings that it writes make this one read the clock
     * again.
     */
    ticks = strata_clock();
    /* A probe that nests here, of a newer set, may change it. */
    budgets = ACCESS_ONCE(current->strata.budgets);
    if ( budgets )
        record_bounded(set, id, bytes, data, takers, budgets, ticks, others);
    else
        record_first(id, bytes, data, takers, NULL, NULL, ticks, others);
    return;

 out:
    probe_end();
}

#define STRATA_RECORD_WORDS(words)                                         \
static strata_takers_fn others_ ## words;                                  \
                                                                           \
/* Not others_N() itself: the compiler would make a loop of it, and save   \
 * registers for that. */                                                  \
static noinline void more_ ## words(uint32_t id, const void *data,         \
                                    unsigned long takers,                  \
                                    struct strata_budget *budgets,         \
                                    uint64_t ticks)                        \
{                                                                          \
    others_ ## words(id, data, takers, budgets, ticks);                    \
}                                                                          \
                                                                           \
static noinline void others_ ## words(uint32_t id, const void *data,       \
                                      unsigned long takers,                \
                                      struct strata_budget *budgets,       \
                                      uint64_t ticks)                      \
{                                                                          \
    const struct strata_set *set = ACCESS_ONCE(strata_set);                \
                                                                           \
    /* The last channel may have been destroyed since the probe began. */  \
    if ( budgets && likely(set) )                                          \
        record_bounded(set, id, (words) * sizeof(uint32_t), data, takers,  \
                       budgets, ticks, more_ ## words);                    \
    else                                                                   \
        record_first(id, (words) * sizeof(uint32_t), data, takers, NULL,   \
                     NULL, ticks, more_ ## words);                         \
}                                                                          \
                                                                           \
void strata_record_ ## words(uint32_t id, const void *data,                \
                             unsigned long index)                          \
{                                                                          \
    record(id, (words) * sizeof(uint32_t), data, index, others_ ## words); \
}
STRATA_RECORD_WORDS(0)
STRATA_RECORD_WORDS(1)
STRATA_RECORD_WORDS(2)
STRATA_RECORD_WORDS(3)
STRATA_RECORD_WORDS(4)
STRATA_RECORD_WORDS(5)
STRATA_RECORD_WORDS(6)
STRATA_RECORD_WORDS(7)

/* Other sizes are copied into whole words. */
static noinline void record_odd(uint32_t event, unsigned int bytes,
                                const void *data)
{
    uint32_t words[TRACE_EXTRA_MAX] = {};

    BUILD_BUG_ON(TRACE_EXTRA_MAX > 7);

    bytes = min_t(unsigned int, bytes, sizeof(words));
    memcpy(words, data, bytes);
    strata_trace_at(TRC_HD_TO_EVENT(event), strata_event_index(event),
                    DIV_ROUND_UP(bytes, sizeof(uint32_t)), words);
}

void strata_record(uint32_t event, unsigned int bytes, const void *data)
{
    BUILD_BUG_ON(TRACE_EXTRA_SHIFT != STRATA_HV_ID_WORDS_SHIFT);

    if ( unlikely(bytes % sizeof(uint32_t)) ||
         unlikely(bytes > TRACE_EXTRA_MAX * sizeof(uint32_t)) )
        record_odd(event, bytes, data);
    else
        strata_trace_at(TRC_HD_TO_EVENT(event), strata_event_index(event),
                        bytes / sizeof(uint32_t), data);
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
