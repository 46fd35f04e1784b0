// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_own_proc.c - LD_PRELOAD for a recorder: it may not mount, as in a container, so that it reads
 * the /proc of all.  test_locked.sh uses it.
 */
#include <errno.h>
#include <sys/mount.h>

int fsopen(const char *name, unsigned int flags)
{
	(void)name;
	(void)flags;
	errno = EPERM;
	return -1;
}
