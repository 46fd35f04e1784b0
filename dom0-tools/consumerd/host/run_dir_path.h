/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_dir_path.h - chooses the directory of a user's sockets and locks; run_dir.h makes and opens
 * it. */
#ifndef STRATA_CONSUMERD_RUN_DIR_PATH_H
#define STRATA_CONSUMERD_RUN_DIR_PATH_H

#include <sys/stat.h>

#include "base/error.h"

/* A socket's path has to fit into its address, with its name. */
#define RUN_DIR_PATH_BYTES 96

/* The directory of root. */
#define RUN_DIR_OF_ROOT "/run/strata"

/*
 * Chooses the directory of the effective user: root's is /run/strata, another user's is in
 * /run/user/UID or in his home (strata/abi/app.h).  It need not exist.
 * Returns 0, or -1 with the reason: there is no place for one.
 */
int run_dir_choose(char path[RUN_DIR_PATH_BYTES], struct strata_error *error);

/*
 * Checks that only the effective user and root can put names into a directory.
 * @what:   its path
 * @sticky: S_ISVTX: others may put names into it, but not move or remove ours; 0: they may not
 * Returns 0, or -1 with the reason.
 */
int run_dir_check(const struct stat *status, const char *what, mode_t sticky,
		  struct strata_error *error);

/*
 * Checks the directory @path and the one that it is in, if they exist: for a client, which uses
 * what it finds there and makes nothing.
 * Returns 0, or -1 with the reason: another user may have put there what looks like ours.
 */
int run_dir_check_path(const char *path, struct strata_error *error);

#endif /* STRATA_CONSUMERD_RUN_DIR_PATH_H */
