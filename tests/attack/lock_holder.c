// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock_holder.c - a user who holds the kernel's locks of his rings' memory for as long as he can,
 * while the recorder needs them: LOCK_HOLDER SOCKET PROCESSES.
 *
 * That many processes map the memory of each ring thousands of times, so that the kernel has to go
 * through all of these mappings; it does so for a process of the lowest priority, beside processes
 * that keep the CPUs busy.  Three connections:
 *
 *   punched   takes pages out (fallocate()) when the recorder is about to seal its memory
 *   read      has a page taken out of memory (MADV_PAGEOUT) that the recorder is about to read
 *   unmapped  the same, of memory that the recorder is about to unmap
 *
 * It prints "held N", how many of them the kernel did go through mappings for, and then
 * "connections 3"; it goes on until it is killed.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "../raw_app.h"

#define MAPPINGS 18000u /* of each memory by a process, which may have 65,530 */
#define HOGS     4u

enum { PUNCHED, READ, UNMAPPED, NR_CONNECTIONS };

struct connection {
	int socket, memory;
	struct strata_ring_geometry geo;
	unsigned char *rings;
	size_t bytes;
	unsigned char *page; /* mapped once more: the first of the first ring's events */
};

/* Shared by all processes. */
static struct {
	bool is_busy, is_crowded;
	unsigned int rounds[NR_CONNECTIONS], held[NR_CONNECTIONS];
} *volatile shared;

static struct connection connections[NR_CONNECTIONS];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* True in the child, which ends with its parent. */
static bool make_process(void)
{
	const pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return !child;
}

static void await(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void attach(struct connection *one, const char *path, uint32_t cpus)
{
	const struct strata_event_desc event = { .name = "held" };
	struct strata_app_packet setup;
	uint64_t stride;
	uint32_t i;

	one->socket = raw_app_connect(path);
	if (!raw_app_say(one->socket, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, cpus, NULL, 0,
			 0) ||
	    !raw_app_say(one->socket, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(0),
			 0) ||
	    !raw_app_say(one->socket, STRATA_APP_READY, 0, 0, NULL, 0, 0))
		fail("send");
	one->memory = raw_app_receive_memory(one->socket, &setup);
	one->geo =
		(struct strata_ring_geometry){ setup.head.subbuf_bits, setup.head.nr_subbufs_bits };
	stride = strata_single_bytes(one->geo);
	one->bytes = cpus * stride;
	one->rings = mmap(NULL, one->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, one->memory, 0);
	one->page = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, one->memory,
			 STRATA_SINGLE_HEAD_BYTES);
	if (one->rings == MAP_FAILED || one->page == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < cpus; i++)
		strata_single_init((struct strata_single_area *)(one->rings + i * stride), one->geo,
				   i, false);
	/* Without a loss the recorder would take the source out again. */
	((struct strata_single_area *)one->rings)->lost[0] = 1;
}

/* The recorder reads its rings from here on. */
static void say_attached(const struct connection *one)
{
	raw_app_say(one->socket, STRATA_APP_ATTACHED, 0, 0, NULL, 0, 0);
}

static void await_selection(const struct connection *one)
{
	struct strata_app_packet selected;

	if (recv(one->socket, &selected, sizeof(selected), 0) <= 0)
		fail("the recorder hung up");
}

/* Mappings that the kernel meets before the one that has the page; neighbours differ, or they
 * would become one. */
static void crowd(unsigned int processes)
{
	unsigned int i, j;

	for (i = 0; i < NR_CONNECTIONS; i++)
		for (j = 0; j < MAPPINGS; j++)
			mmap(NULL, STRATA_SINGLE_HEAD_BYTES + (1 + j % 2) * STRATA_PAGE_BYTES,
			     PROT_READ, MAP_SHARED, connections[i].memory, 0);
	for (i = 1; i < processes; i++)
		if (make_process())
			for (;;)
				pause();
	__atomic_store_n(&shared->is_crowded, true, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static bool is_mapped(const unsigned char *page)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	const ssize_t bytes = pread(fd, &entry, sizeof(entry),
				    (off_t)((uintptr_t)page / STRATA_PAGE_BYTES * sizeof(entry)));

	close(fd);
	return bytes == sizeof(entry) && entry >> 63;
}

/* Makes the kernel go through all mappings of a memory.  False: it does not. */
static bool hold(unsigned int which)
{
	const struct connection *one = &connections[which];

	if (which == PUNCHED)
		return !fallocate(one->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  STRATA_SINGLE_HEAD_BYTES, STRATA_PAGE_BYTES);
	*(volatile unsigned char *)one->page = 1;
	return !madvise(one->page, STRATA_PAGE_BYTES, MADV_PAGEOUT) && !is_mapped(one->page);
}

static void hold_forever(unsigned int which)
{
	const struct sched_param lowest = { 0 };

	for (;;) {
		shared->held[which] += hold(which);
		__atomic_fetch_add(&shared->rounds[which], 1, __ATOMIC_RELEASE);
		sched_setscheduler(0, SCHED_IDLE, &lowest);
	}
}

static void use_memory(void)
{
	const struct connection *read = &connections[READ];
	struct strata_single_area *area = (struct strata_single_area *)read->rings;

	say_attached(&connections[PUNCHED]);
	area->closed[0].content_bytes = STRATA_PACKET_HEADER_BYTES;
	strata_store_release(&area->position,
			     strata_subbuf_bytes(read->geo) + STRATA_PACKET_HEADER_BYTES);
	shutdown(connections[UNMAPPED].socket, SHUT_RDWR);
}

int main(int argc, char **argv)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int i, held = 0;

	if (argc != 3)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < HOGS; i++) {
		if (!make_process())
			continue;
		await(&shared->is_busy);
		for (;;)
			;
	}
	for (i = 0; i < NR_CONNECTIONS; i++) {
		attach(&connections[i], argv[1], (uint32_t)cpus);
		if (i == PUNCHED)
			continue;
		say_attached(&connections[i]);
		await_selection(&connections[i]);
	}
	if (make_process())
		crowd((unsigned int)atoi(argv[2]));
	await(&shared->is_crowded);
	for (i = 0; i < NR_CONNECTIONS; i++)
		if (make_process())
			hold_forever(i);
	for (i = 0; i < NR_CONNECTIONS; i++) {
		while (!__atomic_load_n(&shared->rounds[i], __ATOMIC_ACQUIRE))
			usleep(1000);
		held += shared->held[i] != 0;
	}
	__atomic_store_n(&shared->is_busy, true, __ATOMIC_RELEASE);
	use_memory();
	printf("held %u\nconnections %d\n", held, NR_CONNECTIONS);
	fflush(stdout);
	for (;;)
		pause();
}
