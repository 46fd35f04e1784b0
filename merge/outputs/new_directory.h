/* SPDX-License-Identifier: GPL-2.0-or-later */
/* new_directory.h - a directory for what is to be written, in which nothing else is. */
#ifndef STRATA_MERGE_OUTPUTS_NEW_DIRECTORY_H
#define STRATA_MERGE_OUTPUTS_NEW_DIRECTORY_H

#include "error.h"

/* Makes the directory, or finds it empty.  0, or -1: it holds something, or cannot be made. */
int strata_make_new_directory(const char *dir, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_NEW_DIRECTORY_H */
