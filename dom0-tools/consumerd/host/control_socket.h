/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_socket.h - carries a command to a running recorder: one line each way over a
 * socket that only the recorder's user and root may use, which has the recorder's number in its
 * name.
 *
 *   request   WORD [ARGUMENT]\n      the argument is the rest of the line
 *   answer    STATUS TEXT\n          STATUS is an exit status, TEXT for the user
 *
 * The recorder serves one client at a time, and waits for none, because it must drain rings: a
 * client that has connected may lose its CPU before it sends its line.
 */
#ifndef STRATA_CONSUMERD_CONTROL_SOCKET_H
#define STRATA_CONSUMERD_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CONTROL_LINE_BYTES 4096u

/* Where a recorder takes commands. */
struct control_listener {
	int socket;        /* -1: closed */
	int client;        /* has connected, and its line is still to come; -1: none */
	uint64_t until_ms; /* when that one is given up */
};

#define CONTROL_LISTENER_CLOSED            \
	{                                  \
		.socket = -1, .client = -1 \
	}

struct control_request {
	int client;
	char line[CONTROL_LINE_BYTES];
	const char *word; /* in line */
	char *argument;   /* in line; "" if absent */
};

/* Makes the socket of a recorder, which holds the lock of its number: an existing one is stale.
 * @listener: closed.  0 or -1. */
int control_socket_open(struct control_listener *listener, unsigned int number,
			struct strata_error *error);

/* Closes and removes it; also one that is closed. */
void control_socket_close(struct control_listener *listener, unsigned int number);

/* A descriptor to poll for input, which may be another one after each control_socket_take(). */
int control_socket_fd(const struct control_listener *listener);

/* Whether a client has connected whose line has not come: it is given up soon. */
bool control_socket_awaits_line(const struct control_listener *listener);

/* Takes a request, if a client has sent one; the caller must answer it.  Never waits. */
bool control_socket_take(struct control_listener *listener, struct control_request *request);

/* Answers, and closes the connection. */
void control_socket_answer(const struct control_request *request, int status, const char *text);

/*
 * Client side: sends a request and waits some minutes for the answer, but not for a recorder that
 * is stopped (SIGSTOP).
 * @number: of the recorder
 * @line:   without a newline in it
 * @answer: OUT, the recorder's text
 * Returns the status of the answer, or -1: no recorder could be reached.
 */
int control_socket_ask(unsigned int number, const char *line, char *answer, size_t bytes,
		       struct strata_error *error);

#endif /* STRATA_CONSUMERD_CONTROL_SOCKET_H */
