/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_dir_path.h - chooses the directory of a user's sockets and locks; run_dir.h makes and opens
 * it. */
#ifndef STRATA_CONSUMERD_RUN_DIR_PATH_H
#define STRATA_CONSUMERD_RUN_DIR_PATH_H

#include "base/error.h"

/* A socket's path has to fit into its address, with its name. */
#define RUN_DIR_PATH_BYTES 96

/*
 * Chooses the directory of the effective user: root's is /run/strata, another user's is in
 * /run/user/UID or in his home (strata/abi/app.h).  It need not exist.
 * Returns 0, or -1 with the reason: there is no place for one.
 */
int run_dir_choose(char path[RUN_DIR_PATH_BYTES], struct strata_error *error);

#endif /* STRATA_CONSUMERD_RUN_DIR_PATH_H */
