// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watcher.c - a user who watches files that others open: WATCHER PATH... [-- SOCKET].
 *
 * Whoever opens, reads or closes a watched file pays for waking all who watch, and a user can do
 * so millions of times (epoll of one inotify descriptor).  Prints "watching" when it watches all
 * PATHs.  With a SOCKET it watches its own files in /proc, too, is recorded like any program, and
 * prints "recorded".  At SIGUSR1 it prints "opened PATH" for each time that somebody opened one of
 * them, and then "all".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "../raw_app.h"

#define WATCHED_MAX 64

static const char *const own_files[] = { "comm", "maps", "stat", "status", "uid_map" };

static const char *watched[WATCHED_MAX]; /* by number of the watch */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void watch(int inotify, const char *path)
{
	const int number = inotify_add_watch(inotify, path, IN_OPEN | IN_ACCESS | IN_CLOSE);

	if (number < 0)
		fail(path);
	if (number < WATCHED_MAX)
		watched[number] = strdup(path);
}

static void be_recorded(const char *path, uint32_t cpus)
{
	const struct strata_event_desc event = { .name = "watcher" };
	struct strata_ring_geometry geo;
	struct strata_app_packet setup;
	const int socket = raw_app_connect(path);
	unsigned char *rings;
	uint64_t stride;
	uint32_t i;
	int memory;

	if (!raw_app_say(socket, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, cpus, NULL, 0, 0) ||
	    !raw_app_say(socket, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(0), 0) ||
	    !raw_app_say(socket, STRATA_APP_READY, 0, 0, NULL, 0, 0))
		fail("send");
	memory = raw_app_receive_memory(socket, &setup);
	geo = (struct strata_ring_geometry){ setup.head.subbuf_bits, setup.head.nr_subbufs_bits };
	stride = strata_single_bytes(geo);
	rings = mmap(NULL, cpus * stride, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (rings == MAP_FAILED)
		fail("mmap");
	for (i = 0; i < cpus; i++)
		strata_single_init((struct strata_single_area *)(rings + i * stride), geo, i,
				   false);
	if (!raw_app_say(socket, STRATA_APP_ATTACHED, 0, 0, NULL, 0, 0) ||
	    recv(socket, &setup, sizeof(setup), 0) <= 0)
		fail("the recorder hung up");
}

static void print_opened(int inotify)
{
	char bytes[65536] __attribute__((aligned(8)));
	const struct inotify_event *event;
	ssize_t length, at;

	while ((length = read(inotify, bytes, sizeof(bytes))) > 0) {
		for (at = 0; at < length; at += (ssize_t)(sizeof(*event) + event->len)) {
			event = (const struct inotify_event *)(bytes + at);
			if (event->mask & IN_OPEN && event->wd < WATCHED_MAX)
				printf("opened %s\n", watched[event->wd]);
		}
	}
	printf("all\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const int inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* This reads a file that may be watched. */
	const uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	char path[64];
	sigset_t print;
	int i, number;
	size_t own;

	sigemptyset(&print);
	sigaddset(&print, SIGUSR1);
	sigprocmask(SIG_BLOCK, &print, NULL);
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		watch(inotify, argv[i]);
	for (own = 0; i < argc && own < sizeof(own_files) / sizeof(own_files[0]); own++) {
		snprintf(path, sizeof(path), "/proc/self/%s", own_files[own]);
		watch(inotify, path);
	}
	printf("watching\n");
	fflush(stdout);
	if (i + 1 < argc) {
		be_recorded(argv[i + 1], cpus);
		printf("recorded\n");
		fflush(stdout);
	}
	while (!sigwait(&print, &number))
		print_opened(inotify);
	return 1;
}
