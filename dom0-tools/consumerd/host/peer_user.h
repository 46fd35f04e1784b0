/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_user.h - whether the process at the other end of a socket may be trusted: daemons ask it of
 * clients, and clients of daemons. */
#ifndef STRATA_CONSUMERD_PEER_USER_H
#define STRATA_CONSUMERD_PEER_USER_H

#include <stdbool.h>

/* Whether the process that connected, or that listened when we connected, was root's or our own
 * effective user's then.  False, too, if the kernel does not say.  @socket: AF_UNIX, connected */
bool peer_is_ours(int socket);

#endif /* STRATA_CONSUMERD_PEER_USER_H */
