// SPDX-License-Identifier: GPL-2.0-or-later
/* control_socket.c - see control_socket.h. */
#include "control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_PATH "/run/strata-recorder.sock"

/* A client that has connected has its line ready; one that has not is no client. */
#define REQUEST_MS 200

static void fill_address(struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), SOCKET_PATH);
}

int control_socket_open(struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	mode_t mask;
	int result;

	if (fd < 0)
		return strata_fail(error, "no socket for commands: %s", strerror(errno));
	fill_address(&address);
	unlink(SOCKET_PATH);
	mask = umask(0177);
	result = bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (result || listen(fd, 4)) {
		strata_fail(error, "%s: %s", SOCKET_PATH, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

void control_socket_close(int socket)
{
	if (socket < 0)
		return;
	unlink(SOCKET_PATH);
	close(socket);
}

static bool is_root(int client)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t bytes = sizeof(peer);

	return !getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == 0;
}

/*
 * Reads until a newline, which it leaves out.  False: none came in time.  A line is
 * sent as a whole: once some of it is there nothing is waited for, or who sends it
 * byte by byte would hold us for as long as he likes.
 */
static bool read_line(int fd, int wait_ms, char *line, size_t bytes)
{
	size_t have = 0;

	while (have < bytes - 1) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t got;
		char *end;

		if (poll(&ready, 1, have ? 0 : wait_ms) <= 0)
			return false;
		got = recv(fd, line + have, bytes - 1 - have, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		end = memchr(line + have, '\n', (size_t)got);
		have += (size_t)got;
		if (end) {
			*end = '\0';
			return !memchr(line, '\0', (size_t)(end - line));
		}
	}
	return false;
}

bool control_socket_take(int socket, struct control_request *request)
{
	char *space;

	request->client = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (request->client < 0)
		return false;
	if (!is_root(request->client) ||
	    !read_line(request->client, REQUEST_MS, request->line, sizeof(request->line))) {
		close(request->client);
		return false;
	}
	request->word = request->line;
	request->argument = request->line + strlen(request->line);
	space = strchr(request->line, ' ');
	if (space) {
		*space = '\0';
		request->argument = space + 1;
	}
	return true;
}

void control_socket_answer(const struct control_request *request, int status, const char *text)
{
	char line[CONTROL_LINE_BYTES];
	int length = snprintf(line, sizeof(line) - 1, "%d %s", status, text);

	if (length > (int)sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	/* It fits into the socket's buffer; a client that is gone wants no answer. */
	send(request->client, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(request->client);
}

int control_socket_ask(const char *line, char *answer, size_t bytes, struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	char request[CONTROL_LINE_BYTES], reply[CONTROL_LINE_BYTES];
	int length = snprintf(request, sizeof(request), "%s\n", line);
	char *text;
	long status;

	if (fd < 0)
		return strata_fail(error, "no socket: %s", strerror(errno));
	fill_address(&address);
	if (length >= (int)sizeof(request)) {
		strata_fail(error, "that is too long for a recorder to be told");
	} else if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		strata_fail(error,
			    "no recorder can be reached at %s (%s); is `strata record` "
			    "running, and are you root?",
			    SOCKET_PATH, strerror(errno));
	} else if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length ||
		   !read_line(fd, -1, reply, sizeof(reply))) {
		strata_fail(error, "the recorder ended before it answered");
	} else {
		status = strtol(reply, &text, 10);
		snprintf(answer, bytes, "%s", text + (*text == ' '));
		close(fd);
		return status >= 0 && status < 256 ? (int)status : 1;
	}
	close(fd);
	return -1;
}
