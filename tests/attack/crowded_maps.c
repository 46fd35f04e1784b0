// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowded_maps.c - programs whose /proc/PID/maps takes seconds to read: CROWDED_MAPS PROCESSES
 * MAPPINGS DIR.  Each mapping is of a file whose path is as long as can be; the page in which
 * libstrata waits comes behind them.  Prints "mapped" when all have them, and waits.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/tracepoint.h>

#define DEPTH 19u

STRATA_EVENT(crowded, crowd, strata_u32(number));

static int make_deep_file(const char *dir)
{
	char name[201];
	unsigned int i;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (chdir(dir))
		return -1;
	for (i = 0; i < DEPTH; i++) {
		mkdir(name, 0755);
		if (chdir(name))
			return -1;
	}
	return open("file", O_RDWR | O_CREAT, 0644);
}

int main(int argc, char **argv)
{
	unsigned int processes, mappings, i;
	int fd, done[2];
	char byte;

	if (argc < 4)
		return 2;
	processes = (unsigned int)strtoul(argv[1], NULL, 10);
	mappings = (unsigned int)strtoul(argv[2], NULL, 10);
	fd = make_deep_file(argv[3]);
	if (fd < 0 || pipe(done)) {
		perror(argv[3]);
		return 1;
	}
	/* Without an exec a child has no page of its own. */
	if (strcmp(argv[0], "crowd")) {
		for (i = 0; i < processes; i++) {
			if (fork())
				continue;
			if (dup2(done[1], STDOUT_FILENO) < 0)
				_exit(1);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			execl("/proc/self/exe", "crowd", argv[1], argv[2], argv[3], NULL);
			_exit(1);
		}
		close(done[1]);
		for (i = 0; i < processes; i++)
			if (read(done[0], &byte, 1) != 1)
				return 1;
		printf("mapped\n");
		fflush(stdout);
		pause();
	}
	/* Neighbours that differ stay mappings of their own. */
	for (i = 0; i < mappings; i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_SHARED, fd, 0) ==
		    MAP_FAILED)
			return 1;
	if (write(STDOUT_FILENO, "", 1) != 1)
		return 1;
	for (i = 0;; i++) {
		STRATA_TRACE(crowded, crowd, i);
		usleep(10000);
	}
}
