/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_limit.h - raises the number of files that this process may have open. */
#ifndef STRATA_CONSUMERD_FILE_LIMIT_H
#define STRATA_CONSUMERD_FILE_LIMIT_H

/* Raises the limit to the need of the largest recording, or as far as allowed.  Returns the limit;
 * if that is too low, opening a file reports it. */
unsigned long file_limit_raise(void);

#endif /* STRATA_CONSUMERD_FILE_LIMIT_H */
