/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * set.c - see set.h: makes the set of channels from their selections.
 *
 * Called by select.c, gate.c and rings.c, under the sysctl lock.
 */

#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/vmap.h>

#include "channel.h"
#include "domain.h"
#include "set.h"

struct strata_set *__read_mostly strata_set;
struct strata_channel strata_channels[STRATA_HV_CHANNELS];

/* Of the newest set; the first one differs from what a new vCPU holds. */
static unsigned long newest_generation;

/* What is bounded while @v runs: see struct vcpu.  False: its domain has no
 * memory for its counters, and nothing may be kept. */
static bool find_budgets(const struct strata_set *set, struct vcpu *v)
{
    struct strata_domain *mine = ACCESS_ONCE(v->domain->strata);
    unsigned int channel;
    bool bounded = false;

    for ( channel = 0; channel < STRATA_HV_CHANNELS; channel++ )
        bounded = bounded || set->tokens[channel];

    if ( !bounded || strata_domain_unbounded(v->domain) )
        v->strata.budgets = NULL;
    else if ( mine )
        v->strata.budgets = mine->budget;
    else
        return false;

    return true;
}

/*
 * A probe that nests in this one keeps the same, or what a newer set says: then
 * it runs before our store, and the next probe finds again.
 */
unsigned long strata_find_runner(const struct strata_set *set, struct vcpu *v)
{
    unsigned long runner, generation = read_atomic(&set->generation);
    unsigned int channel, started;

    /* Pairs with strata_set_start(): with the generation, what is started. */
    smp_rmb();
    started = read_atomic(&set->started);
    runner = started << STRATA_ANY_RUNNER_SHIFT;

    for ( channel = 0; channel < STRATA_HV_CHANNELS; channel++ )
    {
        const struct strata_selection *selection =
            ACCESS_ONCE(set->selection[channel]);

        if ( selection && strata_runner_selected(selection, v) )
            runner |= started & (1u << channel);
    }

    v->strata.context = strata_context(v);
    if ( find_budgets(set, v) )
    {
        /* Pairs with the order of strata_runner() and record() on this CPU: a
         * probe that nests and finds the runner finds the rest. */
        barrier();
        write_atomic(&v->strata.runner, generation | runner);
    }

    return runner;
}

bool strata_channel_started(const struct strata_channel *channel)
{
    return strata_set &&
           (strata_set->started & (1u << strata_channel_number(channel)));
}

static unsigned long next_generation(void)
{
    return newest_generation += 1UL << STRATA_RUNNER_BITS;
}

static struct strata_set *new_set(void)
{
    struct strata_set *set = vzalloc(sizeof(*set));

    if ( set )
        set->generation = next_generation();

    return set;
}

/*
 * Probes see the contents before the set: xchg() is a full barrier.  It pairs
 * with the address dependency behind the load in probe_begin().
 */
static struct strata_set *publish(struct strata_set *set)
{
    return xchg(&strata_set, set);
}

int strata_set_make(void)
{
    struct strata_set *set;

    if ( strata_set )
        return 0;

    set = new_set();
    if ( !set )
        return -ENOMEM;
    publish(set);

    return 0;
}

static bool is_any_runner(unsigned int class, unsigned int low)
{
    return strata_runstate_change((1u << (TRC_CLS_SHIFT + class)) | low);
}

/* Says in @set which events @selection takes; NULL: none. */
static void fill(struct strata_set *set, unsigned int channel,
                 const struct strata_selection *selection)
{
    const uint16_t selected = 1u << channel;
    const uint16_t any = selected << STRATA_ANY_RUNNER_SHIFT;
    unsigned int class, low;

    for ( class = 0; class < STRATA_CLASSES; class++ )
        for ( low = 0; low < STRATA_CLASS_EVENTS; low++ )
        {
            uint16_t *event = &set->events[class * STRATA_CLASS_EVENTS + low];
            uint16_t word = *event & ~(selected | any);

            if ( selection && strata_bit(selection->events[class], low) )
                word |= is_any_runner(class, low) ? any : selected;
            write_atomic(event, word);
        }

    /* A probe that found an event before may still refill from the tokens. */
    if ( selection )
        set->tokens[channel] = selection->tokens;
    ACCESS_ONCE(set->selection[channel]) = selection;
}

int strata_set_change(struct strata_channel *channel, uint32_t budget_per_s)
{
    unsigned int number = strata_channel_number(channel);
    struct strata_set *set, *old = strata_set;

    if ( !old )
        return -ENOENT;
    set = new_set();
    if ( !set )
        return -ENOMEM;

    strata_selection_set_budget(channel->draft, budget_per_s);
    set->started = old->started;
    memcpy(set->tokens, old->tokens, sizeof(set->tokens));
    memcpy(set->selection, old->selection, sizeof(set->selection));
    memcpy(set->events, old->events, sizeof(set->events));
    fill(set, number, channel->draft);
    channel->draft = NULL;
    ACCESS_ONCE(channel->budget_per_s) = budget_per_s;

    channel->retired_selection = old->selection[number];
    channel->retired_set = publish(set);

    return 0;
}

void strata_set_free_retired(struct strata_channel *channel)
{
    vfree(channel->retired_set);
    channel->retired_set = NULL;
    vfree((void *)channel->retired_selection);
    channel->retired_selection = NULL;
}

void strata_set_start(const struct strata_channel *channel, bool start)
{
    unsigned int bit = 1u << strata_channel_number(channel);
    unsigned int started;

    if ( !strata_set )
        return;

    started = (strata_set->started & ~bit) | (start ? bit : 0);
    /*
     * First what the set says of the channel.  Pairs with strata_find_runner(),
     * which reads `started` of a set that it found: a channel that it sees
     * started has its rings, made by an earlier call, and this set's words.
     */
    smp_wmb();
    write_atomic(&strata_set->started, started);
    /* Whoever sees the generation sees `started`; until then vCPUs go by what
     * they keep. */
    smp_wmb();
    write_atomic(&strata_set->generation, next_generation());

    if ( started )
        set_bit(_TB_STRATA, &tb_init_done);
    else
        clear_bit(_TB_STRATA, &tb_init_done);
}

static bool is_last(const struct strata_channel *channel)
{
    unsigned int i;

    for ( i = 0; i < STRATA_HV_CHANNELS; i++ )
        if ( strata_channels[i].complete && channel != &strata_channels[i] )
            return false;

    return true;
}

void strata_set_forget(struct strata_channel *channel)
{
    unsigned int number = strata_channel_number(channel);

    vfree(channel->draft);
    channel->draft = NULL;
    if ( !strata_set )
        return;

    if ( strata_set->selection[number] )
        channel->retired_selection = strata_set->selection[number];
    fill(strata_set, number, NULL);
    if ( is_last(channel) )
    {
        strata_set_start(channel, false);
        channel->retired_set = publish(NULL);
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
