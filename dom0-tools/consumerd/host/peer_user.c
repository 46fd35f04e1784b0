// SPDX-License-Identifier: GPL-2.0-or-later
/* peer_user.c - see peer_user.h; the control library has it, too. */
#include "consumerd/host/peer_user.h"

#include <sys/socket.h>
#include <unistd.h>

bool peer_is_ours(int socket)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) &&
	       (peer.uid == 0 || peer.uid == geteuid());
}
