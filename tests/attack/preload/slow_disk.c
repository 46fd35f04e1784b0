// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_disk.c - LD_PRELOAD for a recorder: each write of a packet takes 40 ms, and 2 s pass until
 * the disk has a file.
 *
 * test_snapshot_starts.sh uses it.  As slow is a machine whose rings take gigabytes, and a disk to
 * which a user writes.
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

int fdatasync(int fd)
{
	const struct timespec pause = { .tv_sec = 2 };

	nanosleep(&pause, NULL);
	return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
