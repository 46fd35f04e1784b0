/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_dir.h - where root's stratad records for members of the group tracing:
 * /var/lib/strata/UID/NAME/recording-DATE-TIME.
 *
 * The directories are root's, and nobody else may list them (0711): a member can neither put names
 * or links there, nor watch or lock them.  A recording is closed to him while a consumer writes it,
 * and becomes his when it is complete: he reads, moves and removes what is in it, and root's
 * processes do not enter it any more.
 */
#ifndef STRATA_STRATAD_MEMBER_DIR_H
#define STRATA_STRATAD_MEMBER_DIR_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"

#define MEMBER_DIR "/var/lib/strata"

/* Directories of recordings that a member may have. */
#define MEMBER_RECORDINGS_MAX 32u

/* Writes the output directory of a member's session.  @name: whole, "web@1000" */
void member_dir_path(char path[PATH_MAX], const char *name);

/* Makes it, and checks that there is room for recordings or snapshots.  @nr_new: how many may be
 * added.  0 or -1. */
int member_dir_prepare(const char *name, unsigned int nr_new, struct strata_error *error);

/* Gives complete recordings of a session to its owner.  @only: name of one in the session's
 * directory; NULL: all, of a session that does not record.  0 or -1. */
int member_dir_hand_over(const char *name, const char *only, struct strata_error *error);

#endif /* STRATA_STRATAD_MEMBER_DIR_H */
