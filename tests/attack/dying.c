// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dying.c - processes that end while the recorder looks at them: DYING SOCKET NUMBER UID.
 *
 * Each has mapped a TCP connection whose last close waits for ten minutes, connects to the
 * recorder, and ends at another moment. Whoever reads its /proc/PID/status has a reference to its
 * memory meanwhile, and if that is the last one, closes the connection.  As many groups as a user
 * may own (/etc/subgid) make that file long to read.  It prints "tried NUMBER", and goes on until
 * it is killed.
 */
#include <errno.h>
#include <grp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../raw_app.h"

#define LINGER_S     600
#define GROUPS       65536u
#define FIRST_GROUP  4000000000u
#define SMALL_BUFFER 4096

/* The moments of the ends are spread over that time. */
#define END_NS  2000000u
#define STEP_NS 293003u

static struct sockaddr_in address = { .sin_family = AF_INET };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As newgidmap(1) would let that user. */
static void become(uid_t uid)
{
	static gid_t groups[GROUPS];
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		groups[i] = FIRST_GROUP + i;
	if (setgroups(GROUPS, groups) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		fail("setresuid");
}

/* Connections to it are never accepted nor read. */
static int open_listener(void)
{
	const int small = SMALL_BUFFER;
	socklen_t bytes = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) ||
	    bind(fd, (struct sockaddr *)&address, bytes) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&address, &bytes))
		fail("listen");
	return fd;
}

/* From now on the mapping alone keeps the connection. */
static void map_lingering(void)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	const int small = SMALL_BUFFER;
	static const char data[65536];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		fail("TCP");
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	if (mmap(NULL, SMALL_BUFFER, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		fail("mmap");
	close(fd);
}

static void connect_and_end(const char *path, uint64_t after_ns)
{
	uint64_t end;

	map_lingering();
	raw_app_connect(path);
	for (end = now_ns() + after_ns; now_ns() < end;)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long nr, i;
	pid_t child;
	int status;

	if (argc < 4)
		return 2;
	nr = strtoul(argv[2], NULL, 10);
	become((uid_t)strtoul(argv[3], NULL, 10));
	open_listener();
	for (i = 0; i < nr; i++) {
		child = fork();
		if (child < 0)
			fail("fork");
		if (!child)
			connect_and_end(argv[1], i * STEP_NS % END_NS);
		if (waitpid(child, &status, 0) < 0 || status)
			return 1;
	}
	printf("tried %lu\n", nr);
	fflush(stdout);
	for (;;)
		pause();
}
