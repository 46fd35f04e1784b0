// SPDX-License-Identifier: GPL-2.0-or-later
/* socket_bind.c - see socket_bind.h. */
#include "consumerd/host/socket_bind.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* Since Linux 6.16; older headers lack it. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

void socket_refuse_files(int socket)
{
	const int passes = 0;

	setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &passes, sizeof(passes));
}

int socket_bind(int socket, const char *path, mode_t mode)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int result;

	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) >=
	    (int)sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	socket_refuse_files(socket);
	mask = umask(0777 & ~mode);
	result = bind(socket, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	return result;
}
