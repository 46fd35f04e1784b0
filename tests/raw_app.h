/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_app.h - talks to a recorder as libstrata does, message by message, for programs that
 * want to send what libstrata never would.
 */
#ifndef STRATA_TESTS_RAW_APP_H
#define STRATA_TESTS_RAW_APP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <strata/abi/app.h>

/* A recorder that has not answered within five minutes hangs. */
#define RAW_APP_ANSWER_S 300

/* Connects to a recorder; ends the program if it cannot. */
static inline int raw_app_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = RAW_APP_ANSWER_S };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Sends a message with @bytes of @more behind its head.  False: the recorder has hung up.
 * @flags: of send(), besides MSG_NOSIGNAL */
static inline bool raw_app_say(int fd, uint16_t type, uint32_t value, uint32_t count,
			       const void *more, size_t bytes, int flags)
{
	struct strata_app_packet packet = { .head = { .magic = STRATA_APP_MAGIC,
						      .version = STRATA_APP_ABI_VERSION,
						      .type = type,
						      .value = value,
						      .count = count } };

	if (bytes)
		memcpy(&packet.u, more, bytes);
	return send(fd, &packet, sizeof(packet.head) + bytes, MSG_NOSIGNAL | flags) > 0;
}

/* Receives SETUP into @packet.  Returns the descriptor that comes with it; -1: none came. */
static inline int raw_app_receive_memory(int fd, struct strata_app_packet *packet)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = packet, .iov_len = sizeof(*packet) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int memory;

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) <= 0 || !CMSG_FIRSTHDR(&message))
		return -1;
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	return memory;
}

#endif /* STRATA_TESTS_RAW_APP_H */
