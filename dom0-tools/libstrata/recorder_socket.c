// SPDX-License-Identifier: MIT
/* recorder_socket.c - see recorder_socket.h; called by attach.c. */
#include "libstrata/recorder_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/known_name.h>
#include <strata/own_fd.h>

#define OVERFLOW_UID_PATH    "/proc/sys/kernel/overflowuid"
#define OVERFLOW_UID_DEFAULT 65534

/* The path that the environment named when the library began; NULL: none.  A program may change its
 * environment while our threads run. */
static const char *named_path;

/* The user's home, likewise. */
static const char *home;

/* The name of sockets, in root's directory as in a user's. */
static const char *socket_name(void)
{
	return strrchr(STRATA_APP_SOCKET, '/');
}

static bool find_more_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct of[_LINUX_CAPABILITY_U32S_3];

	return getauxval(AT_SECURE) || syscall(SYS_capget, &header, of) || of[0].permitted ||
	       of[1].permitted;
}

/* Whether this process may have a right that its user lacks: a service may have capabilities
 * without being set-user-ID (ambient ones), for which the kernel forbids its user to attach a
 * debugger.  The library asks when it is loaded: later, a filter of system calls may forbid that.
 * Whoever has no such right then gets one only by another program. */
static bool has_more_rights(void)
{
	static atomic_int known; /* 1: no, 2: yes.  It has no pair: all find the same. */
	int more = atomic_load_explicit(&known, memory_order_relaxed);

	if (!more) {
		more = find_more_rights() ? 2 : 1;
		atomic_store_explicit(&known, more, memory_order_relaxed);
	}
	return more == 2;
}

/* A program that runs with another user's rights is not its user's to trace. */
enum recorder_user_dir recorder_user_dir(char *path, size_t bytes)
{
	const uid_t user = geteuid();
	char runtime[32];
	bool has_runtime;

	if (named_path || user == 0 || user != getuid() || has_more_rights())
		return RECORDER_NO_USER_DIR;
	/* It is made when the user logs in, which may be after this program began. */
	snprintf(runtime, sizeof(runtime), "/run/user/%u", user);
	has_runtime = strata_is_known(runtime);
	if (!strata_app_user_dir(path, bytes, has_runtime ? runtime : NULL, home))
		return RECORDER_NO_USER_DIR;
	return has_runtime ? RECORDER_RUNTIME_DIR : RECORDER_HOME_DIR;
}

/* Only the user and root may put names into it, or, in a @sticky one, move the user's. */
static bool is_own(const struct stat *status, mode_t sticky)
{
	return S_ISDIR(status->st_mode) && (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       (!(status->st_mode & (S_IWGRP | S_IWOTH)) || status->st_mode & sticky);
}

bool recorder_user_dir_is_own(const char *path)
{
	char parent[RECORDER_USER_PATH_BYTES];
	struct stat above, status;

	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(path, '/') - path), path);
	/* The home is looked up as any program does. */
	return !stat(parent, &above) && is_own(&above, S_ISVTX) &&
	       !strata_known_stat(path, AT_SYMLINK_NOFOLLOW, &status) && is_own(&status, 0);
}

/* Writes the path of the socket of the user's recorder 0.  False: the user has no such directory.
 */
static bool user_path(char *path, size_t bytes)
{
	if (recorder_user_dir(path, bytes) == RECORDER_NO_USER_DIR ||
	    strlen(path) + strlen(socket_name()) >= bytes || !recorder_user_dir_is_own(path))
		return false;
	strcat(path, socket_name());
	return true;
}

/* False: that recorder can have no socket. */
static bool socket_address(uint32_t recorder, struct sockaddr_un *address)
{
	char path[sizeof(address->sun_path)];
	const char *first = named_path ? named_path : STRATA_APP_SOCKET;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if (recorder_is_of_user(recorder)) {
		if (!user_path(path, sizeof(path)))
			return false;
		first = path;
	}
	return strata_app_socket_name(address->sun_path, sizeof(address->sun_path), first,
				      recorder % STRATA_APP_CHANNELS);
}

/* The uid that represents each user that this user namespace does not map. */
static uid_t overflow_uid = OVERFLOW_UID_DEFAULT;

void recorder_prepare(void)
{
	static bool known;
	const char *path = secure_getenv(STRATA_APP_SOCKET_VARIABLE);
	char text[16] = "";
	int fd;

	if (known)
		return;
	known = true;
	named_path = path ? strdup(path) : NULL;
	path = secure_getenv("HOME");
	home = path ? strdup(path) : NULL;
	fd = open(OVERFLOW_UID_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0)
		overflow_uid = (uid_t)strtoul(text, NULL, 10);
	close(fd);
}

/*
 * Whether the peer may trace this process.  A recorder gives us rings, so it can have us write
 * anywhere.  Allowed are root, and the user that may attach a debugger to us: our own.  The
 * overflow uid may be any user, even if it seems to be our own.
 */
static bool may_trace_us(int socket)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) || peer.uid == overflow_uid)
		return false;
	/* The conditions of ptrace(). */
	return peer.uid == 0 ||
	       (peer.uid == geteuid() && peer.gid == getegid() && peer.gid == getgid() &&
		!has_more_rights() && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
}

bool recorder_is_root(int socket)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == 0 &&
	       overflow_uid != 0;
}

bool recorder_is_there(uint32_t recorder)
{
	struct sockaddr_un address;

	return socket_address(recorder, &address) && strata_is_known(address.sun_path);
}

int recorder_socket(void)
{
	return strata_own_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

int recorder_connect(int socket, uint32_t recorder, uint32_t wait_ms)
{
	/* A recorder that does not read must not block the process for ever; to the kernel, 0 means
	 * for ever. */
	const struct timeval limit = { .tv_sec = wait_ms / 1000,
				       .tv_usec = wait_ms ? wait_ms % 1000 * 1000 : 1 };
	struct sockaddr_un address;
	int result;

	if (!socket_address(recorder, &address)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	do
		result = connect(socket, (struct sockaddr *)&address, sizeof(address));
	while (result && errno == EINTR);
	if (!result && !may_trace_us(socket)) {
		errno = EACCES;
		result = -1;
	}
	return result;
}
