// SPDX-License-Identifier: GPL-2.0-or-later
/* peer.c - see peer.h; called by app.c. */
#include "consumerd/host/peer.h"

#include "consumerd/host/proc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Linux 6.5; older headers lack it. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define OVERFLOW_UID_DEFAULT 65534u

/*
 * Returns whether a uid is the overflow uid, which stands for all users that our user namespace
 * does not map.  Where it maps every user, as outside of containers, that uid is an ordinary user.
 */
static bool is_overflow(uint32_t uid)
{
	unsigned long inside, outside, nr;
	char text[128];

	proc_text_at("/proc/sys/kernel/overflowuid", text, sizeof(text));
	if (uid != (text[0] ? (uint32_t)strtoul(text, NULL, 10) : OVERFLOW_UID_DEFAULT))
		return false;
	proc_text_at("/proc/self/uid_map", text, sizeof(text));
	return sscanf(text, "%lu %lu %lu", &inside, &outside, &nr) != 3 || inside || outside ||
	       nr != UINT32_MAX;
}

/* A descriptor of the process itself, whatever its number becomes; -1: the process is gone, or
 * (@known false) the kernel is older than 6.5 and has no such thing. */
static int open_process(int socket, bool *known)
{
	socklen_t bytes = sizeof(int);
	int fd = -1;

	*known = true;
	if (!getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &bytes))
		return fd;
	*known = errno != ENOPROTOOPT;
	return -1;
}

/* A process's descriptor is readable when it has ended. */
static bool has_ended(int process)
{
	struct pollfd ended = { .fd = process, .events = POLLIN };

	return process < 0 || poll(&ended, 1, 0) != 0;
}

/*
 * A process with the rights of another user that is not root's own was started by its real user.
 * That holds while it has the rights with which it connected: if it has others, the one who
 * connected may have executed a set-user-ID program, and the real user may be that program's owner.
 */
static void read_starter(struct peer *peer)
{
	struct proc_uids uids;

	peer->starter = peer->uid;
	if (!proc_text_uids(peer->pid, &uids))
		return;
	peer->changed = peer->uid && uids.effective != peer->uid;
	if (uids.real && !peer->changed)
		peer->starter = uids.real;
}

static void read_names(struct peer *peer)
{
	char path[64], link[400];
	ssize_t length;

	proc_text_read(peer->pid, "comm", peer->comm, sizeof(peer->comm));
	peer->comm[strcspn(peer->comm, "\n")] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/exe", peer->pid);
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	snprintf(peer->program, sizeof(peer->program), "%.79s",
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
}

static int read_credentials(int socket, struct ucred *credentials, struct strata_error *error)
{
	socklen_t bytes = sizeof(*credentials);

	if (!getsockopt(socket, SOL_SOCKET, SO_PEERCRED, credentials, &bytes) &&
	    credentials->pid > 0)
		return 0;
	return strata_fail(error, "its process is unknown: it is in another PID namespace");
}

int peer_user(int socket, uint32_t *uid, struct strata_error *error)
{
	struct ucred credentials;

	if (read_credentials(socket, &credentials, error))
		return -1;
	*uid = credentials.uid;
	return 0;
}

int peer_identify(int socket, struct peer *peer, struct strata_error *error)
{
	struct ucred credentials;
	bool known;
	int process;

	memset(peer, 0, sizeof(*peer));
	if (read_credentials(socket, &credentials, error))
		return -1;
	if (is_overflow(credentials.uid))
		return strata_fail(
			error,
			"process %d: its user is not mapped into the recorder's user namespace",
			credentials.pid);
	peer->pid = credentials.pid;
	peer->uid = credentials.uid;
	process = open_process(socket, &known);
	read_names(peer);
	read_starter(peer);
	/* Only what was read while it was there is of it, and not of the next of that number.
	 * Before Linux 6.5 nobody can know. */
	if (known && has_ended(process)) {
		peer->comm[0] = peer->program[0] = '\0';
		peer->starter = peer->uid;
		peer->ended = true;
	}
	if (process >= 0)
		close(process);
	return 0;
}
