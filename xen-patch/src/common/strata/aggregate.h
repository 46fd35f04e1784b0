/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aggregate.h - channels that count events instead of recording them.
 */

#ifndef __COMMON_STRATA_AGGREGATE_H__
#define __COMMON_STRATA_AGGREGATE_H__

#include <xen/types.h>

struct strata_channel;

/*
 * A channel that was started has no ring on this CPU: counts the event, if the
 * channel aggregates; else, as one that is not recorded for lack of memory.
 * @id:    of the record that it does not get
 * @ticks: the clock, read in this probe
 * In a probe.  Any context.
 */
void strata_without_ring(unsigned int channel, uint32_t id, uint64_t ticks);

/* The same for an event of a probe that nests too deep to be recorded. */
void strata_nested_without_ring(unsigned int channel);

/*
 * The gate of an aggregating channel is about to open.  Under the sysctl lock.
 */
void strata_aggregate_starts(const struct strata_channel *channel);

/*
 * Frees the channel's tables, if it has any.  No probe can reach them.  0, or
 * -ERESTART: call it again.  Under the sysctl lock.
 */
int strata_free_aggregate(struct strata_channel *channel);

#endif /* __COMMON_STRATA_AGGREGATE_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
