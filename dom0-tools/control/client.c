// SPDX-License-Identifier: GPL-2.0-or-later
/* client.c - see client.h. */
#include "control/client.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "consumerd/host/run_dir.h"
#include "control/message.h"
#include "control/sibling.h"

#define SEND_MS 60000

extern char **environ;

/* A connected socket, or -1 with errno. */
static int connect_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), number;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" MESSAGE_SOCKET, run_dir_path());
	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

/* Starts stratad, and waits until it listens.  It says on stderr why it cannot.  0 or -1. */
static int start_daemon(struct strata_error *error)
{
	char path[PATH_MAX];
	char *const arguments[] = { "stratad", "--background", NULL };
	int number, status;
	pid_t pid;

	if (sibling_path("stratad", path, error))
		return -1;
	number = posix_spawn(&pid, path, NULL, NULL, arguments, environ);
	if (number)
		return strata_fail(error, "%s: %s", path, strerror(number));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return strata_fail(error, "%s: %s", path, strerror(errno));
	return WIFEXITED(status) && !WEXITSTATUS(status)
		       ? 0
		       : strata_fail(error, "stratad could not be started");
}

/* Whether an earlier stratad had sessions here, which the next one finds. */
static bool has_sessions(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" MESSAGE_SESSIONS, run_dir_path());
	return !access(path, F_OK);
}

static int connect_or_start(bool start, struct strata_error *error)
{
	int fd = connect_daemon();

	if (fd < 0 && (errno == ENOENT || errno == ECONNREFUSED)) {
		if (!start && !has_sessions())
			return strata_fail(error, "there are no sessions: stratad does not run; "
						  "`strata create` begins one");
		if (start_daemon(error))
			return -1;
		fd = connect_daemon();
	}
	if (fd < 0)
		strata_fail(error, "stratad cannot be reached at %s/%s: %s", run_dir_path(),
			    MESSAGE_SOCKET, strerror(errno));
	return fd;
}

int client_ask(struct json_object *request, bool start, struct json_object **reply,
	       struct strata_error *error)
{
	int fd = connect_or_start(start, error);
	uint64_t status;

	*reply = NULL;
	if (fd < 0)
		return -1;
	if (!message_send(fd, request, SEND_MS, error))
		*reply = message_receive(fd, MESSAGE_REPLY_BYTES, -1, error);
	close(fd);
	if (!*reply)
		return strata_fail_in(error, "stratad");
	if (!strata_json_u64(*reply, "status", UINT8_MAX, &status, error))
		return (int)status;
	json_object_put(*reply);
	*reply = NULL;
	return strata_fail_in(error, "stratad");
}
