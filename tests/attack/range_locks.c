// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range_locks.c - a user who makes each close of a file slow: RANGE_LOCKS NUMBER.
 *
 * The kernel keeps the locks of ranges of a file (fcntl()) in one list per inode, and goes through
 * all of them at each close of that inode by anybody.  All anonymous files of a machine (eventfd,
 * epoll, inotify, BPF) have one inode, and each process has one for all its pidfds.  Makes NUMBER
 * locks of each of these two inodes, prints "locked", and waits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static void lock(int fd, long nr)
{
	struct flock range = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	if (fd < 0 || fcntl(fd, F_SETLK, &range)) {
		perror("lock");
		exit(1);
	}
	/* From behind, so that the range to be divided is the first in the list. */
	range.l_type = F_UNLCK;
	range.l_len = 1;
	for (; nr > 1; nr--) {
		range.l_start = 2 * nr;
		if (fcntl(fd, F_SETLK, &range)) {
			perror("unlock");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	const long nr = argc == 2 ? atol(argv[1]) : 0;

	if (nr < 1)
		return 2;
	lock(eventfd(0, EFD_CLOEXEC), nr);
	lock((int)syscall(SYS_pidfd_open, getpid(), 0), nr);
	printf("locked\n");
	fflush(stdout);
	pause();
	return 1;
}
