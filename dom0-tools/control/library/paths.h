/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - paths in requests: stratad runs in another directory, so they are absolute. */
#ifndef STRATA_CONTROL_LIBRARY_PATHS_H
#define STRATA_CONTROL_LIBRARY_PATHS_H

#include <limits.h>

#include "base/error.h"

/* Makes a path absolute.  0 or -1. */
int paths_absolute(const char *path, char absolute[PATH_MAX], struct strata_error *error);

/* The date and time of now, for names. */
#define PATHS_DATE_BYTES 32
void paths_date(char date[PATHS_DATE_BYTES]);

/* The default directory of a session: where the user's other traces are, in a folder that is made.
 * 0 or -1. */
int paths_default(const char *name, char output[PATH_MAX], struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_PATHS_H */
