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

/*
 * Announces the rings: all nodes of strata/abi/guest.h appear at once, with state
 * "idle", and the nodes of an earlier load are gone.  Returns 0 or a negative error
 * after a message.  May sleep.
 */
int strata_publish(grant_ref_t root_ref, evtchn_port_t port, u64 nonce);

/* Writes state "@word @seq".  A failure only gets a message.  May sleep. */
void strata_publish_state(const char *word, u64 seq);

/* What domain 0 wrote to ctl, to be freed with kfree(); or an error pointer.  May sleep. */
char *strata_publish_read_ctl(void);

/* Removes all nodes.  May sleep. */
void strata_unpublish(void);

#endif /* STRATA_KMOD_PUBLISH_H */
