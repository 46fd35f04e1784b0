// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * restart_as.c - restarts this kernel with a command, as `reboot(2)` has it: `restart_as COMMAND`.
 * With "kexec reboot" the kernel tells all of its parts what it tells them before another kernel is
 * started.
 */
#include <linux/reboot.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART2,
		argv[1]);
	perror("restart_as");
	return 1;
}
