/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * socket_bind.h - names for listening Unix sockets, which take no descriptors.
 *
 * Nobody sends us descriptors with good reason.  Closing one can take as long as its creator likes
 * (SO_LINGER), and to accept a connection in which one waits takes a lock of the kernel's (Linux
 * 6.10 and later) that any user can keep busy with sockets in messages.
 *
 * Called by run_dir.c, app_socket.c and service_manager.c.
 */
#ifndef STRATA_CONSUMERD_SOCKET_BIND_H
#define STRATA_CONSUMERD_SOCKET_BIND_H

#include <sys/types.h>

/*
 * Binds @socket to @path, and has it take no descriptors.  The socket file has @mode from the
 * beginning: a later chmod() of the path could change another file that a user has put there. Sets
 * the umask of the whole process meanwhile. Returns 0, or -1 with errno; ENAMETOOLONG: the path
 * does not fit into a socket address.
 */
int socket_bind(int socket, const char *path, mode_t mode);

/* Has connections to a listening socket refuse descriptors: their sender gets EPERM.  Before Linux
 * 6.16 nothing happens; hang_up.h is for what arrives then. */
void socket_refuse_files(int socket);

#endif /* STRATA_CONSUMERD_SOCKET_BIND_H */
