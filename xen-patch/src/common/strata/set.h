/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * set.h - what a probe needs to know of all channels: which events, by whom,
 * and how many of them each takes.
 *
 * A probe reads strata_set once, after it has been counted and before it ends.
 * A selection that changes makes a new set, and the old one is freed after a
 * grace period.  Two things change in a set that is in use: `started`, by which
 * a channel starts and stops with one store, and what is said of a channel that
 * is being destroyed: its events go one by one.
 */

#ifndef __COMMON_STRATA_SET_H__
#define __COMMON_STRATA_SET_H__

#include <xen/bitops.h>
#include <xen/sched.h>
#include <xen/strata_trace.h>
#include <xen/trace.h>

#include <strata/abi/hypervisor.h>

#include "selection.h"

/*
 * In the word of an event: channels that take it while a vCPU runs that they
 * select; and, shifted by this, those that take it whoever runs, without a
 * budget.  No channel is in both.
 */
#define STRATA_ANY_RUNNER_SHIFT STRATA_HV_CHANNELS

#define STRATA_ALL_CHANNELS ((1u << STRATA_HV_CHANNELS) - 1)

/* What a vCPU keeps for the words of events, below the generation. */
#define STRATA_RUNNER_BITS (2 * STRATA_HV_CHANNELS)

struct strata_set {
    /*
     * Above the bits of a runner; other than that of every earlier set, and
     * than this one's before `started` changed.
     */
    unsigned long generation;
    unsigned int started;                /* channels */
    uint32_t tokens[STRATA_HV_CHANNELS]; /* in a budget's window; 0: no bound */
    const struct strata_selection *selection[STRATA_HV_CHANNELS]; /* or NULL */
    /* By strata_event_index().  Those without a class nobody takes. */
    uint16_t events[(STRATA_CLASSES + 1) * STRATA_CLASS_EVENTS];
};

/* NULL: there is no channel. */
extern struct strata_set *strata_set;

/* What a record says of the vCPU that runs: struct strata_hv_context. */
static inline uint32_t strata_context(const struct vcpu *v)
{
    return v->domain->domain_id | (uint32_t)v->vcpu_id << 16;
}

/*
 * What the running vCPU keeps for this set, to be masked with an event's word:
 * the started channels that select it, and, shifted, all started channels.  It
 * keeps them with the generation of the set that said so.
 */
static always_inline unsigned long strata_runner(const struct strata_set *set,
                                                 const struct vcpu *v)
{
    return ACCESS_ONCE(v->strata.runner) ^ set->generation;
}

/* Whether @v kept that for another set, or before a channel started or stopped. */
static always_inline bool strata_runner_unknown(unsigned long runner)
{
    return runner > (1UL << STRATA_RUNNER_BITS) - 1;
}

/* Finds it, and lets @v, the running vCPU, keep it. */
unsigned long strata_find_runner(const struct strata_set *set, struct vcpu *v);

/* Who takes an event while @v runs: bits as in the event's word. */
static inline unsigned int strata_takers(const struct strata_set *set,
                                         unsigned int index, struct vcpu *v)
{
    unsigned long runner = strata_runner(set, v);

    if ( strata_runner_unknown(runner) )
        runner = strata_find_runner(set, v);

    return runner & set->events[index];
}

static inline unsigned int strata_takers_channels(unsigned int takers)
{
    return (takers | (takers >> STRATA_ANY_RUNNER_SHIFT)) & STRATA_ALL_CHANNELS;
}

/* The channels that take the change by which a vCPU begins to run, whoever runs. */
static inline unsigned int
strata_runstate_channels(const struct strata_set *set)
{
    uint32_t event = TRC_SCHED_RUNSTATE_CHANGE | (RUNSTATE_runnable << 8) |
                     (RUNSTATE_running << 4);

    return strata_takers_channels(set->events[strata_event_index(event)]);
}

/*
 * The functions below are called under the sysctl lock.
 *
 * Makes an empty set, unless there is one.  0 or -ENOMEM.
 */
int strata_set_make(void);

/*
 * Puts the channel's draft into effect.  0, -ENOMEM, or -ENOENT: there is no
 * set, because the last channel is being destroyed.  On 0, the caller calls
 * strata_set_free_retired() after a grace period, and before it changes the set
 * for this channel again.
 */
int strata_set_change(struct strata_channel *channel, uint32_t budget_per_s);
void strata_set_free_retired(struct strata_channel *channel);

/* Opens or shuts the channel's gate; the grace period is the caller's. */
void strata_set_start(const struct strata_channel *channel, bool start);

/*
 * Forgets the channel's selection and draft; with the last channel, shuts its
 * gate and takes the set from probes.  May be called again.  After a grace
 * period, the caller calls strata_set_free_retired().
 */
void strata_set_forget(struct strata_channel *channel);

#endif /* __COMMON_STRATA_SET_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
