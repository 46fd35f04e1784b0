// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unkillable.c - LD_PRELOAD for a recorder: nobody it kills ends.
 *
 * test_locked.sh uses it.  A process that waits in the kernel may not end when it is killed: if it
 * has the last reference to another one's memory, for example, it waits until that one's
 * asynchronous reads have ended, which a file system of a user's (FUSE) need not answer.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int kill(pid_t pid, int number)
{
	return number == SIGKILL ? 0 : (int)syscall(SYS_kill, pid, number);
}
