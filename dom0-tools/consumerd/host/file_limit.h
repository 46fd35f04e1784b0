/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_limit.h - how many files this process may have open: as many as it is allowed to ask for. */
#ifndef STRATA_STRATA_FILE_LIMIT_H
#define STRATA_STRATA_FILE_LIMIT_H

/* Raises the limit to what the largest recording needs, or as far as that is allowed.  If that
 * fails, opening a file will say so.  Returns the limit. */
unsigned long file_limit_raise(void);

#endif /* STRATA_STRATA_FILE_LIMIT_H */
