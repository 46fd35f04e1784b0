// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terminal_taker.c - the command of `strata record -- COMMAND`, of another user: makes itself the
 * foreground of the recorder's terminal, and has the kernel stop whoever writes there from the
 * background.  Prints "taken", and stays for a minute.
 */
#include <signal.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

int main(void)
{
	struct termios settings;

	signal(SIGTTOU, SIG_IGN);
	if (setpgid(0, 0) || tcsetpgrp(STDIN_FILENO, getpgrp()) ||
	    tcgetattr(STDIN_FILENO, &settings))
		return 1;
	settings.c_lflag |= TOSTOP;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &settings))
		return 1;
	puts("taken");
	fflush(stdout);
	sleep(60);
	return 0;
}
