// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dispatch.c - how long a server takes to hand a client that has just connected to who answers it:
 * NR processes connect together, and each measures the time from connect() to the first bytes of
 * the answer.
 *
 *   dispatch strata SOCKET NR    a recorder: registers with one event, and gets its rings
 *   dispatch http PORT NR        a web server on the loopback: gets a page
 *
 * Prints the median of the clients and the largest, in ns, and how many had no answer.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../raw_app.h"

#define CLIENTS_MAX 10000

static void fail(const char *call)
{
	perror(call);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each returns whether the server answered. */

static bool register_program(const char *socket_path)
{
	const struct strata_event_desc event = { .name = "dispatched" };
	const int fd = raw_app_connect(socket_path);
	struct strata_app_packet setup;

	return raw_app_say(fd, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE,
			   (uint32_t)sysconf(_SC_NPROCESSORS_CONF), NULL, 0, 0) &&
	       raw_app_say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(0), 0) &&
	       raw_app_say(fd, STRATA_APP_READY, 0, 0, NULL, 0, 0) &&
	       raw_app_receive_memory(fd, &setup) >= 0 && setup.head.type == STRATA_APP_SETUP;
}

static bool get_page(const char *port)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) },
	};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	char answer[1500];

	return fd >= 0 && !connect(fd, (const struct sockaddr *)&address, sizeof(address)) &&
	       send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
	       recv(fd, answer, sizeof(answer), 0) > 12 &&
	       strncmp(answer + sizeof("HTTP/1.1"), "200", 3) == 0;
}

/* Waits until the parent closes its end of the pipe, connects, and notes the time; 0: no answer. */
static void be_client(bool (*ask)(const char *), const char *of, const int start[2], uint64_t *ns)
{
	uint64_t begin;
	char byte;

	close(start[1]);
	if (read(start[0], &byte, 1))
		fail("read");
	begin = now_ns();
	if (ask(of))
		*ns = now_ns() - begin;
	_exit(0);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print(uint64_t *ns, size_t nr)
{
	size_t failed = 0;

	qsort(ns, nr, sizeof(*ns), compare);
	while (failed < nr && !ns[failed])
		failed++;
	if (failed == nr) {
		fprintf(stderr, "dispatch: no client had an answer\n");
		exit(1);
	}
	printf("%llu %llu %zu\n", (unsigned long long)ns[failed + (nr - failed) / 2],
	       (unsigned long long)ns[nr - 1], failed);
}

int main(int argc, char **argv)
{
	bool (*const ask)(const char *) =
		argc > 1 && strcmp(argv[1], "http") == 0 ? get_page : register_program;
	const size_t nr = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	const struct timespec settle = { .tv_nsec = 200000000 };
	uint64_t *ns;
	int start[2];
	size_t i;

	if (argc != 4 || nr < 1 || nr > CLIENTS_MAX) {
		fprintf(stderr, "call it as: dispatch strata SOCKET|http PORT NR\n");
		return 2;
	}
	ns = mmap(NULL, nr * sizeof(*ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		  0);
	if (ns == MAP_FAILED || pipe(start))
		fail("mmap or pipe");
	for (i = 0; i < nr; i++) {
		const pid_t child = fork();

		if (child < 0)
			fail("fork");
		if (child == 0)
			be_client(ask, argv[2], start, &ns[i]);
	}
	/* All of them wait in read() by then. */
	nanosleep(&settle, NULL);
	close(start[1]);
	while (wait(NULL) > 0)
		;
	print(ns, nr);
	return 0;
}
