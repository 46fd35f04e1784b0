// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disturber.c - a user who makes look-ups in the kernel's cache of names fail (openat2() with
 * RESOLVE_CACHED): disturber PROCESSES.
 *
 * Each close of a file of a detached mount takes the lock of all mounts for writing, and a look-up
 * that meets that fails with EAGAIN.  Prints "disturbs", then "fails" when the first look-up of "/"
 * has failed, and goes on until it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <strata/known_name.h>

static void fail(const char *call)
{
	perror(call);
	exit(1);
}

static void put(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

/* A descriptor of a mount that is nowhere any more. */
static int detached_mount(void)
{
	const unsigned int user = getuid(), group = getgid();
	char map[64];
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		fail("unshare");
	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", user);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", group);
	put("/proc/self/gid_map", map);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
		fail("mount");
	fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || umount2("/tmp", MNT_DETACH))
		fail("umount");
	return fd;
}

int main(int argc, char **argv)
{
	int left = argc == 2 ? atoi(argv[1]) : 0;
	const int fd = left > 0 ? detached_mount() : -1;
	bool seen = false;

	if (fd < 0)
		return 2;
	while (--left > 0)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	if (left == 0) {
		printf("disturbs\n");
		fflush(stdout);
	}
	if (left > 0)
		for (;;)
			close(openat(fd, ".", O_PATH | O_CLOEXEC));
	/* The last one also looks whether it has an effect. */
	for (;;) {
		close(openat(fd, ".", O_PATH | O_CLOEXEC));
		if (!seen && !strata_lookups_are_quiet(STRATA_ROOT_TRIES) && errno == EAGAIN) {
			seen = true;
			printf("fails\n");
			fflush(stdout);
		}
	}
}
