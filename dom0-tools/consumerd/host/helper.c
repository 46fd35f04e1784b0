// SPDX-License-Identifier: GPL-2.0-or-later
/* helper.c - see helper.h. */
#include "consumerd/host/helper.h"

#include <signal.h>
#include <unistd.h>

#include "consumerd/host/own_proc.h"

void helper_settle(int socket)
{
	/* Ctrl-C is for whoever started it. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (dup2(socket, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0) || chdir("/"))
		_exit(1);
	own_proc_again();
}
