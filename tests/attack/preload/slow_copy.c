// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slow_copy.c - LD_PRELOAD for a recorder: a thread takes a second to get a copy of the open files.
 *
 * test_slow_copy.sh uses it.  Where users keep a CPU busy with many processes, a thread that is to
 * run there gets no CPU for that long.
 */
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

int unshare(int flags)
{
	const struct timespec pause = { .tv_sec = 1 };

	if (flags == CLONE_FILES)
		nanosleep(&pause, NULL);
	return ((int (*)(int))dlsym(RTLD_NEXT, "unshare"))(flags);
}
