/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_limit.h - how many files this process may have open: as many as it is allowed to ask for. */
#ifndef STRATA_STRATA_FILE_LIMIT_H
#define STRATA_STRATA_FILE_LIMIT_H

/* Raises the soft limit to the hard one.  If that fails, opening a file will say so. */
void file_limit_raise(void);

#endif /* STRATA_STRATA_FILE_LIMIT_H */
