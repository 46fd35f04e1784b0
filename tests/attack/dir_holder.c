// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_holder.c - a user who keeps a directory locked that he may read: DIR_HOLDER FILES DIR.
 *
 * The kernel writes the entries of a directory into its reader's memory while it has the lock of
 * that directory; this memory is of a file of our file system, mounted at FILES, which never
 * answers.  Prints "locked" when DIR is locked, and keeps it until it is killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "silent_files.h"

/* Never returns, unless something fails. */
static void hold(const char *file, const char *dir)
{
	const int memory = open(file, O_RDONLY), fd = open(dir, O_RDONLY | O_DIRECTORY);
	void *entries =
		mmap(NULL, SILENT_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, memory, 0);

	if (memory < 0 || fd < 0 || entries == MAP_FAILED ||
	    syscall(SYS_getdents64, fd, entries, SILENT_FILE_BYTES) < 0)
		perror(dir);
}

int main(int argc, char **argv)
{
	char file[256];
	int fd;

	if (argc < 3)
		return 2;
	snprintf(file, sizeof(file), "%s/file", argv[1]);
	fd = mount_ours(argv[1]);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		hold(file, argv[2]);
		_exit(1);
	}
	while (!serve(fd, FUSE_READ))
		;
	printf("locked\n");
	fflush(stdout);
	for (;;)
		serve(fd, FUSE_READ);
}
