// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * group_lock_holder.c - keeps the kernel's lock of all control groups (cgroup_mutex) busy:
 * GROUP_LOCK_HOLDER GROUP GROUPS PROCESSES.  GROUP, of version 2, belongs to its user, as systemd
 * gives each user one.  It makes GROUPS groups in it, and PROCESSES processes freeze and thaw all
 * of these without end: each time the kernel goes through all of them with that lock. It prints
 * "held" and a line "once MICROSECONDS" when all run.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	unsigned int groups, processes, i;
	char path[4096];
	double begin;
	int fd;

	if (argc < 4)
		return 2;
	groups = (unsigned int)strtoul(argv[2], NULL, 10);
	processes = (unsigned int)strtoul(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "%s/all", argv[1]);
	mkdir(path, 0755);
	for (i = 0; i < groups; i++) {
		snprintf(path, sizeof(path), "%s/all/%u", argv[1], i);
		if (mkdir(path, 0755)) {
			perror(path);
			break;
		}
	}
	snprintf(path, sizeof(path), "%s/all/cgroup.freeze", argv[1]);
	fd = open(path, O_WRONLY);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	begin = now_us();
	for (i = 0; i < 10; i++)
		pwrite(fd, i & 1 ? "0" : "1", 1, 0);
	printf("once %.0f\n", (now_us() - begin) / 10);
	for (i = 0; i < processes; i++)
		if (fork() == 0) {
			unsigned int turn;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fd = open(path, O_WRONLY);
			for (turn = i;; turn++)
				pwrite(fd, turn & 1 ? "0" : "1", 1, 0);
		}
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}
