// SPDX-License-Identifier: GPL-2.0-or-later
/* peer.c - see peer.h; called by app.c and peer_look.c. */
#include "consumerd/host/peer.h"

#include "consumerd/host/own_proc.h"
#include "consumerd/host/proc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 6.5; older headers lack it. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define OVERFLOW_UID_DEFAULT 65534u

static struct {
	bool known;
	uint32_t uid;
	bool is_a_user; /* our user namespace maps every user */
} overflow;

void peer_prepare(void)
{
	unsigned long inside, outside, nr;
	char text[128];

	if (overflow.known)
		return;
	proc_text_at("sys/kernel/overflowuid", text, sizeof(text));
	overflow.uid = text[0] ? (uint32_t)strtoul(text, NULL, 10) : OVERFLOW_UID_DEFAULT;
	proc_text_at("self/uid_map", text, sizeof(text));
	overflow.is_a_user = sscanf(text, "%lu %lu %lu", &inside, &outside, &nr) == 3 && !inside &&
			     !outside && nr == UINT32_MAX;
	overflow.known = true;
}

/*
 * Returns whether a uid is the overflow uid, which stands for all users that our user namespace
 * does not map.  Where it maps every user, as outside of containers, that uid is an ordinary user.
 */
static bool is_overflow(uint32_t uid)
{
	peer_prepare();
	return !overflow.is_a_user && uid == overflow.uid;
}

/* A descriptor of the process itself, which survives the reuse of its pid; -1: the process has
 * ended, or (@known false) the kernel is older than 6.5 and has no such descriptors. */
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
static void find_starter(struct peer *peer, const struct peer_names *names)
{
	peer->starter = peer->uid;
	if (!names->has_users)
		return;
	peer->changed = peer->uid && names->effective != peer->uid;
	if (names->real && !peer->changed)
		peer->starter = names->real;
}

void peer_read_names(int32_t pid, int32_t ancestor, struct peer_names *names)
{
	char path[64], link[400];
	struct proc_uids uids;

	memset(names, 0, sizeof(*names));
	proc_text_read(pid, "comm", names->comm, sizeof(names->comm));
	names->comm[strcspn(names->comm, "\n")] = '\0';
	snprintf(path, sizeof(path), "%d/exe", pid);
	own_proc_link(path, link, sizeof(link));
	snprintf(names->program, sizeof(names->program), "%.79s",
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	names->has_users = proc_text_uids(pid, &uids);
	names->real = names->has_users ? uids.real : 0;
	names->effective = names->has_users ? uids.effective : 0;
	names->descends = ancestor && proc_text_descends(pid, ancestor);
}

static int read_credentials(int socket, struct ucred *credentials, struct strata_error *error)
{
	socklen_t bytes = sizeof(*credentials);

	if (!getsockopt(socket, SOL_SOCKET, SO_PEERCRED, credentials, &bytes) &&
	    credentials->pid > 0)
		return 0;
	return strata_fail(error, "its process is unknown: it is in another PID namespace");
}

int peer_process(int socket, int32_t *pid, uint32_t *uid, struct strata_error *error)
{
	struct ucred credentials;

	if (read_credentials(socket, &credentials, error))
		return -1;
	*pid = credentials.pid;
	*uid = credentials.uid;
	return 0;
}

bool peer_has_ended(int socket, int *process)
{
	struct ucred credentials;
	struct strata_error ignored;
	bool known = true;

	if (*process < 0)
		*process = open_process(socket, &known);
	/* The next process of that pid may be meant before Linux 6.5. */
	if (!known && !read_credentials(socket, &credentials, &ignored)) {
		*process = (int)syscall(SYS_pidfd_open, credentials.pid, 0);
		known = *process >= 0 || errno == ESRCH;
	}
	return known && has_ended(*process);
}

int peer_identify(int socket, const struct peer_names *names, struct peer *peer,
		  struct strata_error *error)
{
	struct ucred credentials;
	bool known;

	memset(peer, 0, sizeof(*peer));
	peer->process = -1;
	if (read_credentials(socket, &credentials, error))
		return -1;
	if (is_overflow(credentials.uid))
		return strata_fail(
			error,
			"process %d: its user is not mapped into the recorder's user namespace",
			credentials.pid);
	peer->pid = credentials.pid;
	peer->uid = credentials.uid;
	/* Only what was read while it lived belongs to it, and not to the next process of that pid.
	 * Before Linux 6.5 this cannot be checked. */
	peer->process = open_process(socket, &known);
	peer->starter = peer->uid;
	peer->ended = known && has_ended(peer->process);
	if (!peer->ended) {
		memcpy(peer->comm, names->comm, sizeof(peer->comm));
		memcpy(peer->program, names->program, sizeof(peer->program));
		peer->descends = names->descends;
		find_starter(peer, names);
	}
	return 0;
}
