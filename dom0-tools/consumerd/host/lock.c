// SPDX-License-Identifier: GPL-2.0-or-later
/* lock.c - see lock.h. */
#include "consumerd/host/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "consumerd/host/run_dir.h"

#define LOCK_NAME "recorder.lock"
#define LOCK_PATH RUN_DIR "/" LOCK_NAME

static int open_lock(struct strata_error *error)
{
	int dir = run_dir_open(error), fd;

	if (dir < 0)
		return strata_fail_in(error, "not permitted to trace");
	fd = openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		strata_fail(error, "not permitted to trace: %s: %s; run strata as root in dom0",
			    LOCK_PATH, strerror(errno));
	close(dir);
	return fd;
}

int recorder_lock(struct strata_error *error)
{
	char who[64] = "";
	ssize_t length;
	int fd = open_lock(error);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		length = read(fd, who, sizeof(who) - 1);
		who[length > 0 ? length : 0] = '\0';
		who[strcspn(who, "\n")] = '\0';
		close(fd);
		return strata_fail(error,
				   "%s is already recording; wait for it, or stop it with Ctrl-C "
				   "or SIGINT",
				   who[0] ? who : "another strata");
	}
	length = snprintf(who, sizeof(who), "strata record, process %ld\n", (long)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, who, (size_t)length, 0) != length)
		fprintf(stderr,
			"strata: %s: %s; a second recorder cannot show the number of "
			"this process\n",
			LOCK_PATH, strerror(errno));
	return fd;
}
