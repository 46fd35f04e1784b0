// SPDX-License-Identifier: GPL-2.0-or-later
/* app_socket.c - see app_socket.h. */
#include "consumerd/apps/app_socket.h"

#include <errno.h>
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

/* In RUN_DIR; the last part of STRATA_APP_SOCKET. */
#define SOCKET_NAME "apps.sock"

/* Programs that may wait to be accepted; one more waits in its connect(). */
#define BACKLOG 1024

_Static_assert(sizeof(STRATA_APP_SOCKET) == sizeof(RUN_DIR "/" SOCKET_NAME),
	       "applications look elsewhere");

static const char *named_path(void)
{
	return secure_getenv(STRATA_APP_SOCKET_VARIABLE);
}

/* Removes the socket of a recorder that was killed.  Anything else stays, and bind() fails then. */
static void remove_socket(const char *path)
{
	struct stat status;

	if (!lstat(path, &status) && S_ISSOCK(status.st_mode))
		unlink(path);
}

static int bind_named(int fd, const char *path, struct strata_error *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) >=
	    (int)sizeof(address.sun_path))
		return strata_fail(error, "%s: the path is too long for a socket", path);
	remove_socket(path);
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)) && !chmod(path, 0666))
		return 0;
	return strata_fail(error, "%s: %s; name another path in the environment variable %s", path,
			   strerror(errno), STRATA_APP_SOCKET_VARIABLE);
}

int app_socket_open(struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const char *path = named_path();

	if (fd < 0)
		return strata_fail(error, "no socket for applications: %s", strerror(errno));
	if (path ? !bind_named(fd, path, error) : !run_dir_bind(fd, SOCKET_NAME, 0666, error)) {
		if (!listen(fd, BACKLOG))
			return fd;
		strata_fail(error, "no socket for applications: %s", strerror(errno));
	}
	close(fd);
	return -1;
}

void app_socket_close(int fd)
{
	const char *path = named_path();

	if (path)
		remove_socket(path);
	else
		run_dir_remove(SOCKET_NAME);
	hang_up_listener(fd);
}
