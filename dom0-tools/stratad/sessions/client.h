/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - accepts clients of a socket, and serves the one request that each sends; for root or
 * the user himself (daemon.c), and for members of the group tracing (member_socket.c).
 */
#ifndef STRATA_STRATAD_CLIENT_H
#define STRATA_STRATAD_CLIENT_H

#include <stddef.h>
#include <sys/types.h>

/* Accepts clients until @quit is readable.
 * @begin: called with each, which it closes */
void client_accept_all(int listener, int quit, void (*begin)(int client));

/* Receives a request, has it served and sends the reply; closes the client.  May take as long as
 * the request, and 10 s each for what is sent and received.
 * @owner: whose request it is (session_owner.h)
 * @max_bytes: of the request */
void client_serve(int client, uid_t owner, size_t max_bytes);

/* Replies with that reason, without waiting, and closes the client. */
void client_refuse(int client, const char *why);

#endif /* STRATA_STRATAD_CLIENT_H */
