// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcptalk answer | tcptalk ask ADDRESS PERIOD_MS - two guests that talk over TCP: one asks every
 * PERIOD_MS, one question after the other, and the other answers each.
 *
 * A script types either on a guest's console.  The one says "tcptalk: ready" when it is connected,
 * the other when it listens.  Both go on until they are killed or the connection breaks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT       1234
#define CONNECT_MS 100
#define ATTEMPTS   300

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void sleep_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void say_ready(void)
{
	printf("tcptalk: ready\n");
	fflush(stdout);
}

/* Each question is a segment of its own. */
static void send_at_once(int talk)
{
	const int yes = 1;

	if (setsockopt(talk, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)))
		fail("tcptalk: TCP_NODELAY");
}

/* Questions and answers are shorter than a segment, so one read gets a whole one. */
static void receive(int talk, uint64_t *number)
{
	if (read(talk, number, sizeof(*number)) != sizeof(*number))
		fail("tcptalk: read");
}

static void send_number(int talk, uint64_t number)
{
	if (write(talk, &number, sizeof(number)) != sizeof(number))
		fail("tcptalk: write");
}

static _Noreturn void answer(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int yes = 1, door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t number;
	int talk;

	if (door < 0 || setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(door, (struct sockaddr *)&here, sizeof(here)) || listen(door, 1))
		fail("tcptalk: listen");
	say_ready();
	talk = accept(door, NULL, NULL);
	if (talk < 0)
		fail("tcptalk: accept");
	send_at_once(talk);
	for (;;) {
		receive(talk, &number);
		send_number(talk, ~number);
	}
}

/* Until the interfaces at both ends are connected, nobody answers. */
static int call(const struct sockaddr_in *there)
{
	int attempt, talk;

	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		talk = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (talk < 0)
			fail("tcptalk: socket");
		if (!connect(talk, (const struct sockaddr *)there, sizeof(*there)))
			return talk;
		close(talk);
		sleep_ms(CONNECT_MS);
	}
	fail("tcptalk: connect");
}

static _Noreturn void ask(const char *address, long period_ms)
{
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	uint64_t number, got;
	int talk;

	if (inet_pton(AF_INET, address, &there.sin_addr) != 1)
		fail("tcptalk: the address");
	talk = call(&there);
	send_at_once(talk);
	say_ready();
	for (number = 1;; number++) {
		send_number(talk, number);
		receive(talk, &got);
		if (got != ~number) {
			fprintf(stderr, "tcptalk: the answer belongs to another question\n");
			exit(EXIT_FAILURE);
		}
		sleep_ms(period_ms);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "answer"))
		answer();
	if (argc == 4 && !strcmp(argv[1], "ask"))
		ask(argv[2], atol(argv[3]));
	fprintf(stderr, "usage: tcptalk answer | tcptalk ask ADDRESS PERIOD_MS\n");
	return EXIT_FAILURE;
}
