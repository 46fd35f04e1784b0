// SPDX-License-Identifier: GPL-2.0-or-later
/* peer_user.c - see peer_user.h; the control library has it, too. */
#include "consumerd/host/peer_user.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

bool peer_is_ours(int socket)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

/* As what the kernel reports users and groups that our namespace does not map. */
#define UNMAPPED_ID 65534u

/* Whether one of the supplementary groups is this one. */
static bool has_supplementary(int socket, gid_t group)
{
	socklen_t bytes = 0, i;
	gid_t *groups;
	bool has = false;

	/* Fails, and tells how many there are. */
	getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, NULL, &bytes);
	groups = bytes ? malloc(bytes) : NULL;
	if (groups && !getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes))
		for (i = 0; i < bytes / sizeof(*groups); i++)
			has |= groups[i] == group;
	free(groups);
	return has;
}

bool peer_is_in_group(int socket, gid_t group, uid_t *user)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	if (group == UNMAPPED_ID || getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) ||
	    peer.uid == (uid_t)-1 || peer.uid == UNMAPPED_ID)
		return false;
	*user = peer.uid;
	return !peer.uid || peer.gid == group || has_supplementary(socket, group);
}
