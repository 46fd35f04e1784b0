/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publish.h - this kernel's nodes in xenstore, under data/strata.
 */
#ifndef STRATA_KMOD_PUBLISH_H
#define STRATA_KMOD_PUBLISH_H

#include <linux/types.h>
#include <xen/grant_table.h>
#include <xen/interface/event_channel.h>

/* Whether xenstore is available. In domain 0 it may start late, and everything here would wait for
 * it. */
bool strata_publish_possible(void);

/* The directory of a channel's nodes. */
#define STRATA_PUBLISH_DIR_BYTES sizeof(STRATA_GUEST_XENSTORE_DIR "/0")
void strata_publish_dir(unsigned int channel, char *dir);

/*
 * Announces the rings of a channel.  Of channel 0 all nodes of strata/abi/guest.h appear at
 * once, with state "idle", and the nodes of an earlier load, of all channels, are gone; of
 * another, all but the version.  Returns 0 or a negative error after a message.  May
 * sleep.
 */
int strata_publish(unsigned int channel, grant_ref_t root_ref, evtchn_port_t port, u64 nonce);

/* Withdraws the rings of another channel than 0; its state stays.  A failure only gets a message.
 * May sleep. */
void strata_unpublish_channel(unsigned int channel);

/* Writes a channel's state "@word @seq".  A failure only gets a message.  May sleep. */
void strata_publish_state(unsigned int channel, const char *word, u64 seq);

/* Writes why a command is refused; "": for no reason that is known better here.  As above. */
void strata_publish_reason(unsigned int channel, const char *reason);

/* What domain 0 wrote to a channel's ctl, to be freed with kfree(); or an error pointer.  May
 * sleep. */
char *strata_publish_read_ctl(unsigned int channel);

/* Removes all nodes, of all channels.  May sleep. */
void strata_unpublish(void);

#endif /* STRATA_KMOD_PUBLISH_H */
