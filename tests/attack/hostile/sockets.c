// SPDX-License-Identifier: GPL-2.0-or-later
/* sockets.c - attacks with connections that never become an application's: silent ones, messages
 * that nobody has to read, and descriptors that are slow to close. */
#include "attacks.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "../../raw_app.h"
#include "connection.h"

#define LINGER_S   600
#define QUEUED_MAX 1000u
#define KNOCK_NS   500000

/* Returns how many connections the recorder has left open. */
static uint32_t connect_silently(uint32_t nr)
{
	struct pollfd fd = { .events = POLLIN };
	uint32_t i, left = 0;

	for (i = 0; i < nr; i++)
		connections[i].socket = raw_app_connect(recorder_socket);
	/* The recorder has sent those beyond a limit away before it answers a later one. */
	for (i = 0; i < nr; i++) {
		fd.fd = connections[i].socket;
		left += poll(&fd, 1, 0) == 0;
	}
	return left;
}

void attack_silent(const struct attack_arguments *arguments)
{
	print_connections(connect_silently(arguments->nr));
}

static uid_t user_of(const char *text)
{
	return (uid_t)strtoul(text, NULL, 10);
}

static void become(uid_t real, uid_t effective, uid_t saved)
{
	if (setresuid(real, effective, saved))
		fail("setresuid");
}

void attack_started(const struct attack_arguments *arguments)
{
	become(user_of(arguments->more[0]), 0, 0);
	print_connections(connect_silently(arguments->nr));
}

void attack_turned(const struct attack_arguments *arguments)
{
	const uid_t user = user_of(arguments->more[0]), later = user_of(arguments->more[1]);
	uint32_t nr;

	become((uid_t)-1, user, 0);
	nr = connect_silently(arguments->nr);
	become(0, 0, 0);
	become(later, later, later);
	print_connections(nr);
}

/* Sends messages on connections beyond the user's share, which nobody has to read. */
void attack_queue(const struct attack_arguments *arguments)
{
	uint32_t i;

	print_connections(connect_silently(arguments->nr));
	for (;;) {
		int fd = raw_app_connect(recorder_socket);

		for (i = 0; i < QUEUED_MAX && send(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
		     i++)
			;
		close(fd);
	}
}

/* Comes with connections beyond the user's share, and hangs up. */
void attack_knock(const struct attack_arguments *arguments)
{
	const struct timespec pause = { .tv_nsec = KNOCK_NS };

	print_connections(connect_silently(arguments->nr));
	for (;;) {
		close(raw_app_connect(recorder_socket));
		nanosleep(&pause, NULL);
	}
}

/* Makes a TCP connection whose other end never reads, so that its last close() waits. */
static int make_lingering(void)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	static const char data[65536];

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes) ||
	    connect(fd, (struct sockaddr *)&address, bytes) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		fail("TCP");
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return fd;
}

/* Sends a descriptor to the recorder.  The close() of a process that ends does not linger; so a
 * child sends it, and when the child has ended, only the recorder has a descriptor of the file. */
static void give_away(int socket, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .align = { .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS,
				 .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct strata_app_packet packet = { .head = { .magic = STRATA_APP_MAGIC,
						      .version = STRATA_APP_ABI_VERSION,
						      .type = STRATA_APP_HELLO,
						      .value = STRATA_APP_SINGLE_STORE,
						      .count = 1 } };
	struct iovec part = { .iov_base = &packet, .iov_len = sizeof(packet.head) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int gate[2];
	pid_t child;
	char byte;

	memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	if (pipe(gate) || (child = fork()) < 0)
		fail("fork");
	if (!child) {
		close(gate[1]);
		/* Returns when the parent has closed its descriptor. */
		if (read(gate[0], &byte, 1) || sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
			_exit(1);
		_exit(0);
	}
	close(fd);
	close(gate[0]);
	close(gate[1]);
	waitpid(child, NULL, 0);
}

/* Sends every second descriptor behind a message without bytes, and hangs up at once. */
void attack_linger(const struct attack_arguments *arguments)
{
	uint32_t i;

	for (i = 0; i < arguments->nr; i++) {
		int fd = raw_app_connect(recorder_socket);

		if (i % 2)
			send(fd, "", 0, MSG_NOSIGNAL);
		give_away(fd, make_lingering());
		if (i % 2)
			close(fd);
	}
	print_connections(arguments->nr);
}
