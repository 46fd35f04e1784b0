// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locked_exec.c - processes whose mappings nobody can look at: LOCKED_EXEC NUMBER DIR.
 *
 * Each executes a program, which closes a file of a file system of ours (FUSE) that never answers.
 * Until then the kernel keeps everybody from /proc/PID/maps.  Prints "locked" when all do, and
 * serves that file system until it is killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "silent_files.h"

int main(int argc, char **argv)
{
	unsigned int nr, i;
	char path[256];
	int fd;

	if (argc < 3)
		return 2;
	nr = (unsigned int)strtoul(argv[1], NULL, 10);
	snprintf(path, sizeof(path), "%s/file", argv[2]);
	fd = mount_ours(argv[2]);
	for (i = 0; i < nr; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		if (open(path, O_RDONLY | O_CLOEXEC) < 0)
			_exit(1);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	for (i = 0; i < nr;)
		i += (unsigned int)serve(fd, FUSE_FLUSH);
	printf("locked\n");
	fflush(stdout);
	for (;;)
		serve(fd, FUSE_FLUSH);
}
