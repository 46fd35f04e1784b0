/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_run.h - an empty /run for each test, which nobody else sees: for tests that run as root. */
#ifndef STRATA_UNIT_OWN_RUN_H
#define STRATA_UNIT_OWN_RUN_H

#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>

/* Once, before all tests: mounts of the process's own.  0, or -1 with errno. */
static int own_mounts(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -1 : 0;
}

/* Before a test; it is so small that a test can fill it.  0, or -1 with errno. */
static int mount_own_run(void)
{
	return mount("tmpfs", "/run", "tmpfs", 0, "mode=755,size=32k");
}

/* After a test. */
static int unmount_own_run(void **state)
{
	(void)state;
	return umount2("/run", MNT_DETACH);
}

#endif /* STRATA_UNIT_OWN_RUN_H */
