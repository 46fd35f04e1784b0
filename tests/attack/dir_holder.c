// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_holder.c - a user who keeps a directory locked that he may read: DIR_HOLDER FILES DIR [ALL].
 *
 * The kernel writes the entries of a directory into its reader's memory while it has the lock of
 * that directory; this memory is of a file of our file system, mounted at FILES, which never
 * answers.  With ALL, a process of his waits for the lock to be its alone, so that whoever looks up
 * a name there waits behind it.  Prints "locked" when DIR is locked, and keeps it until it is
 * killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* Fails only when it has got the lock: the right to make something is looked at then. */
static void want_alone(const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/strata-test", dir);
	mkdir(path, 0700);
	perror(path);
}

/* Starts a process that waits for the lock, and ends with this one. */
static void await_lock(int fd, const char *dir)
{
	const pid_t waits = fork();
	unsigned int i;

	if (waits == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		want_alone(dir);
		_exit(1);
	}
	for (i = 0; i < 30; i++) {
		if (waitpid(waits, NULL, WNOHANG))
			exit(1);
		usleep(10000);
	}
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
	if (argc > 3)
		await_lock(fd, argv[2]);
	printf("locked\n");
	fflush(stdout);
	for (;;)
		serve(fd, FUSE_READ);
}
