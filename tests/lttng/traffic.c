// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traffic.c - two machines that talk over TCP: small messages to and fro, then much data each way,
 *then small ones again.
 *
 *	traffic serve           answers one client
 *	traffic ask ADDRESS     is the client; it says what happens
 *
 * Each message is a header of eight bytes, then as many bytes as that says. Every message is
 *recorded in LTTng-UST too, so that a trace of the application stands beside the kernel's.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "traffic_events.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT        7000
#define SMALL_BYTES 64
#define SMALL_COUNT 1500
#define BULK_BYTES  (6U << 20)
#define PAUSE_NS    2000000

/* The first word of a message: the client wants as many bytes back, or one in answer to many, or
 * the end. */
enum what { ECHO, TAKE, GIVE, END };

static const char *const names[] = { "echo", "take", "give", "end" };

struct header {
	uint32_t what;
	uint32_t bytes;
};

static uint8_t buffer[BULK_BYTES];
static uint32_t number;

static void send_all(int fd, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes) {
		ssize_t sent = send(fd, at, bytes, 0);

		if (sent <= 0)
			err(1, "send");
		at += sent;
		bytes -= (size_t)sent;
	}
}

static void receive_all(int fd, void *data, size_t bytes)
{
	if (bytes && recv(fd, data, bytes, MSG_WAITALL) != (ssize_t)bytes)
		err(1, "recv");
}

static void send_bytes(int fd, enum what what, uint32_t bytes)
{
	lttng_ust_tracepoint(traffic, sent, number, names[what], bytes);
	send_all(fd, buffer, bytes);
}

static void receive_bytes(int fd, enum what what, uint32_t bytes)
{
	receive_all(fd, buffer, bytes);
	lttng_ust_tracepoint(traffic, received, number, names[what], bytes);
	number++;
}

static void ask(int fd, enum what what, uint32_t bytes)
{
	const struct header header = { what, bytes };

	send_all(fd, &header, sizeof(header));
	send_bytes(fd, what, what == ECHO || what == TAKE ? bytes : 1);
	receive_bytes(fd, what, what == ECHO || what == GIVE ? bytes : 1);
}

/* Small messages, now at once after each other and now with a pause, so that they meet idle
 * machines and busy ones. */
static void ask_small(int fd)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint32_t i;

	for (i = 0; i < SMALL_COUNT; i++) {
		ask(fd, ECHO, SMALL_BYTES);
		if (i % 2)
			nanosleep(&pause, NULL);
	}
}

static void serve(int fd)
{
	struct header header;

	do {
		receive_all(fd, &header, sizeof(header));
		if (header.what > END || header.bytes > BULK_BYTES)
			errx(1, "a message of kind %u with %u bytes", header.what, header.bytes);
		receive_bytes(fd, header.what,
			      header.what == ECHO || header.what == TAKE ? header.bytes : 1);
		send_bytes(fd, header.what,
			   header.what == ECHO || header.what == GIVE ? header.bytes : 1);
	} while (header.what != END);
}

static int client(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int tries;

	if (!inet_aton(address, &to.sin_addr))
		errx(2, "%s is no address", address);
	for (tries = 0; tries < 600; tries++) {
		const int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (fd < 0)
			err(1, "socket");
		if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
			return fd;
		close(fd);
		/* The other machine may not be up yet. */
		usleep(100000);
	}
	err(1, "cannot reach %s", address);
}

static int server(void)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int listening = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (listening < 0 || bind(listening, (const struct sockaddr *)&own, sizeof(own)) ||
	    listen(listening, 1))
		err(1, "port %u", PORT);
	fd = accept(listening, NULL, NULL);
	if (fd < 0)
		err(1, "accept");
	close(listening);
	return fd;
}

int main(int argc, char **argv)
{
	const int one = 1;
	int fd;

	if (argc == 2 && !strcmp(argv[1], "serve"))
		fd = server();
	else if (argc == 3 && !strcmp(argv[1], "ask"))
		fd = client(argv[2]);
	else
		errx(2, "usage: traffic serve | traffic ask ADDRESS");
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		err(1, "TCP_NODELAY");
	if (argc == 2) {
		serve(fd);
		return 0;
	}
	ask_small(fd);
	ask(fd, TAKE, BULK_BYTES);
	ask(fd, GIVE, BULK_BYTES);
	ask_small(fd);
	ask(fd, END, 0);
	return 0;
}
