// SPDX-License-Identifier: GPL-2.0-or-later
/* run_dir.c - see run_dir.h. */
#include "consumerd/host/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "consumerd/host/socket_bind.h"
#include "files/apart.h"

#define RUN_DIR_PARENT "/run"
#define RUN_DIR_NAME   "strata"

/* Nobody who watches its parent is told of it, and nobody else can read it, so nobody can watch it
 * or hold its lock (getdents() into memory that does not answer). */
#define FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Only root may be able to put names into it, or, in a @sticky one, to move root's.  0 or -1. */
static int check(int fd, const char *path, mode_t sticky, struct strata_error *error)
{
	struct stat status;

	if (fstat(fd, &status))
		return strata_fail(error, "%s: %s", path, strerror(errno));
	if (status.st_uid == 0 &&
	    (!(status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_mode & sticky))
		return 0;
	return strata_fail(error,
			   "%s belongs to user %u with mode %03o, so that others may write to it; "
			   "as root: chown root:root %s; chmod 711 %s",
			   path, status.st_uid, status.st_mode & 07777, path, path);
}

/* Opens it if the kernel knows its name; to look that up may take the lock of its parent.  -1 with
 * errno. */
static int open_known(int parent)
{
	const struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_CACHED };

	return (int)syscall(SYS_openat2, parent, RUN_DIR_NAME, &how, sizeof(how));
}

static void make_run_dir(void *data)
{
	int *reason = data;

	*reason = mkdir(RUN_DIR, 0711) && errno != EEXIST ? errno : 0;
}

/* In a process of its own, because any user may keep the parent locked.  After that the kernel
 * knows the name. 0 or -1. */
static int make(struct strata_error *error)
{
	int reason = 0;

	if (strata_apart(make_run_dir, &reason, sizeof(reason)))
		return errno == ETIMEDOUT
			       ? strata_fail(
					 error,
					 "%s cannot be made: another process keeps %s locked; "
					 "end it (fuser %s lists the processes that have it open)",
					 RUN_DIR, RUN_DIR_PARENT, RUN_DIR_PARENT)
			       : strata_fail(error, "%s: %s", RUN_DIR, strerror(errno));
	return reason ? strata_fail(error, "%s: %s; run strata as root in dom0", RUN_DIR,
				    strerror(reason))
		      : 0;
}

/* A descriptor or -1. */
static int make_and_open(int parent, struct strata_error *error)
{
	int fd = open_known(parent);

	if (fd >= 0)
		return fd;
	if (make(error))
		return -1;
	fd = openat(parent, RUN_DIR_NAME, FLAGS);
	return fd < 0 ? strata_fail(error, "%s: %s; as root: rm %s", RUN_DIR, strerror(errno),
				    RUN_DIR)
		      : fd;
}

/* Takes the right to read from others: an earlier version left it to them.  Fails only for one who
 * may not record either. */
static void close_to_others(int fd)
{
	struct stat status;

	if (!fstat(fd, &status) && status.st_mode & (S_IRGRP | S_IROTH))
		chmod(RUN_DIR, 0711);
}

int run_dir_open(struct strata_error *error)
{
	int parent = open(RUN_DIR_PARENT, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (parent < 0)
		return strata_fail(error, "%s: %s; run strata where /run is", RUN_DIR_PARENT,
				   strerror(errno));
	if (!check(parent, RUN_DIR_PARENT, S_ISVTX, error))
		fd = make_and_open(parent, error);
	close(parent);
	if (fd >= 0 && check(fd, RUN_DIR, 0, error)) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		close_to_others(fd);
	return fd;
}

int run_dir_bind(int socket, const char *name, mode_t mode, struct strata_error *error)
{
	int dir = run_dir_open(error);
	char path[128];

	if (dir < 0)
		return -1;
	snprintf(path, sizeof(path), RUN_DIR "/%s", name);
	unlinkat(dir, name, 0);
	close(dir);
	/* By its path, which only root can change. */
	return socket_bind(socket, path, mode) ? strata_fail(error, "%s: %s", path, strerror(errno))
					       : 0;
}

int run_dir_sub(const char *name, struct strata_dir *dir, struct strata_error *error)
{
	int parent = run_dir_open(error);

	if (parent < 0)
		return -1;
	*dir = (struct strata_dir){ .fd = -1 };
	snprintf(dir->path, sizeof(dir->path), RUN_DIR "/%s", name);
	if (!mkdirat(parent, name, 0700) || errno == EEXIST)
		dir->fd = openat(parent, name, FLAGS);
	if (dir->fd < 0)
		strata_fail(error, "%s: %s", dir->path, strerror(errno));
	close(parent);
	if (dir->fd < 0)
		return -1;
	if (!check(dir->fd, dir->path, 0, error))
		return 0;
	strata_dir_close(dir);
	return -1;
}

void run_dir_remove(const char *name)
{
	struct strata_error ignored;
	int dir = run_dir_open(&ignored);

	if (dir < 0)
		return;
	unlinkat(dir, name, 0);
	close(dir);
}
