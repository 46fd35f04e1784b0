/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_socket.h - serves members of the group tracing, beside root: a socket, a thread and limits
 * of their own, so that they cannot delay root's commands.
 *
 * The socket's mode is 0620: members may connect, which takes the right to write, and cannot watch
 * it (inotify), which takes the right to read.  Nobody else reaches it.
 */
#ifndef STRATA_STRATAD_MEMBER_SOCKET_H
#define STRATA_STRATAD_MEMBER_SOCKET_H

#include "base/error.h"

#define MEMBER_SOCKET_NONE (-2)

/* Makes the socket.  A descriptor; MEMBER_SOCKET_NONE: we are not root, or there is no group
 * tracing; or -1. */
int member_socket_open(struct strata_error *error);

/* Starts to serve, until @quit is readable.  @listener: MEMBER_SOCKET_NONE: nothing is done.
 * 0 or -1. */
int member_socket_begin(int listener, int quit, struct strata_error *error);

/* Waits until all requests are served, and removes the socket.  The caller ends the process: some
 * connections stay open, which are not received or answered in time. */
void member_socket_end(int listener);

#endif /* STRATA_STRATAD_MEMBER_SOCKET_H */
