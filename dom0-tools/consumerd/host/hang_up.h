/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_up.h - drops what a stranger sent through a Unix socket, without ever waiting for him.
 *
 * A message can carry descriptors.  Whoever has the last one of a file closes it, and a close can
 * take as long as the file's maker likes: a TCP connection with SO_LINGER waits for its peer.  A
 * recv() that drops such a message waits, and so does a close() of the socket that it is queued in.
 *
 * Called by the recorder's main thread for the sockets of applications.
 */
#ifndef STRATA_CONSUMERD_HANG_UP_H
#define STRATA_CONSUMERD_HANG_UP_H

#include <stdbool.h>

/* Is there a message, or the end of all?  *@carries: it has descriptors with it; it must not be
 * received then, and hang_up() is all that may be done with the socket. */
bool hang_up_look(int socket, bool *carries);

/* Closes a connected socket of type SOCK_SEQPACKET.  The other end is told at once; if messages are
 * queued, the socket itself is closed by hang_up_tend(). */
void hang_up(int socket);

/* Closes the sockets that were left.  Call it once for many. */
void hang_up_tend(void);

/* Closes a socket that listens, and the sockets that were left; those who wait to be accepted may
 * have sent anything. */
void hang_up_listener(int socket);

#endif /* STRATA_CONSUMERD_HANG_UP_H */
