// SPDX-License-Identifier: GPL-2.0-or-later
/* as_nobody.c - runs a command without any right: `as_nobody COMMAND ARGUMENTS`.  Used in dom0. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || setgid(65534) || setuid(65534)) {
		perror("as_nobody");
		return 126;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
