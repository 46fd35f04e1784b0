// SPDX-License-Identifier: GPL-2.0-or-later
/* service_manager.c - see service_manager.h. */
#include "stratad/sessions/service_manager.h"

#include "consumerd/host/socket_bind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The first descriptor that is handed over. */
#define FIRST_FD 3

/* Where to report to; no length: nowhere. */
static struct sockaddr_un reports_to;
static socklen_t reports_to_bytes;

static void note_address(const char *name)
{
	const size_t length = name ? strlen(name) : 0;

	if (length < 2 || length >= sizeof(reports_to.sun_path) ||
	    (name[0] != '/' && name[0] != '@'))
		return;
	reports_to.sun_family = AF_UNIX;
	memcpy(reports_to.sun_path, name, length);
	if (name[0] == '@')
		reports_to.sun_path[0] = '\0';
	reports_to_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

/* The number of sockets that were handed to this process. */
static long nr_sockets(void)
{
	const char *pid = getenv("LISTEN_PID"), *nr = getenv("LISTEN_FDS");

	return pid && nr && strtol(pid, NULL, 10) == getpid() ? strtol(nr, NULL, 10) : 0;
}

static bool listens_at(int fd, const char *path)
{
	struct sockaddr_un address = { 0 };
	socklen_t bytes = sizeof(address) - 1, type_bytes = sizeof(int), listens_bytes = type_bytes;
	int type = 0, listens = 0;

	return !getsockname(fd, (struct sockaddr *)&address, &bytes) &&
	       address.sun_family == AF_UNIX && !strcmp(address.sun_path, path) &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes) && type == SOCK_STREAM &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_bytes) && listens;
}

int service_manager_take_socket(const char *path, struct strata_error *error)
{
	const long nr = nr_sockets();

	note_address(getenv("NOTIFY_SOCKET"));
	unsetenv("NOTIFY_SOCKET");
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (nr == 0)
		return SERVICE_MANAGER_NO_SOCKET;
	if (nr != 1 || !listens_at(FIRST_FD, path))
		return strata_fail(error,
				   "the service manager handed over another socket than one that "
				   "listens at %s; correct ListenStream= in stratad.socket",
				   path);
	if (fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) || fcntl(FIRST_FD, F_SETFL, O_NONBLOCK))
		return strata_fail(error, "%s: %s", path, strerror(errno));
	socket_refuse_files(FIRST_FD);
	return FIRST_FD;
}

static void report(const char *text)
{
	int fd;

	if (!reports_to_bytes)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* If the manager does not receive READY=1, it ends stratad and reports why. */
	sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&reports_to,
	       reports_to_bytes);
	close(fd);
}

void service_manager_tell_ready(void)
{
	report("READY=1");
}

void service_manager_tell_stopping(void)
{
	report("STOPPING=1");
}
