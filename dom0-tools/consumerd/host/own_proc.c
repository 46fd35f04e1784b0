// SPDX-License-Identifier: GPL-2.0-or-later
/* own_proc.c - see own_proc.h. */
#include "consumerd/host/own_proc.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#define NOT_OPENED (-2)

/* The root of the instance; -1: it cannot be opened. */
static int root = NOT_OPENED;

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
	root = mount_own();
	if (root < 0)
		root = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int own_proc_open(const char *name, int flags)
{
	if (root == NOT_OPENED)
		own_proc_again();
	return openat(root, name, flags | O_CLOEXEC);
}

FILE *own_proc_file(const char *name)
{
	const int fd = own_proc_open(name, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

bool own_proc_link(const char *name, char *target, size_t bytes)
{
	ssize_t length;

	if (root == NOT_OPENED)
		own_proc_again();
	length = readlinkat(root, name, target, bytes - 1);
	target[length > 0 ? length : 0] = '\0';
	return length > 0;
}
