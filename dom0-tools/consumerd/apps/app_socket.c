// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * app_socket.c - see app_socket.h.
 *
 * The directory of a named socket may belong to a user, who can rename it and put links into it. So
 * everything is done relative to its descriptor (files/safe_dir.h).
 */
#include "consumerd/apps/app_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "consumerd/host/hang_up.h"
#include "consumerd/host/run_dir.h"
#include "consumerd/host/socket_bind.h"
#include "files/safe_dir.h"

/* In the run directory; the last part of STRATA_APP_SOCKET, before the recorder's number. */
#define SOCKET_NAME "apps.sock"

/* Programs have to name it, too. */
#define SOCKET_PATH_BYTES sizeof(((struct sockaddr_un *)NULL)->sun_path)

/* Any user's programs may connect.  They need no right to read for that, and with it they could
 * watch the socket. */
#define SOCKET_MODE 0222

/* Programs that may wait to be accepted; one more waits in its connect(). */
#define BACKLOG 1024

/* The path that the environment names, for a recorder.  NULL: none, or a path too long for a
 * socket, which @error tells. */
static const char *named_path(unsigned int recorder, char path[SOCKET_PATH_BYTES],
			      struct strata_error *error)
{
	const char *first = secure_getenv(STRATA_APP_SOCKET_VARIABLE);

	if (!first)
		return NULL;
	if (strata_app_socket_name(path, SOCKET_PATH_BYTES, first, recorder))
		return path;
	strata_fail(error, "%s: the path is too long for a socket", first);
	return NULL;
}

/* Removes the socket of a recorder that was killed.  Anything else stays, and bind() fails then. */
static void remove_socket(const struct strata_dir *dir, const char *name)
{
	struct stat status;

	if (!fstatat(dir->fd, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(status.st_mode))
		unlinkat(dir->fd, name, 0);
}

static int bind_named(int fd, const char *path, struct strata_error *error)
{
	char name[STRATA_DIR_NAME_BYTES], place[STRATA_DIR_NAME_BYTES + 32];
	struct strata_dir dir;
	int result;

	if (strata_dir_walk_beside(&dir, path, name, error))
		return strata_fail_in(error, STRATA_APP_SOCKET_VARIABLE);
	remove_socket(&dir, name);
	snprintf(place, sizeof(place), "/proc/self/fd/%d/%s", dir.fd, name);
	result = socket_bind(fd, place, SOCKET_MODE);
	if (result)
		strata_fail(error, "%s: %s; name another path in the environment variable %s", path,
			    strerror(errno), STRATA_APP_SOCKET_VARIABLE);
	strata_dir_close(&dir);
	return result;
}

static void remove_named(const char *path)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_error ignored;
	struct strata_dir dir;

	if (strata_dir_walk_beside(&dir, path, name, &ignored))
		return;
	remove_socket(&dir, name);
	strata_dir_close(&dir);
}

int app_socket_open(unsigned int recorder, struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char name[SOCKET_PATH_BYTES], path[SOCKET_PATH_BYTES];
	bool bound;

	if (fd < 0)
		return strata_fail(error, "no socket for applications: %s", strerror(errno));
	if (secure_getenv(STRATA_APP_SOCKET_VARIABLE))
		bound = named_path(recorder, path, error) && !bind_named(fd, path, error);
	else
		bound = strata_app_socket_name(name, sizeof(name), SOCKET_NAME, recorder) &&
			!run_dir_bind(fd, name, SOCKET_MODE, error);
	if (bound) {
		if (!listen(fd, BACKLOG))
			return fd;
		strata_fail(error, "no socket for applications: %s", strerror(errno));
	}
	close(fd);
	return -1;
}

void app_socket_close(int fd, unsigned int recorder)
{
	char name[SOCKET_PATH_BYTES], path[SOCKET_PATH_BYTES];
	struct strata_error ignored;

	if (named_path(recorder, path, &ignored))
		remove_named(path);
	else if (strata_app_socket_name(name, sizeof(name), SOCKET_NAME, recorder))
		run_dir_remove(name);
	hang_up_listener(fd);
}
