// SPDX-License-Identifier: GPL-2.0-or-later
/* control_socket.c - see control_socket.h. */
#include "consumerd/host/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "consumerd/host/peer_user.h"
#include "consumerd/host/proc_text.h"
#include "consumerd/host/run_dir.h"

/* In the run directory, by the recorder's number. */
#define SOCKET_NAME       "recorder-%u.sock"
#define SOCKET_NAME_BYTES 32

/* A proper client sends its line right after it has connected; others wait for that long. */
#define REQUEST_MS 200u

/* A recorder that has not answered after this hangs; one that is stopped is noticed within
 * LOOK_MS. */
#define ANSWER_MS 600000
#define LOOK_MS   500
#define CONNECT_S 60

/* Attempts: on a busy machine the recorder may drop a client whose line does not come within
 * REQUEST_MS.  It answers each request that it has taken. */
#define TURNS 50

static void fill_address(struct sockaddr_un *address, unsigned int number)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "%s/" SOCKET_NAME, run_dir_path(),
		 number);
}

int control_socket_open(struct control_listener *listener, unsigned int number,
			struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char name[SOCKET_NAME_BYTES];

	if (fd < 0)
		return strata_fail(error, "no socket for commands: %s", strerror(errno));
	snprintf(name, sizeof(name), SOCKET_NAME, number);
	if (!run_dir_bind(fd, name, 0600, error)) {
		if (!listen(fd, 4)) {
			listener->socket = fd;
			return 0;
		}
		strata_fail(error, "%s/%s: %s", run_dir_path(), name, strerror(errno));
	}
	close(fd);
	return -1;
}

/* Gives up the client whose line has not come. */
static void drop_client(struct control_listener *listener)
{
	close(listener->client);
	listener->client = -1;
}

void control_socket_close(struct control_listener *listener, unsigned int number)
{
	char name[SOCKET_NAME_BYTES];

	if (listener->socket < 0)
		return;
	if (listener->client >= 0)
		drop_client(listener);
	snprintf(name, sizeof(name), SOCKET_NAME, number);
	run_dir_remove(name);
	close(listener->socket);
	listener->socket = -1;
}

int control_socket_fd(const struct control_listener *listener)
{
	return listener->client >= 0 ? listener->client : listener->socket;
}

bool control_socket_awaits_line(const struct control_listener *listener)
{
	return listener->client >= 0;
}

/*
 * Reads a line that has arrived, without its newline.  Returns false if it is incomplete or has a
 * zero byte.  Clients send a line as a whole: waiting for the rest would let one that sends byte by
 * byte keep others from being served.
 */
static bool read_line(int fd, char *line, size_t bytes)
{
	size_t have = 0;

	while (have < bytes - 1) {
		ssize_t got = recv(fd, line + have, bytes - 1 - have, MSG_DONTWAIT);
		char *end;

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

/* Accepts a client.  False: none of ours has connected. */
static bool accept_client(struct control_listener *listener)
{
	const int client = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (client < 0)
		return false;
	if (!peer_is_ours(client)) {
		close(client);
		return false;
	}
	listener->client = client;
	listener->until_ms = clock_now_ms(CLOCK_MONOTONIC) + REQUEST_MS;
	return true;
}

bool control_socket_take(struct control_listener *listener, struct control_request *request)
{
	struct pollfd ready = { .events = POLLIN };
	char *space;

	if (listener->client < 0 && !accept_client(listener))
		return false;
	ready.fd = listener->client;
	if (poll(&ready, 1, 0) <= 0) {
		if (clock_now_ms(CLOCK_MONOTONIC) >= listener->until_ms)
			drop_client(listener);
		return false;
	}
	if (!read_line(listener->client, request->line, sizeof(request->line))) {
		drop_client(listener);
		return false;
	}
	request->client = listener->client;
	listener->client = -1;
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
	/* It fits into the socket's buffer; a client that has disconnected needs no answer. */
	send(request->client, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(request->client);
}

/* The process that listens; 0: not known. */
static pid_t peer_of(int fd)
{
	struct ucred peer = { .pid = 0 };
	socklen_t bytes = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) ? 0 : peer.pid;
}

static bool is_stopped(pid_t pid)
{
	char text[512];
	const char *state = proc_text_stat(pid, text, sizeof(text));

	return state && (state[1] == 'T' || state[1] == 't');
}

static int call_recorder(int fd, unsigned int number, struct strata_error *error)
{
	const struct timeval limit = { .tv_sec = CONNECT_S };
	struct sockaddr_un address;

	fill_address(&address, number);
	/* Also limits connect(): a stopped recorder accepts no client. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	if (errno == EAGAIN)
		return strata_fail(error,
				   "the recorder accepts no client; if it is stopped (`ps -C "
				   "strata -o pid,stat`), `kill -CONT` resumes it");
	return strata_fail(error,
			   "no recorder can be reached at %s (%s); is `strata record` "
			   "running, and yours?",
			   address.sun_path, strerror(errno));
}

/* The recorder closed the connection without an answer: it ended, or our line came too late. */
#define DROPPED (-2)

/* Reads the recorder's answer.  0, -1, or DROPPED: no answer. */
static int await_answer(int fd, char *reply, size_t bytes, struct strata_error *error)
{
	const pid_t recorder = peer_of(fd);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int waited_ms;

	for (waited_ms = 0; waited_ms < ANSWER_MS; waited_ms += LOOK_MS) {
		if (poll(&ready, 1, LOOK_MS) > 0)
			return read_line(fd, reply, bytes) ? 0 : DROPPED;
		if (recorder > 0 && is_stopped(recorder))
			return strata_fail(
				error,
				"the recorder (process %d) is stopped and cannot answer; `kill "
				"-CONT %d` resumes it, and then it executes the command",
				recorder, recorder);
	}
	return strata_fail(error,
			   "the recorder (process %d) has not answered for %d minutes; if "
			   "it hangs, end it with `kill -INT %d`: the recording stays",
			   recorder, ANSWER_MS / 60000, recorder);
}

/* One attempt, with a whole @request.  0, -1 or DROPPED. */
static int ask_once(unsigned int number, const char *request, char *reply, size_t bytes,
		    struct strata_error *error)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t length = (ssize_t)strlen(request);
	int result = -1;

	if (fd < 0)
		return strata_fail(error, "no socket: %s", strerror(errno));
	if (!call_recorder(fd, number, error))
		result = send(fd, request, (size_t)length, MSG_NOSIGNAL) != length
				 ? DROPPED
				 : await_answer(fd, reply, bytes, error);
	close(fd);
	return result;
}

int control_socket_ask(unsigned int number, const char *line, char *answer, size_t bytes,
		       struct strata_error *error)
{
	char request[CONTROL_LINE_BYTES], reply[CONTROL_LINE_BYTES];
	struct strata_error why = { "" };
	unsigned int turn;
	int result = DROPPED;
	char *text;
	long status;

	if (snprintf(request, sizeof(request), "%s\n", line) >= (int)sizeof(request))
		return strata_fail(error, "the command is too long");
	for (turn = 0; turn < TURNS && result == DROPPED; turn++)
		result = ask_once(number, request, reply, sizeof(reply), &why);
	if (result == DROPPED)
		return strata_fail(error, "the recorder ended before it answered");
	if (result < 0) {
		*error = why;
		return -1;
	}
	status = strtol(reply, &text, 10);
	snprintf(answer, bytes, "%s", text + (*text == ' '));
	return status >= 0 && status < 256 ? (int)status : 1;
}
