/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channels.h - the memory of each channel: rings, and the pages that share them with
 * domain 0.
 *
 * Channel 0 is there while the module is loaded; its memory holds the event table, which
 * the others share, too.  Control creates and destroys the others.  None of these
 * functions touches the memory of another channel, except to list the event table.
 */
#ifndef STRATA_KMOD_CHANNELS_H
#define STRATA_KMOD_CHANNELS_H

#include <linux/types.h>

#include "grants.h"

/*
 * Makes and grants a channel's memory, channel 0's first.
 * @geo: of its rings; with fewer sub-buffers on return where references are too few
 * @nonce: goes into the root page
 * Returns 0, or a negative error after a message; then nothing is left.
 * One caller at a time; may sleep.
 */
int strata_channel_share(unsigned int channel, struct strata_ring_geometry *geo, u64 nonce);

/* The same for tables to count in, in a channel other than 0. */
int strata_channel_share_aggregate(unsigned int channel, const struct strata_aggregate_spec *spec,
				   u64 nonce);

/* Whether a channel has memory. */
bool strata_channel_shared(unsigned int channel);

/* The root page of a channel that has memory, and its reference. */
struct strata_guest_root *strata_channel_root(unsigned int channel);
grant_ref_t strata_channel_root_ref(unsigned int channel);

/* Undoes strata_channel_share(), channel 0's last.  No probe writes to the channel.  May sleep. */
void strata_channel_unshare(unsigned int channel);

/* Grants channel 0's pages again after a restore.  Any context. */
void strata_channels_renew(void);

/* Ends the grants of all channels' pages that domain 0 may write, where it does not map them.
 * Returns how many are left.  May sleep. */
u32 strata_channels_end_writable(void);

#endif /* STRATA_KMOD_CHANNELS_H */
