/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_up.h - drops messages of an untrusted process in a Unix socket, without waiting for it.
 *
 * A message can carry descriptors. Dropping the last descriptor of a file closes it, and that can
 * take as long as its creator likes: a TCP connection with SO_LINGER waits for its peer. Both
 * recv() of such a message and close() of the socket that holds it wait.
 *
 * Shutting a socket down, and its last close, wake each waiter of the other end, of which its
 * process may have millions (epoll): hang_up() does neither.
 *
 * All but hang_up_clean() are called by the recorder's main thread.
 */
#ifndef STRATA_CONSUMERD_HANG_UP_H
#define STRATA_CONSUMERD_HANG_UP_H

#include <stdbool.h>

/* Whether there is a message, or the end of the connection.  *@carries: OUT, the message carries
 * descriptors: do not receive it, but call hang_up(). */
bool hang_up_look(int socket, bool *carries);

/*
 * Shuts down a connected socket of type SOCK_SEQPACKET, and closes it unless messages are queued.
 * It takes as long as the other process likes, so a thread of that user's calls it (app_relay.h).
 * False: not closed; call hang_up().
 */
bool hang_up_clean(int socket);

/* Has a socket closed by hang_up_tend(). */
void hang_up(int socket);

/*
 * Gives these sockets to a thread that closes them, unless it is closing earlier ones: then a later
 * call does.  It waits for no thread: where a user keeps a CPU busy, threads take long to run.
 */
void hang_up_tend(void);

/*
 * Lowers the number of sockets that may wait, where this process may open few files.
 * @files: what it may open beside its own
 * Returns how many of them these sockets take at most.  Sockets of connections that have ended may
 * be more; then no connection takes the place of those until they are closed.
 */
unsigned long hang_up_limit(unsigned long files);

/* Whether another connection may be accepted.  False: sockets wait to be closed, because no thread
 * can be made, or runs, and closing them here could take long. */
bool hang_up_has_room(void);

/* Whether no socket waits for hang_up_tend(), or for its thread. */
bool hang_up_is_done(void);

/* Closes a listening socket, and the remaining sockets; connections that wait to be accepted may
 * have sent anything.  Waits half a second at most; what is open then is closed by the thread, or
 * by the end of the process. */
void hang_up_listener(int socket);

#endif /* STRATA_CONSUMERD_HANG_UP_H */
