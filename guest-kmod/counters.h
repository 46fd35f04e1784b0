/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters.h - counts events of processor and kernel on each CPU by Linux's performance counters
 * (strata/abi/guest_context.h), for the records of channels.
 *
 * Each channel has a table of counters, which its root page shows.  Counters begin and end in the
 * thread that obeys commands.
 */
#ifndef STRATA_KMOD_COUNTERS_H
#define STRATA_KMOD_COUNTERS_H

#include <linux/types.h>

#include <strata/abi/guest.h>

/* Empties the table of a channel that begins.  @root: its root page; the table is written there. */
void strata_counters_open(unsigned int channel, struct strata_guest_root *root);

/* Ends all counters of a channel that ends.  No probe writes to it.  May sleep. */
void strata_counters_close(unsigned int channel);

/*
 * Begins to count on each CPU that is online, and on others when they come online.  A counter that
 * the channel has is found again.
 * Returns 0; -EINVAL: it is of no type that counts here; -ENOENT: this kernel, or its processor,
 * has no such counter; -EBUSY: others use the counters of the processor, or -ENOSPC: the table is
 * full; or another error.  May sleep.
 */
int strata_counters_add(unsigned int channel, u32 type, u64 config);

/* Begins those of the set that have ended.  0; -EINVAL: an entry is free; or another error, as
 * above, and those that began stay.  May sleep. */
int strata_counters_resume(unsigned int channel, u32 contexts);

/* Ends all that are not in the set; their entries of the table stay.  No probe writes records with
 * them.  May sleep. */
void strata_counters_keep(unsigned int channel, u32 contexts);

/*
 * Reads a counter of this CPU: what it counted since it began, or STRATA_COUNTER_NO_VALUE.  The
 * values that a CPU reads one after the other never decrease.  A probe that interrupts the reading
 * of another one gets the count up to the reading before.
 *
 * In a probe, in any context, preemption off: it takes no lock, and does not sleep.
 */
u64 strata_counter_read(unsigned int channel, unsigned int number);

#endif /* STRATA_KMOD_COUNTERS_H */
