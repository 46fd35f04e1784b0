/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aggregate.h - channels that count events instead of recording them: tables in pages that domain 0
 * may map, one for each CPU.
 *
 * The gate never says of such a channel that it has no filter, so every probe asks
 * strata_filter_channels(), which counts, and says that the channel does not record.
 */
#ifndef STRATA_KMOD_AGGREGATE_H
#define STRATA_KMOD_AGGREGATE_H

#include <strata/abi/guest.h>

#include "events.h"
#include "grants.h"

/* Of each channel: it counts.  NULL: it records, or does not exist. */
extern struct strata_kernel_aggregate *strata_aggregates[STRATA_GUEST_CHANNELS_MAX];

/*
 * Adds the tables' pages to @grants.  Returns 0, or -ENOSPC (no references left), or a negative
 * error after a message; then only @grants keeps what it has.  One caller at a time; may sleep.
 */
int strata_aggregate_create(unsigned int channel, struct strata_grants *grants,
			    const struct strata_aggregate_spec *spec);

/* Undoes it, except for the pages.  No probe counts in the channel, as the caller has waited for.
 * A channel that does not count is fine. */
void strata_aggregate_destroy(unsigned int channel);

/* The channel starts: begins of before are forgotten. */
void strata_aggregate_starts(unsigned int channel);

/* Counts an event.  In a probe. */
void strata_aggregate_hit(struct strata_kernel_aggregate *aggregate,
			  const struct strata_event *event);

/* Counts @nr events that came before a probe could see them. */
void strata_aggregate_missed(unsigned int channel, unsigned long nr);

#endif /* STRATA_KMOD_AGGREGATE_H */
