// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_recorder.c - a program that is also its own recorder, which accepts and reads late, for
 * test_app_record.sh: SLOW_RECORDER WHAT, with STRATA_APP_SOCKET in the environment.
 *
 *   fork  the program forks while a thread of libstrata waits to be accepted; status 0: the child
 *         does not have that thread's socket
 *   late  the program describes more events than the recorder reads in time; status 0: the recorder
 *         gets the others when it reads on
 *   slow  likewise, before the recorder has read anything
 */
#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/tracepoint.h>

#include "../../raw_app.h"

#define MANY      900u /* events, whose descriptions no socket has room for */
#define LIMIT_MS  60000
#define PAUSE_US  1000
#define MAPS_LINE 512

STRATA_EVENT(test, first, strata_u64(number));

static void fail(const char *what)
{
	fprintf(stderr, "slow_recorder: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static int open_socket(int flags)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		fail("socket");
	return fd;
}

static int listen_there(int backlog)
{
	int fd = open_socket(0);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, backlog))
		fail(address.sun_path);
	return fd;
}

/* Calls this program, as a recorder does. */
static void call(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct strata_app_wait *page = NULL;
	char line[MAPS_LINE];
	unsigned long begin;

	while (maps && !page && fgets(line, sizeof(line), maps))
		if (strstr(line, STRATA_APP_WAIT_NAME) && sscanf(line, "%lx", &begin) == 1)
			page = (struct strata_app_wait *)begin;
	if (!page)
		fail("no page to call");
	fclose(maps);
	__atomic_add_fetch(&page->calls, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &page->calls, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static unsigned int count_sockets(void)
{
	DIR *files = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned int nr = 0;
	char target[32];

	if (!files)
		fail("/proc/self/fd");
	while ((entry = readdir(files))) {
		memset(target, 0, sizeof(target));
		nr += readlinkat(dirfd(files), entry->d_name, target, sizeof(target) - 1) > 0 &&
		      !strncmp(target, "socket:", 7);
	}
	closedir(files);
	return nr;
}

static int fork_while_connecting(void)
{
	int listener = listen_there(0), status;
	unsigned int before, turns = 0;
	pid_t child;

	/* One fills the queue, so that the next one waits. */
	if (connect(open_socket(SOCK_NONBLOCK), (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	before = count_sockets();
	call();
	while (count_sockets() == before) {
		if (turns++ > LIMIT_MS)
			fail("it does not connect");
		usleep(PAUSE_US);
	}
	/* The child finds no recorder of its own. */
	unlink(address.sun_path);
	child = fork();
	if (child == 0)
		_exit(count_sockets() != before);
	if (waitpid(child, &status, 0) != child)
		fail("fork");
	close(listener);
	return status != 0;
}

static void describe_many(void)
{
	static struct strata_tracepoint events[MANY];
	static char names[MANY][16];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "event_%u", i);
		events[i].group = "test";
		events[i].name = names[i];
		strata_app_register(&events[i]);
	}
	strata_app_ready();
}

/* Reads up to the READY that follows the description of that many events. */
static bool read_events(int fd, uint32_t nr)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct strata_app_packet packet;
	uint32_t have = 0;

	while (poll(&ready, 1, LIMIT_MS) > 0 && recv(fd, &packet, sizeof(packet), 0) > 0) {
		have += packet.head.type == STRATA_APP_EVENT;
		if (packet.head.type == STRATA_APP_READY && have == nr)
			return true;
	}
	fprintf(stderr, "slow_recorder: %u events are described, to be %u\n", have, nr);
	return false;
}

static int accept_program(void)
{
	int listener = listen_there(1), fd;

	call();
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		fail("accept");
	return fd;
}

static int describe_late(void)
{
	int fd = accept_program();

	if (!read_events(fd, 1))
		return 1;
	describe_many();
	return !read_events(fd, MANY);
}

static int greet_late(void)
{
	int fd = accept_program();

	describe_many();
	return !read_events(fd, MANY + 1);
}

int main(int argc, char **argv)
{
	const char *path = getenv(STRATA_APP_SOCKET_VARIABLE), *what = argc == 2 ? argv[1] : "";

	if (!path || strlen(path) >= sizeof(address.sun_path))
		fail(STRATA_APP_SOCKET_VARIABLE);
	strcpy(address.sun_path, path);
	STRATA_TRACE(test, first, 1);
	if (!strcmp(what, "fork"))
		return fork_while_connecting();
	if (!strcmp(what, "late"))
		return describe_late();
	if (!strcmp(what, "slow"))
		return greet_late();
	fprintf(stderr, "usage: slow_recorder fork|late|slow\n");
	return 2;
}
