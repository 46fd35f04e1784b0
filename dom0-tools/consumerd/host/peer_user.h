/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_user.h - whether the process at the other end of a socket may be trusted: daemons ask it of
 * clients, and clients of daemons. */
#ifndef STRATA_CONSUMERD_PEER_USER_H
#define STRATA_CONSUMERD_PEER_USER_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether the process that connected, or that listened when we connected, was root's or our own
 * effective user's then.  False, too, if the kernel does not say.  @socket: AF_UNIX, connected */
bool peer_is_ours(int socket);

/*
 * Whether the process that connected was of this group then, by its effective group or by a
 * supplementary one, as the kernel reports them.
 * @user: OUT, its effective user.  False, too, if it is a user that our namespace does not map,
 *        because the kernel reports all of those as one.
 */
bool peer_is_in_group(int socket, gid_t group, uid_t *user);

#endif /* STRATA_CONSUMERD_PEER_USER_H */
