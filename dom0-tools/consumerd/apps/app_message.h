/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_message.h - the system calls that move one message between an application's socket and us.
 *
 * Each takes as long as the application likes: the kernel wakes all that wait at the application's
 * end, in our thread, and before Linux 6.10 searches for sockets in messages first.  So the
 * recorder's loop calls none of them; app_relay.c does.
 */
#ifndef STRATA_CONSUMERD_APP_MESSAGE_H
#define STRATA_CONSUMERD_APP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/app.h>

enum app_arrival {
	APP_ARRIVAL_NONE,
	APP_ARRIVAL_MESSAGE,
	APP_ARRIVAL_CARRIES, /* a message with descriptors, which is not received */
	APP_ARRIVAL_END,
};

struct app_incoming {
	enum app_arrival kind;
	uint32_t bytes; /* of the message, which may be larger than the packet */
	struct strata_app_packet packet;
};

/* A message for an application. */
struct app_outgoing {
	struct strata_app_packet packet;
	size_t bytes;
	int fd;         /* goes with it; -1: none */
	bool closes_fd; /* when it has been sent */
};

/* Takes what has arrived, if anything. */
void app_message_receive(int socket, struct app_incoming *arrived);

/* Sends a message, if the socket has room for it.  0 or errno. */
int app_message_send(int socket, struct app_outgoing *outgoing);

#endif /* STRATA_CONSUMERD_APP_MESSAGE_H */
