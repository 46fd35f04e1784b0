// SPDX-License-Identifier: GPL-2.0-or-later
/* run_dir_path.c - see run_dir_path.h. */
#include "consumerd/host/run_dir_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/abi/app.h>

int run_dir_choose(char path[RUN_DIR_PATH_BYTES], struct strata_error *error)
{
	const uid_t user = geteuid();
	char runtime[32];

	if (!user) {
		memcpy(path, RUN_DIR_OF_ROOT, sizeof(RUN_DIR_OF_ROOT));
		return 0;
	}
	snprintf(runtime, sizeof(runtime), "/run/user/%u", user);
	if (strata_app_user_dir(path, RUN_DIR_PATH_BYTES, access(runtime, F_OK) ? NULL : runtime,
				secure_getenv("HOME")))
		return 0;
	path[0] = '\0';
	return strata_fail(error,
			   "there is no directory for sockets: /run/user/%u is missing, and HOME "
			   "names no other; set HOME",
			   user);
}

int run_dir_check(const struct stat *status, const char *what, mode_t sticky,
		  struct strata_error *error)
{
	if ((status->st_uid == 0 || status->st_uid == geteuid()) &&
	    (!(status->st_mode & (S_IWGRP | S_IWOTH)) || status->st_mode & sticky))
		return 0;
	return strata_fail(error,
			   "%s belongs to user %u with mode %03o, so that others may write to it; "
			   "as root: chown %u:%u %s; chmod %s %s",
			   what, status->st_uid, status->st_mode & 07777, geteuid(), getegid(),
			   what, geteuid() ? "700" : "711", what);
}

/* What does not exist yet harms nobody. */
static int fail_look(const char *what, struct strata_error *error)
{
	return errno == ENOENT ? 0 : strata_fail(error, "%s: %s", what, strerror(errno));
}

int run_dir_check_path(const char *path, struct strata_error *error)
{
	char parent[RUN_DIR_PATH_BYTES];
	struct stat status;

	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(path, '/') - path), path);
	if (stat(parent, &status))
		return fail_look(parent, error);
	if (run_dir_check(&status, parent, S_ISVTX, error))
		return -1;
	if (lstat(path, &status))
		return fail_look(path, error);
	if (!S_ISDIR(status.st_mode))
		return strata_fail(error, "%s: %s", path, strerror(ENOTDIR));
	return run_dir_check(&status, path, 0, error);
}
