/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assembled.h - records events whose fields are filtered, or whose records have contexts
 * (contexts.h): a probe assembles the payload in memory of its CPU before it reserves, and what
 * passes is copied to the rings, behind its contexts.
 *
 *	channels = strata_event_channels(event);
 *	if (!strata_probe_enter(channels))
 *		return;
 *	ticks = strata_clock();
 *	if (unlikely(strata_channels_ask(channels))) {
 *		payload = strata_assembled_begin(bytes);
 *		if (payload)
 *			... fill in all of it ...
 *		strata_assembled_record(event, channels, payload, bytes, ticks);
 *	} else { ... as record.h says ... }
 *	strata_probe_exit();
 *
 * Each probe that nests in another has memory of its own.
 */
#ifndef STRATA_KMOD_ASSEMBLED_H
#define STRATA_KMOD_ASSEMBLED_H

#include <linux/types.h>

#include "events.h"

/* Makes the memory of all CPUs, unless it exists; it stays until strata_assembled_clear().  0 or
 * -ENOMEM.  May sleep. */
int strata_assembled_prepare(void);

/* Frees it.  No probe runs any more. */
void strata_assembled_clear(void);

/* Memory for a payload of @bytes, at a multiple of 4; NULL: it is too long for any record. */
void *strata_assembled_begin(u32 bytes);

/*
 * Records an event, with the contexts of the channel, in each of its channels whose field filter
 * lets it pass, or counts it there.
 * @channels: of strata_event_channels()
 * @payload: NULL: it is too long; then no filter can tell, and it is lost
 */
void strata_assembled_record(const struct strata_event *event, unsigned long channels,
			     const void *payload, u32 bytes, u64 ticks);

#endif /* STRATA_KMOD_ASSEMBLED_H */
