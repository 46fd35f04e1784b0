/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - accepts clients of a socket, and serves the one request that each sends; for root or
 * the user himself (daemon.c), and for members of the group tracing (member_socket.c).
 */
#ifndef STRATA_STRATAD_CLIENT_H
#define STRATA_STRATAD_CLIENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/* Accepts clients until @quit is readable.
 * @begin: called with each, which it closes */
void client_accept_all(int listener, int quit, void (*begin)(int client));

/* Receives a request, has it served and sends the reply; closes the client.  May take as long as
 * the request, and 10 s each for what is sent and received.  A child serves a member's list
 * (member_list.h).
 * @owner: whose request it is (session_owner.h)
 * @max_bytes: of the request
 * @works: true while the request is served, which is neither received nor answered then; not for a
 *         list, which changes nothing and goes on without stratad */
void client_serve(int client, uid_t owner, size_t max_bytes, atomic_bool *works);

/* Replies with that reason, without waiting. */
void client_send_refusal(int client, const char *why);

/* Likewise, and closes the client, which takes as long as the client likes. */
void client_refuse(int client, const char *why);

#endif /* STRATA_STRATAD_CLIENT_H */
