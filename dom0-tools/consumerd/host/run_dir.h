/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_dir.h - the directory of a user's recorders and of stratad, for locks and sockets: root's is
 * /run/strata, another user's is in /run/user/UID or in his home (strata/abi/app.h).
 *
 * A socket in it is that user's: nobody else can bind a name there.  Used by run_lock.c,
 * control_socket.c, stratad, and the listener for applications.
 */
#ifndef STRATA_CONSUMERD_RUN_DIR_H
#define STRATA_CONSUMERD_RUN_DIR_H

#include <sys/types.h>

#include "base/error.h"
#include "files/safe_dir.h"

/* Its path; "": there is no place for one, as run_dir_open() tells. */
const char *run_dir_path(void);

/*
 * Opens the directory, and makes it if it is missing.  Refused: a link, and a directory that
 * is not ours or that others may write to.
 * Returns a descriptor that the caller closes, or -1 with the reason.
 */
int run_dir_open(struct strata_error *error);

/*
 * Binds @socket to NAME in the directory, with @mode, and replaces an existing socket.
 * The caller holds the lock of its number, so an existing socket is stale.
 * Returns 0 or -1 with the reason.
 */
int run_dir_bind(int socket, const char *name, mode_t mode, struct strata_error *error);

/* Opens a directory in it that only we may enter, and makes it if it is missing.  0 or -1. */
int run_dir_sub(const char *name, struct strata_dir *dir, struct strata_error *error);

/* Removes NAME from the directory, if it is there. */
void run_dir_remove(const char *name);

#endif /* STRATA_CONSUMERD_RUN_DIR_H */
