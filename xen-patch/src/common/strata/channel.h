/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channel.h - the channels: each has rings, a selection, a period and an owner
 * of its own, and one reader.  Changed under the sysctl lock only; what probes
 * need of them is in set.h.
 */

#ifndef __COMMON_STRATA_CHANNEL_H__
#define __COMMON_STRATA_CHANNEL_H__

#include <xen/spinlock.h>
#include <xen/time.h>

#include <public/event_channel.h>

#include <strata/abi/hypervisor.h>
#include <strata/ring_state.h>

struct strata_aggregate_tables;
struct strata_cpu_ring;
struct strata_selection;
struct strata_set;

/* Progress of START or FLUSH with the state records; see gate.c. */
struct strata_walk {
    enum { WALK_IDLE, WALK_BUDGETS, WALK_SKEW, WALK_DOMAINS } stage;
    unsigned int domain, vcpu; /* the next ones */
};

struct strata_channel {
    /* rings.c */
    struct strata_ring_geometry geometry;
    uint32_t flags;                    /* as QUERY answers */
    char owner[STRATA_HV_OWNER_BYTES]; /* empty: no rings exist, nor tables */
    int undoing;                       /* the error half way, or 0 */
    struct strata_cpu_ring *building;  /* the ring of the CPU that is next */
    struct strata_cpu_ring *freeing;   /* not in strata_cpus[], not freed */
    /*
     * Every present CPU has its ring, and an added one gets it if Xen has the
     * memory; or the channel counts, and has all tables.  Changes with the CPU
     * maps held, too; either lock suffices to read it.
     */
    bool complete;
    /* Counts events of CPUs without a ring: Xen had no memory when they were
     * added. */
    unsigned long unringed;

    struct strata_walk walk; /* gate.c */
    struct strata_selection *draft; /* selection.c */
    /* set.c: no longer found by probes, freed after a grace period; or NULL. */
    const struct strata_selection *retired_selection;
    struct strata_set *retired_set;
    /* set.c: the bound that records of refusals name, until the next SELECT. */
    uint32_t budget_per_s;

    /* handover.c: how often a CPU that is awake hands over; 0: never. */
    s_time_t switch_period;

    /* notify.c: the port that wakes the reader; 0: none. */
    spinlock_t port_lock;
    evtchn_port_t port;
    bool delivered; /* since the reader was woken last */
};

extern struct strata_channel strata_channels[STRATA_HV_CHANNELS];

static inline unsigned int strata_channel_number(
    const struct strata_channel *channel)
{
    return channel - strata_channels;
}

/* aggregate.c: by channel, NULL: it does not count, but records.  Apart, since
 * probes look here. */
extern struct strata_aggregate_tables *strata_tables[STRATA_HV_CHANNELS];

static inline struct strata_aggregate_tables *strata_tables_of(
    const struct strata_channel *channel)
{
    return strata_tables[strata_channel_number(channel)];
}

/* Whether probes write into the channel. */
bool strata_channel_started(const struct strata_channel *channel);

/* notify.c: makes, frees and describes the port.  0 or a negative error. */
int strata_port_make(struct strata_channel *channel);
void strata_port_free(struct strata_channel *channel);

#endif /* __COMMON_STRATA_CHANNEL_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
