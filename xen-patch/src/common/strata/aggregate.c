/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aggregate.c - channels that count events instead of recording them: their
 * tables, of which each CPU has one, and the operations AGGREGATE and READ.
 *
 * The algorithm is include/strata/aggregate.h.  A probe comes here where it
 * finds no ring.  The tables are private to Xen, exist for every CPU that the
 * host can have, and are made before the channel starts; what freed rings wait
 * for is what they wait for.
 *
 * Rows are never given back, so domains that come and go would fill a table, and
 * nobody new would get a row.  So dom0 renews the tables of a channel that
 * counts: probes go from the old ones to new ones, and the old ones stay, to be
 * read once more.
 *
 * control.c calls the operations, under the sysctl lock.
 */

#include <xen/cpu.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/guest_access.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/strata.h>
#include <xen/vmap.h>

#include <strata/aggregate.h>

#include "aggregate.h"
#include "channel.h"
#include "control.h"
#include "set.h"

/* How many words of tables one READ adds up before it answers. */
#define WORDS_PER_READ 16384u

struct strata_aggregate_tables {
    struct strata_aggregate core;
    unsigned int nr; /* tables that are made */
    unsigned long *table[]; /* by CPU */
};

struct strata_aggregate_tables *__read_mostly strata_tables[STRATA_HV_CHANNELS];

/* Of each channel, what a renewal has made or left; no probe finds these. */
static struct {
    struct strata_aggregate_tables *made; /* half way, or to be freed, or NULL */
    bool failed;                          /* these have no memory */
    struct strata_aggregate_tables *previous; /* or NULL */
    bool busy; /* a probe may still count in those */
} renewals[STRATA_HV_CHANNELS];

/* Out of line: a count needs fewer registers. */
static noinline void measure(const struct strata_aggregate_tables *tables,
                             unsigned int channel, uint32_t event,
                             uint64_t ticks)
{
    BUILD_BUG_ON(ARRAY_SIZE(current->strata.opened) != STRATA_HV_CHANNELS);

    strata_aggregate_measure(&tables->core, tables->table[smp_processor_id()],
                             current->domain->domain_id, event, ticks,
                             &current->strata.opened[channel]);
}

static always_inline void count_event(
    const struct strata_aggregate_tables *tables, unsigned int channel,
    uint32_t id, uint64_t ticks)
{
    id &= STRATA_HV_ID_TRACE;
    if ( tables->core.spec.kind == STRATA_AGGREGATE_COUNT )
        strata_aggregate_count(&tables->core,
                               tables->table[smp_processor_id()],
                               current->domain->domain_id, id);
    else
        measure(tables, channel, id, ticks);
}

static noinline void count_rare(
    const struct strata_aggregate_tables *tables, unsigned int channel,
    uint32_t id, uint64_t ticks)
{
    BUILD_BUG_ON(STRATA_HV_ID_GUEST != TRC_GUEST);

    /* Clocks and states of vCPUs tell a reader of records something. */
    if ( id & STRATA_HV_ID_OWN )
        return;
    /* A guest chooses the rest (HVMOP_xentrace), and so could take every row. */
    count_event(tables, channel, STRATA_HV_ID_GUEST, ticks);
}

void strata_without_ring(unsigned int channel, uint32_t id, uint64_t ticks)
{
    const struct strata_aggregate_tables *tables =
        ACCESS_ONCE(strata_tables[channel]);

    if ( unlikely(!tables) )
    {
        arch_fetch_and_add(&strata_channels[channel].unringed, 1);
        return;
    }
    if ( unlikely(id & (STRATA_HV_ID_OWN | STRATA_HV_ID_GUEST_CLASS)) )
        count_rare(tables, channel, id, ticks);
    else
        count_event(tables, channel, id, ticks);
}

void strata_nested_without_ring(unsigned int channel)
{
    const struct strata_aggregate_tables *tables =
        ACCESS_ONCE(strata_tables[channel]);

    if ( tables )
        strata_aggregate_other(tables->table[smp_processor_id()],
                               STRATA_AGGREGATE_NESTED);
}

void strata_aggregate_starts(const struct strata_channel *channel)
{
    /* A vCPU may remember a begin of an earlier user of the channel. */
    strata_tables_of(channel)->core.since_ticks = strata_clock();
}

/* Frees *@where, if there is any.  0 or -ERESTART: call it again. */
static int free_tables(struct strata_aggregate_tables **where)
{
    struct strata_aggregate_tables *tables = *where;

    if ( !tables )
        return 0;

    while ( tables->nr )
    {
        vfree(tables->table[--tables->nr]);
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }
    *where = NULL;
    vfree(tables->core.keys);
    vfree(tables);

    return 0;
}

int strata_free_aggregate(struct strata_channel *channel)
{
    unsigned int number = strata_channel_number(channel);

    if ( free_tables(&renewals[number].made) ||
         free_tables(&renewals[number].previous) ||
         free_tables(&strata_tables[number]) )
        return -ERESTART;
    renewals[number].failed = renewals[number].busy = false;

    return 0;
}

/* Without a table for any CPU.  NULL: out of memory. */
static struct strata_aggregate_tables *begin_tables(
    const struct strata_aggregate_spec *spec)
{
    struct strata_aggregate_tables *tables;
    unsigned long *keys;

    tables = vzalloc(offsetof(struct strata_aggregate_tables,
                              table[nr_cpu_ids]));
    keys = vzalloc(strata_aggregate_rows(spec) * sizeof(*keys));
    if ( !tables || !keys )
    {
        vfree(keys);
        vfree(tables);
        return NULL;
    }
    strata_aggregate_init(&tables->core, spec, keys);

    return tables;
}

static int begin_aggregate(struct strata_channel *channel,
                           const struct strata_hv_op *op)
{
    struct strata_aggregate_tables *tables =
        begin_tables(&op->u.aggregate.spec);

    if ( !tables )
        return -ENOMEM;
    strata_tables[strata_channel_number(channel)] = tables;
    channel->flags = STRATA_HV_AGGREGATES;
    memcpy(channel->owner, op->u.aggregate.owner, sizeof(channel->owner));
    channel->unringed = 0;

    return 0;
}

/* Whether the channel's tables were begun by an equal call that has yielded. */
static bool resumes_aggregate(const struct strata_channel *channel,
                              const struct strata_hv_op *op)
{
    const struct strata_aggregate_tables *tables = strata_tables_of(channel);

    return !channel->complete && tables &&
           !memcmp(&tables->core.spec, &op->u.aggregate.spec,
                   sizeof(op->u.aggregate.spec)) &&
           !strncmp(channel->owner, op->u.aggregate.owner,
                    sizeof(channel->owner));
}

/* A table for each CPU that the host can have.  0, -ENOMEM or -ERESTART. */
static int make_tables(struct strata_aggregate_tables *tables)
{
    unsigned long bytes =
        strata_aggregate_table_words(&tables->core.spec) *
        sizeof(*tables->table[0]);

    while ( tables->nr < nr_cpu_ids )
    {
        tables->table[tables->nr] = vzalloc(bytes);
        if ( !tables->table[tables->nr] )
            return -ENOMEM;
        tables->nr++;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* Whoever adds a CPU sees either no channel, or one that needs no ring. */
static int complete_aggregate(struct strata_channel *channel)
{
    if ( !get_cpu_maps() )
        return -ERESTART;
    channel->complete = true;
    put_cpu_maps();

    return 0;
}

static bool same_but_rows(const struct strata_aggregate_spec *a,
                          struct strata_aggregate_spec b)
{
    b.row_bits = a->row_bits;

    return !memcmp(a, &b, sizeof(b));
}

/* Probes find the tables that were made, and those of before become the
 * previous ones, which some may still have. */
static void exchange(unsigned int number)
{
    struct strata_aggregate_tables *tables = renewals[number].made;

    renewals[number].made = NULL;
    renewals[number].previous = strata_tables[number];
    renewals[number].busy = true;
    /* A time may have begun in the previous ones. */
    tables->core.since_ticks = strata_tables[number]->core.since_ticks;
    /* Pairs with the address dependency in strata_without_ring(). */
    smp_wmb();
    write_atomic(&strata_tables[number], tables);
}

/* The channel has tables.  May be called again where it yielded, also by another
 * caller: then one renewal serves both. */
static int renew(unsigned int number, const struct strata_hv_op *op)
{
    int rc;

    if ( !same_but_rows(&strata_tables[number]->core.spec,
                        op->u.aggregate.spec) )
        return -EINVAL;

    if ( !renewals[number].busy )
    {
        if ( free_tables(&renewals[number].previous) )
            return -ERESTART;
        if ( !renewals[number].made )
            renewals[number].made = begin_tables(&op->u.aggregate.spec);
        if ( !renewals[number].made )
            return -ENOMEM;
        rc = renewals[number].failed ? -ENOMEM
                                     : make_tables(renewals[number].made);
        if ( rc == -ENOMEM )
        {
            renewals[number].failed = true;
            if ( free_tables(&renewals[number].made) )
                return -ERESTART;
            renewals[number].failed = false;
        }
        if ( rc )
            return rc;
        exchange(number);
    }

    rc = strata_await_probes();
    if ( !rc )
        renewals[number].busy = false;

    return rc;
}

int strata_create_aggregate(struct strata_channel *channel,
                            struct strata_hv_op *op)
{
    int rc = 0;

    if ( (op->u.aggregate.flags & ~STRATA_HV_RENEW) ||
         !strata_aggregate_valid(&op->u.aggregate.spec) )
        return -EINVAL;
    if ( op->u.aggregate.flags & STRATA_HV_RENEW )
        return channel->complete && strata_tables_of(channel)
               ? renew(strata_channel_number(channel), op) : -ENOENT;

    op->u.aggregate.owner[sizeof(op->u.aggregate.owner) - 1] = '\0';
    if ( !op->u.aggregate.owner[0] )
        return -EINVAL;

    if ( !channel->owner[0] )
        rc = begin_aggregate(channel, op);
    else if ( !resumes_aggregate(channel, op) )
    {
        memcpy(op->u.aggregate.owner, channel->owner, sizeof(channel->owner));
        rc = -EBUSY;
    }
    if ( rc )
        return rc;

    if ( channel->undoing )
        return strata_undo_create(channel, channel->undoing);

    rc = make_tables(strata_tables_of(channel));
    if ( !rc )
        rc = strata_set_make();
    if ( !rc )
        rc = complete_aggregate(channel);

    return rc && rc != -ERESTART ? strata_undo_create(channel, rc) : rc;
}

/* Adds up a row of all CPUs, behind its key. */
static void sum_row(const struct strata_aggregate_tables *tables,
                    unsigned int row, uint64_t *answer)
{
    const struct strata_aggregate_spec *spec = &tables->core.spec;
    unsigned int words = strata_aggregate_row_words(spec), cpu;

    memset(answer, 0, (1 + words) * sizeof(*answer));
    answer[0] = read_atomic(&tables->core.keys[row]);
    for ( cpu = 0; cpu < tables->nr; cpu++ )
        strata_aggregate_add(spec->kind, &answer[1],
                             &tables->table[cpu][STRATA_AGGREGATE_OTHERS +
                                                 row * words]);
}

static void sum_others(const struct strata_aggregate_tables *tables,
                       uint64_t *others)
{
    unsigned int cpu, i;

    memset(others, 0, STRATA_HV_READ_OTHERS * sizeof(*others));
    for ( cpu = 0; cpu < tables->nr; cpu++ )
        for ( i = 0; i < STRATA_HV_READ_OTHERS; i++ )
            others[i] += read_atomic(&tables->table[cpu][i]);
}

/* Each call is short, however large the tables: the reader calls again. */
int strata_read_aggregate(const struct strata_channel *channel,
                          struct strata_hv_op *op)
{
    unsigned int number = strata_channel_number(channel);
    const struct strata_aggregate_tables *tables = strata_tables[number];
    uint64_t answer[1 + STRATA_AGGREGATE_TIME_WORDS];
    unsigned int row, rows, words, nr = 0, summed = 0;

    if ( (op->u.read.flags & ~STRATA_HV_READ_PREVIOUS) || op->u.read.reserved )
        return -EINVAL;
    if ( op->u.read.flags )
        tables = renewals[number].busy ? NULL : renewals[number].previous;
    if ( !tables )
        return -ENOENT;
    rows = strata_aggregate_rows(&tables->core.spec);
    words = strata_aggregate_row_words(&tables->core.spec);
    if ( op->u.read.first >= rows )
        return -EINVAL;

    for ( row = op->u.read.first;
          row < rows && nr < op->u.read.room && summed < WORDS_PER_READ; row++ )
    {
        summed++;
        if ( !read_atomic(&tables->core.keys[row]) )
            continue;
        sum_row(tables, row, answer);
        summed += tables->nr * words;
        if ( raw_copy_to_guest((void *)(unsigned long)op->u.read.buffer +
                               nr * (1UL + words) * sizeof(*answer),
                               answer, (1UL + words) * sizeof(*answer)) )
            return -EFAULT;
        nr++;
    }
    op->u.read.next = row;
    op->u.read.nr = nr;
    op->u.read.ticks = strata_clock();
    sum_others(tables, op->u.read.others);

    return 0;
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
