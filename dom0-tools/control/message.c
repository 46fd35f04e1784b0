// SPDX-License-Identifier: GPL-2.0-or-later
/* message.c - see message.h. */
#include "control/message.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_members.h"

#define FIRST_BYTES 4096u

/* Waits until the socket is ready.  False with errno: it will not be in time. */
static bool wait_for(int socket, short events, int64_t until_ms)
{
	struct pollfd fd = { .fd = socket, .events = events };
	int ready;

	do {
		int64_t left = until_ms < 0 ? -1
					    : until_ms - (int64_t)clock_now_ms(CLOCK_MONOTONIC);

		ready = poll(&fd, 1, until_ms >= 0 && left < 0 ? 0 : (int)left);
	} while (ready < 0 && errno == EINTR);
	if (!ready)
		errno = ETIMEDOUT;
	return ready > 0;
}

static int64_t deadline(int limit_ms)
{
	return limit_ms < 0 ? -1 : (int64_t)clock_now_ms(CLOCK_MONOTONIC) + limit_ms;
}

int message_send(int socket, struct json_object *object, int limit_ms, struct strata_error *error)
{
	const int64_t until_ms = deadline(limit_ms);
	size_t length, sent = 0;
	const char *text =
		json_object_to_json_string_length(object, JSON_C_TO_STRING_PLAIN, &length);

	if (!text)
		return strata_fail(error, "out of memory");
	/* The text is followed by a newline, in place of its end. */
	while (sent <= length) {
		const bool last = sent == length;
		ssize_t nr;

		if (!wait_for(socket, POLLOUT, until_ms))
			return strata_fail(error, "%s", strerror(errno));
		nr = send(socket, last ? "\n" : text + sent, last ? 1 : length - sent,
			  MSG_NOSIGNAL | MSG_DONTWAIT);
		if (nr > 0)
			sent += (size_t)nr;
		else if (errno != EAGAIN && errno != EINTR)
			return strata_fail(error, "%s", strerror(errno));
	}
	return 0;
}

/* Reads up to a newline, which is removed.  The caller frees.  NULL with the reason. */
static char *receive_line(int socket, size_t max_bytes, int limit_ms, size_t *length,
			  struct strata_error *error)
{
	const int64_t until_ms = deadline(limit_ms);
	size_t room = FIRST_BYTES, have = 0;
	char *text = malloc(room);

	while (text) {
		char *end = NULL;
		ssize_t nr = 0;

		if (!wait_for(socket, POLLIN, until_ms)) {
			strata_fail(error, "%s", strerror(errno));
			break;
		}
		nr = recv(socket, text + have, room - have, MSG_DONTWAIT);
		if (nr < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (nr <= 0) {
			strata_fail(error, "the connection was closed");
			errno = ECONNRESET;
			break;
		}
		end = memchr(text + have, '\n', (size_t)nr);
		have += (size_t)nr;
		if (end) {
			*length = (size_t)(end - text);
			return text;
		}
		if (have >= max_bytes) {
			strata_fail(error, "a message of over %zu bytes", max_bytes);
			break;
		}
		if (have == room) {
			char *more = realloc(text, 2 * room);

			if (!more)
				break;
			text = more;
			room *= 2;
		}
	}
	if (!error->text[0])
		strata_fail(error, "out of memory");
	free(text);
	return NULL;
}

struct json_object *message_receive(int socket, size_t max_bytes, int limit_ms,
				    struct strata_error *error)
{
	struct json_object *object = NULL;
	size_t length;
	char *text;

	error->text[0] = '\0';
	text = receive_line(socket, max_bytes, limit_ms, &length, error);
	if (text)
		object = strata_json_parse(text, length, error);
	free(text);
	return object;
}
