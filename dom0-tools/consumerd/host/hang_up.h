/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_up.h - drops messages of an untrusted process in a Unix socket, without waiting for it.
 *
 * A message can carry descriptors. Dropping the last descriptor of a file closes it, and that can
 * take as long as its creator likes: a TCP connection with SO_LINGER waits for its peer. Both
 * recv() of such a message and close() of the socket that holds it wait.
 *
 * Called by the recorder's main thread for the sockets of applications.
 */
#ifndef STRATA_CONSUMERD_HANG_UP_H
#define STRATA_CONSUMERD_HANG_UP_H

#include <stdbool.h>

/* Whether there is a message, or the end of the connection.  *@carries: OUT, the message carries
 * descriptors: do not receive it, but call hang_up(). */
bool hang_up_look(int socket, bool *carries);

/* Shuts down a connected socket of type SOCK_SEQPACKET, and closes it; if messages are queued, or
 * closing took long before, hang_up_tend() closes it later. */
void hang_up(int socket);

/* Closes the remaining sockets. Call it once for many sockets. */
void hang_up_tend(void);

/* Whether another connection may be accepted.  False: sockets wait to be closed, because no thread
 * can be made, and closing them here could take long. */
bool hang_up_has_room(void);

/* Closes a listening socket, and the remaining sockets; connections that wait to be accepted may
 * have sent anything. */
void hang_up_listener(int socket);

#endif /* STRATA_CONSUMERD_HANG_UP_H */
