// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server PERIOD_MS - serves a made-up request in each period: reads a file, and works on what it
 * read.  An application of dom0 with trace points of its own, as a backend could have them.
 *
 * Scripts start it in dom0, which records it: between the beginning and the end of each request lie
 * the system calls that it made, in dom0's kernel, and what Xen ran meanwhile.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <strata/tracepoint.h>

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

int main(int argc, char **argv)
{
	static const char *const paths[] = { "/proc/interrupts", "/proc/stat", "/proc/uptime" };
	long period_ms = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	struct timespec pause = { .tv_sec = period_ms / 1000,
				  .tv_nsec = period_ms % 1000 * 1000000 };
	uint64_t id;

	if (period_ms < 1) {
		fprintf(stderr, "usage: server PERIOD_MS\n");
		return EXIT_FAILURE;
	}
	for (id = 0;; id++) {
		const char *path = paths[id % 3];
		uint32_t checksum;
		ssize_t bytes;

		STRATA_TRACE(server, request_begin, id, path);
		bytes = read_and_sum(path, &checksum);
		STRATA_TRACE(server, request_end, id, bytes, checksum);
		nanosleep(&pause, NULL);
	}
}
