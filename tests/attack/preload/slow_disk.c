// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_disk.c - LD_PRELOAD for a recorder: each write of a packet takes 40 ms.
 *
 * test_snapshot_starts.sh uses it.  As slow is a machine whose rings take gigabytes.
 */
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#define PACKET_BYTES (64u << 10) /* tables and messages are shorter */

ssize_t write(int fd, const void *bytes, size_t length)
{
	const struct timespec pause = { .tv_nsec = 40000000 };

	if (length >= PACKET_BYTES)
		nanosleep(&pause, NULL);
	return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(fd, bytes,
										  length);
}
