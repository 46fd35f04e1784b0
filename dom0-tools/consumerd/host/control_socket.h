/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_socket.h - carries a command to a running recorder: one line each way over a
 * socket that only the recorder's user and root may use, which has the recorder's number in its
 * name.
 *
 *   request   WORD [ARGUMENT]\n      the argument is the rest of the line
 *   answer    STATUS TEXT\n          STATUS is an exit status, TEXT for the user
 *
 * The recorder serves one client at a time, and only for as long as reading a line takes, because
 * it must drain rings.
 */
#ifndef STRATA_CONSUMERD_CONTROL_SOCKET_H
#define STRATA_CONSUMERD_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define CONTROL_LINE_BYTES 4096u

struct control_request {
	int client;
	char line[CONTROL_LINE_BYTES];
	const char *word; /* in line */
	char *argument;   /* in line; "" if absent */
};

/*
 * Makes the socket of a recorder, which holds the lock of its number: an existing one is stale.
 * Returns a descriptor to poll for input, or -1.
 */
int control_socket_open(unsigned int number, struct strata_error *error);

/* Closes and removes it; -1 is fine. */
void control_socket_close(int socket, unsigned int number);

/* Takes a request, if a client sends one; the caller must answer it. */
bool control_socket_take(int socket, struct control_request *request);

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
