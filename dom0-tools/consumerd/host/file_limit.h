/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_limit.h - raises the number of files that this process may have open. */
#ifndef STRATA_CONSUMERD_FILE_LIMIT_H
#define STRATA_CONSUMERD_FILE_LIMIT_H

#include "base/error.h"

/* Raises the limit to the need of the largest recording, or as far as allowed.  Returns the limit;
 * if that is too low, opening a file reports it. */
unsigned long file_limit_raise(void);

/*
 * Whether files may become as large as the tables of a recording in which all shares are used
 * (`ulimit -f`): a table that cannot be written makes all of the recording unreadable.  0 or -1.
 */
int file_limit_check_size(struct strata_error *error);

#endif /* STRATA_CONSUMERD_FILE_LIMIT_H */
