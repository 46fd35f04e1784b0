// SPDX-License-Identifier: GPL-2.0-or-later
/* tell_ready.c - see tell_ready.h. */
#include "stratad/tell_ready.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tell_ready(int fd)
{
	static const char line[] = "ready\n";

	if (fd < 0)
		return;
	if (write(fd, line, sizeof(line) - 1) != (ssize_t)sizeof(line) - 1)
		fprintf(stderr, "strata: --ready-fd %d: %s\n", fd, strerror(errno));
	if (fd > STDERR_FILENO)
		close(fd);
}
