/* SPDX-License-Identifier: GPL-2.0-or-later */
/* safe_walk.h - which users are trusted with a directory; shared by safe_walk.c and safe_dir.c. */
#ifndef STRATA_MERGE_SAFE_WALK_H
#define STRATA_MERGE_SAFE_WALK_H

#include <stdbool.h>
#include <sys/stat.h>

/* Us, or root. */
bool strata_dir_is_trusted(uid_t owner);

/* Whether users other than the owner may create, rename and remove entries, ignoring the sticky
 * bit. */
bool strata_dir_others_write(const struct stat *status);

#endif /* STRATA_MERGE_SAFE_WALK_H */
