// SPDX-License-Identifier: GPL-2.0-or-later
/* own_proc.c - see own_proc.h. */
#include "consumerd/host/own_proc.h"

#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

static char path[32];

/* A descriptor of the new instance; -1: there is none. */
static int mount_own(void)
{
	const int context = fsopen("proc", FSOPEN_CLOEXEC);
	int mount = -1;

	if (context < 0)
		return -1;
	if (!fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = fsmount(context, FSMOUNT_CLOEXEC,
				MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	close(context);
	return mount;
}

void own_proc_again(void)
{
	const int mount = mount_own();

	if (mount < 0)
		snprintf(path, sizeof(path), "/proc");
	else
		snprintf(path, sizeof(path), "/proc/self/fd/%d", mount);
}

const char *own_proc(void)
{
	if (!path[0])
		own_proc_again();
	return path;
}
