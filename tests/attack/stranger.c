// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stranger.c - a process that pretends to be a recorder, or a program, to programs of other users:
 *
 *   stranger squat N        binds the abstract names strata-app.1 to strata-app.N, and waits
 *   stranger call PID       connects to the abstract name strata-app.PID again and again; it prints
 *                           "calling" when it has tried once
 *   stranger attach PID     connects there once, and records that program
 *   stranger listen PATH    binds a socket at PATH, and records the first program that connects
 *   stranger grow PATH      connects to the recorder at PATH as a program does, and makes the
 * memory that it is given as large as it can
 *
 * A stranger that records gives the program memory that can be truncated, asks for all of its
 * events, and truncates the memory when an event is in it.  It prints "attached" when the program
 * has made its rings, and "read" when it has seen an event.  Status 1: the program refused it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../raw_app.h"

#define SUBBUF_BITS     12
#define NR_SUBBUFS_BITS 2
#define ANSWER_MS       60000 /* a program that has said nothing by then refuses */

static void fail(const char *what)
{
	fprintf(stderr, "stranger: %s: %s\n", what, strerror(errno));
	exit(2);
}

static socklen_t name_abstract(struct sockaddr_un *address, long pid)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
					    "strata-app.%ld", pid));
}

static int make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (fd < 0)
		fail("socket");
	return fd;
}

static void squat(long nr)
{
	struct sockaddr_un address;
	long i, bound = 0;

	for (i = 1; i <= nr; i++) {
		int fd = make_socket();

		if (bind(fd, (struct sockaddr *)&address, name_abstract(&address, i)))
			close(fd);
		else if (!listen(fd, 1))
			bound++;
	}
	printf("squatting %ld names\n", bound);
	fflush(stdout);
	pause();
}

static int call(long pid)
{
	struct sockaddr_un address;
	int fd = make_socket();

	if (!connect(fd, (struct sockaddr *)&address, name_abstract(&address, pid)))
		return fd;
	close(fd);
	return -1;
}

static void call_again_and_again(long pid)
{
	bool is_first = true;

	for (;;) {
		int fd = call(pid);

		if (fd >= 0)
			close(fd);
		if (is_first) {
			printf("calling\n");
			fflush(stdout);
			is_first = false;
		}
	}
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct pollfd ready = { .fd = make_socket(), .events = POLLIN };
	int fd;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (bind(ready.fd, (struct sockaddr *)&address, sizeof(address)) || chmod(path, 0666) ||
	    listen(ready.fd, 1))
		fail(path);
	printf("listening\n");
	fflush(stdout);
	fd = poll(&ready, 1, ANSWER_MS) == 1 ? accept(ready.fd, NULL, NULL) : -1;
	if (fd < 0)
		exit(1);
	return fd;
}

/* Waits for a message of that type.  The program has refused us if it hangs up. */
static struct strata_app_message await_type(int fd, enum strata_app_message_type type)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct strata_app_packet packet = { 0 };

	while (packet.head.type != type)
		if (poll(&ready, 1, ANSWER_MS) != 1 || recv(fd, &packet, sizeof(packet), 0) <= 0)
			exit(1);
	return packet.head;
}

static void send_packet(int fd, struct strata_app_packet *packet, int memory)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .align = { .cmsg_len = CMSG_LEN(sizeof(int)),
				 .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { .iov_base = packet, .iov_len = sizeof(*packet) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	packet->head.magic = STRATA_APP_MAGIC;
	packet->head.version = STRATA_APP_ABI_VERSION;
	if (memory >= 0) {
		memcpy(CMSG_DATA(&control.align), &memory, sizeof(memory));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
		exit(1);
}

static void record(int fd)
{
	const struct strata_ring_geometry geo = { SUBBUF_BITS, NR_SUBBUFS_BITS };
	struct strata_app_packet setup = { .head = { .type = STRATA_APP_SETUP,
						     .subbuf_bits = SUBBUF_BITS,
						     .nr_subbufs_bits = NR_SUBBUFS_BITS } };
	struct strata_app_packet select = { .head = { .type = STRATA_APP_SELECT, .count = 1024 } };
	struct strata_app_message hello = await_type(fd, STRATA_APP_HELLO);
	int memory = memfd_create("stranger", 0);
	unsigned int turn;
	uint64_t bytes;
	void *rings;

	await_type(fd, STRATA_APP_READY);
	setup.head.value = hello.value;
	setup.head.count = hello.count;
	bytes = strata_app_ring_bytes((enum strata_app_mode)hello.value, geo) * hello.count;
	if (memory < 0 || ftruncate(memory, (off_t)bytes))
		fail("memory");
	send_packet(fd, &setup, memory);
	await_type(fd, STRATA_APP_ATTACHED);
	printf("attached\n");
	fflush(stdout);
	rings = mmap(NULL, bytes, PROT_READ, MAP_SHARED, memory, 0);
	if (rings == MAP_FAILED)
		fail("mmap");
	memset(select.u.selected, 0xff, sizeof(select.u.selected));
	send_packet(fd, &select, -1);
	for (turn = 0; turn < ANSWER_MS; turn++) {
		/* Empty rings have a few words that are not 0. */
		uint64_t number = 0, i;

		for (i = 0; i < bytes / 8; i++)
			number += ((volatile uint64_t *)rings)[i] != 0;
		if (number > 64)
			break;
		usleep(1000);
	}
	printf("read\n");
	fflush(stdout);
	munmap(rings, bytes);
	if (ftruncate(memory, 0))
		fail("ftruncate");
	sleep(1);
}

static void grow(int fd)
{
	struct strata_app_packet setup;
	struct stat status;
	off_t step = 1 << 30;
	int memory;

	if (!raw_app_say(fd, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, 1, NULL, 0, 0) ||
	    !raw_app_say(fd, STRATA_APP_READY, 0, 0, NULL, 0, 0))
		fail("send");
	memory = raw_app_receive_memory(fd, &setup);
	if (memory < 0)
		exit(1);
	for (; step >= 4096; step /= 2)
		while (!fstat(memory, &status) && !fallocate(memory, 0, status.st_size, step))
			;
	printf("grown to %lld KiB\n", (long long)status.st_size >> 10);
	fflush(stdout);
	/* Until we are killed it stays so. */
	pause();
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	int fd;

	if (!strcmp(what, "squat")) {
		squat(atol(argv[2]));
	} else if (!strcmp(what, "call")) {
		call_again_and_again(atol(argv[2]));
	} else if (!strcmp(what, "attach")) {
		fd = call(atol(argv[2]));
		if (fd < 0)
			return 1;
		record(fd);
	} else if (!strcmp(what, "listen")) {
		record(listen_at(argv[2]));
	} else if (!strcmp(what, "grow")) {
		grow(raw_app_connect(argv[2]));
	} else {
		fprintf(stderr, "usage: stranger squat|call|attach|listen|grow WHAT\n");
		return 2;
	}
	return 0;
}
