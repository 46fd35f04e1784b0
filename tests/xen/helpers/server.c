// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server DOMAIN REF PORT [NICE] - answers the questions of a guest (tests/xen/workloads/ask.c): for
 * each it reads a file, and works on what it read.  An application of dom0 with trace points of its
 * own, as a backend could have them.
 *
 * Scripts start it in dom0, which records it: between the beginning and the end of each request lie
 * the system calls that it made, in dom0's kernel, and what Xen ran meanwhile.  The page is the
 * guest's: each word is read once.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xengnttab.h>

#include <strata/tracepoint.h>

#include "../workloads/question.h"

STRATA_EVENT(server, request_begin, strata_u64(id), strata_string(path));
STRATA_EVENT(server, request_end, strata_u64(id), strata_i64(bytes), strata_x32(checksum));

/* Returns how many bytes there were, or -1. */
static ssize_t read_and_sum(const char *path, uint32_t *checksum)
{
	unsigned char bytes[4096];
	ssize_t got = -1, i;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		got = read(fd, bytes, sizeof(bytes));
		close(fd);
	}
	for (*checksum = 0, i = 0; i < got; i++)
		*checksum = *checksum * 31 + bytes[i];
	return got;
}

static uint32_t answer(uint64_t id)
{
	static const char *const paths[] = { "/proc/interrupts", "/proc/stat", "/proc/uptime" };
	const char *path = paths[id % 3];
	uint32_t checksum;
	ssize_t bytes;

	STRATA_TRACE(server, request_begin, id, path);
	bytes = read_and_sum(path, &checksum);
	STRATA_TRACE(server, request_end, id, bytes, checksum);
	return checksum;
}

int main(int argc, char **argv)
{
	uint32_t domain, ref, remote;
	struct question_page *page;
	xengnttab_handle *gnttab;
	xenevtchn_handle *evtchn;
	xenevtchn_port_or_error_t port;
	uint64_t answered = 0;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: server DOMAIN REF PORT [NICE]\n");
		return EXIT_FAILURE;
	}
	if (argc == 5 && setpriority(PRIO_PROCESS, 0, atoi(argv[4]))) {
		perror("server: setpriority");
		return EXIT_FAILURE;
	}
	domain = (uint32_t)strtoul(argv[1], NULL, 10);
	ref = (uint32_t)strtoul(argv[2], NULL, 10);
	remote = (uint32_t)strtoul(argv[3], NULL, 10);
	gnttab = xengnttab_open(NULL, 0);
	page = gnttab ? xengnttab_map_grant_ref(gnttab, domain, ref, PROT_READ | PROT_WRITE) : NULL;
	evtchn = xenevtchn_open(NULL, 0);
	port = evtchn ? xenevtchn_bind_interdomain(evtchn, domain, remote) : -1;
	if (!page || port < 0) {
		perror("server: cannot share a page and a port with the guest");
		return EXIT_FAILURE;
	}
	printf("server: ready\n");
	fflush(stdout);
	for (;;) {
		uint64_t asked;

		if (xenevtchn_pending(evtchn) < 0 ||
		    xenevtchn_unmask(evtchn, (evtchn_port_t)port)) {
			perror("server: event channel");
			return EXIT_FAILURE;
		}
		asked = page->asked;
		/* A port is pending when it has just been bound. */
		if (asked == answered)
			continue;
		page->answer = answer(asked);
		page->answered = answered = asked;
		if (xenevtchn_notify(evtchn, (evtchn_port_t)port)) {
			perror("server: notify");
			return EXIT_FAILURE;
		}
	}
}
