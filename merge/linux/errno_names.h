/* SPDX-License-Identifier: GPL-2.0-or-later */
/* errno_names.h - the names of error numbers: of Linux, and of Xen, which has the same. */
#ifndef STRATA_MERGE_ERRNO_NAMES_H
#define STRATA_MERGE_ERRNO_NAMES_H

#include "base/number_names.h"

#define STRATA_NR_ERRNO_RANGES 2

extern const struct strata_name_range strata_errno_ranges[STRATA_NR_ERRNO_RANGES];

/* Of what a system call returns: -2 is ENOENT. */
extern const struct strata_number_names strata_errno_results;

#endif /* STRATA_MERGE_ERRNO_NAMES_H */
