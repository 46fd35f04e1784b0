// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapped_socket.c - LD_PRELOAD for a recorder: as soon as the socket for programs is bound, the
 * user who owns its directory puts a link in its place (the file SWAP_LINK becomes the file
 * SWAP_SOCKET).
 *
 * test_named_socket.sh uses it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int bind(int fd, const struct sockaddr *address, socklen_t bytes)
{
	const char *from = getenv("SWAP_LINK"), *to = getenv("SWAP_SOCKET");
	const int result = ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(
		RTLD_NEXT, "bind"))(fd, address, bytes);
	socklen_t length = sizeof(int);
	int type = 0;

	/* The one for commands is a stream. */
	if (!result && from && to && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) &&
	    type == SOCK_SEQPACKET && rename(from, to))
		perror("swapped_socket");
	return result;
}
