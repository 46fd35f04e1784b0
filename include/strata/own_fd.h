/* SPDX-License-Identifier: MIT */
/*
 * own_fd.h - descriptors of a library's own are not those of standard input, output and error: a
 * program that has closed these would print into a ring or a socket.  The kernel gives the lowest
 * number that is free, so for an instant they are.
 *
 * Included by libstrata and by the control library.
 */
#ifndef STRATA_OWN_FD_H
#define STRATA_OWN_FD_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Moves a new descriptor, or -1 with errno, above those three.  Returns it, or -1 with errno: it
 * was closed. */
static inline int strata_own_fd(int made)
{
	int moved, error;

	if (made < 0 || made > STDERR_FILENO)
		return made;
	moved = fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(made);
	errno = error;
	return moved;
}

#endif /* STRATA_OWN_FD_H */
