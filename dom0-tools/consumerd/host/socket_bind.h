/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * socket_bind.h - names for listening Unix sockets.
 *
 * Called by run_dir.c and app_socket.c.
 */
#ifndef STRATA_CONSUMERD_SOCKET_BIND_H
#define STRATA_CONSUMERD_SOCKET_BIND_H

#include <sys/types.h>

/*
 * Binds @socket to @path.  The socket file has @mode from the beginning: a later chmod() of the
 * path could change another file that a user has put there. Sets the umask of the whole process
 * meanwhile. Returns 0, or -1 with errno; ENAMETOOLONG: the path does not fit into a socket
 * address.
 */
int socket_bind(int socket, const char *path, mode_t mode);

#endif /* STRATA_CONSUMERD_SOCKET_BIND_H */
