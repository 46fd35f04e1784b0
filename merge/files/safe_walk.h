/* SPDX-License-Identifier: GPL-2.0-or-later */
/* safe_walk.h - who is trusted with a directory; what safe_walk.c and safe_dir.c share. */
#ifndef STRATA_MERGE_SAFE_WALK_H
#define STRATA_MERGE_SAFE_WALK_H

#include <stdbool.h>
#include <sys/stat.h>

/* Us, or root. */
bool strata_dir_is_trusted(uid_t owner);

/* May users other than the owner make, rename and remove entries, apart from the sticky bit? */
bool strata_dir_others_write(const struct stat *status);

#endif /* STRATA_MERGE_SAFE_WALK_H */
