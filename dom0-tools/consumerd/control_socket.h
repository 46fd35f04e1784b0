/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_socket.h - how a command reaches the recorder that is running: one line
 * each way over a socket that only root may use.
 *
 *   request   WORD [ARGUMENT]\n      the argument is the rest of the line
 *   answer    STATUS TEXT\n          STATUS is an exit status, TEXT for the user
 *
 * The recorder serves one client at a time, and none for longer than it takes
 * to read a line: it has rings to drain.
 */
#ifndef STRATA_CONSUMERD_CONTROL_SOCKET_H
#define STRATA_CONSUMERD_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define CONTROL_LINE_BYTES 4096u

struct control_request {
	int client;
	char line[CONTROL_LINE_BYTES];
	const char *word; /* in line */
	char *argument;   /* in line; "" if there is none */
};

/*
 * Makes the socket.  The caller holds recorder_lock(): one that is there was left
 * behind.  Returns a descriptor to poll for input, or -1.
 */
int control_socket_open(struct strata_error *error);

/* Closes and removes it; -1 is fine. */
void control_socket_close(int socket);

/* Takes a request, if there is a client that sends one.  It must be answered then. */
bool control_socket_take(int socket, struct control_request *request);

/* Answers, and lets the client go. */
void control_socket_answer(const struct control_request *request, int status, const char *text);

/*
 * The client's side: sends a request and waits for the answer, but not for a recorder
 * that is stopped (SIGSTOP), nor for more than minutes.
 * @line:   without a newline in it
 * @answer: OUT, what the recorder says
 * Returns the status of the answer, or -1: no recorder could be asked.
 */
int control_socket_ask(const char *line, char *answer, size_t bytes, struct strata_error *error);

#endif /* STRATA_CONSUMERD_CONTROL_SOCKET_H */
