// SPDX-License-Identifier: GPL-2.0-or-later
/* run_dir.c - see run_dir.h. */
#include "consumerd/host/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "consumerd/host/run_dir_path.h"
#include "consumerd/host/socket_bind.h"
#include "files/apart.h"

static char path[RUN_DIR_PATH_BYTES];   /* "": no directory is possible */
static char parent[RUN_DIR_PATH_BYTES]; /* that it is in */
static const char *name;                /* in its parent */
static struct strata_error why;         /* it has none */
static pthread_once_t chosen = PTHREAD_ONCE_INIT;

static void choose(void)
{
	if (run_dir_choose(path, &why))
		return;
	memcpy(parent, path, sizeof(parent));
	*strrchr(parent, '/') = '\0';
	name = path + strlen(parent) + 1;
}

const char *run_dir_path(void)
{
	pthread_once(&chosen, choose);
	return path;
}

/* A watch of the parent does not report such an open, and other users cannot read the directory: so
 * they can neither watch it nor hold its lock (getdents() into memory that does not answer). */
#define FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int check(int fd, const char *what, mode_t sticky, struct strata_error *error)
{
	struct stat status;

	if (fstat(fd, &status))
		return strata_fail(error, "%s: %s", what, strerror(errno));
	return run_dir_check(&status, what, sticky, error);
}

/* Opens it if the kernel knows its name; to look that up may take the lock of its parent.  -1 with
 * errno. */
static int open_known(int parent_fd)
{
	const struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_CACHED };

	return (int)syscall(SYS_openat2, parent_fd, name, &how, sizeof(how));
}

static void make_run_dir(void *data)
{
	int *reason = data;

	/* Of this process alone, which ends: others have to find the recorders in root's directory,
	 * whatever root's umask is. */
	umask(0);
	*reason = mkdir(path, geteuid() ? 0700 : 0711) && errno != EEXIST ? errno : 0;
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
					 path, parent, parent)
			       : strata_fail(error, "%s: %s", path, strerror(errno));
	return reason ? strata_fail(error, "%s: %s", path, strerror(reason)) : 0;
}

/* A descriptor or -1. */
static int make_and_open(int parent_fd, struct strata_error *error)
{
	int fd = open_known(parent_fd);

	if (fd >= 0)
		return fd;
	if (make(error))
		return -1;
	fd = openat(parent_fd, name, FLAGS);
	return fd < 0 ? strata_fail(error, "%s: %s; %srm %s", path, strerror(errno),
				    geteuid() ? "" : "as root: ", path)
		      : fd;
}

/* Takes the right to read from others: an earlier version left it to them.  Fails only for one who
 * may not record either. */
static void close_to_others(int fd)
{
	struct stat status;

	if (!fstat(fd, &status) && status.st_mode & (S_IRGRP | S_IROTH))
		chmod(path, geteuid() ? 0700 : 0711);
}

int run_dir_open(struct strata_error *error)
{
	int parent_fd, fd = -1;

	if (!run_dir_path()[0])
		return strata_fail(error, "%s", why.text);
	parent_fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent_fd < 0)
		return strata_fail(error, "%s: %s; run strata where it is%s", parent,
				   strerror(errno), geteuid() ? ", or set HOME" : "");
	if (!check(parent_fd, parent, S_ISVTX, error))
		fd = make_and_open(parent_fd, error);
	close(parent_fd);
	if (fd >= 0 && check(fd, path, 0, error)) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		close_to_others(fd);
	return fd;
}

int run_dir_bind(int socket, const char *file, mode_t mode, struct strata_error *error)
{
	int dir = run_dir_open(error);
	char whole[RUN_DIR_PATH_BYTES + 32];

	if (dir < 0)
		return -1;
	snprintf(whole, sizeof(whole), "%s/%s", path, file);
	unlinkat(dir, file, 0);
	close(dir);
	/* By its path, which only we and root can change. */
	return socket_bind(socket, whole, mode)
		       ? strata_fail(error, "%s: %s", whole, strerror(errno))
		       : 0;
}

int run_dir_sub(const char *folder, struct strata_dir *dir, struct strata_error *error)
{
	int above = run_dir_open(error);

	if (above < 0)
		return -1;
	*dir = (struct strata_dir){ .fd = -1 };
	snprintf(dir->path, sizeof(dir->path), "%s/%s", path, folder);
	if (!mkdirat(above, folder, 0700) || errno == EEXIST)
		dir->fd = openat(above, folder, FLAGS);
	if (dir->fd < 0)
		strata_fail(error, "%s: %s", dir->path, strerror(errno));
	close(above);
	if (dir->fd < 0)
		return -1;
	if (!check(dir->fd, dir->path, 0, error))
		return 0;
	strata_dir_close(dir);
	return -1;
}

void run_dir_remove(const char *file)
{
	struct strata_error ignored;
	int dir = run_dir_open(&ignored);

	if (dir < 0)
		return;
	unlinkat(dir, file, 0);
	close(dir);
}
