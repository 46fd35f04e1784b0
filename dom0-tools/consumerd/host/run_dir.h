/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_dir.h - /run/strata, root's directory for the recorder's lock and sockets.
 *
 * A socket in it is root's: no other user can bind a name there.  Used by run_lock.c,
 * control_socket.c, and the listener for applications.
 */
#ifndef STRATA_CONSUMERD_RUN_DIR_H
#define STRATA_CONSUMERD_RUN_DIR_H

#include <sys/types.h>

#include "base/error.h"
#include "files/safe_dir.h"

#define RUN_DIR "/run/strata"

/*
 * Opens the directory, and makes it if it is missing.  Refused: a link, and a directory that
 * is not root's or that others may write to.
 * Returns a descriptor that the caller closes, or -1 with the reason.
 */
int run_dir_open(struct strata_error *error);

/*
 * Binds @socket to NAME in the directory, with @mode, and replaces an existing socket.
 * The caller holds the lock of its number, so an existing socket is stale.
 * Returns 0 or -1 with the reason.
 */
int run_dir_bind(int socket, const char *name, mode_t mode, struct strata_error *error);

/* Opens a directory in it that only root may enter, and makes it if it is missing.  0 or -1. */
int run_dir_sub(const char *name, struct strata_dir *dir, struct strata_error *error);

/* Removes NAME from the directory, if it is there. */
void run_dir_remove(const char *name);

#endif /* STRATA_CONSUMERD_RUN_DIR_H */
