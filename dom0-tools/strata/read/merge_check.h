/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_check.h - `strata merge --check`: checks the order of a recording, and how exactly its
 * clocks would be known without Xen's maps. */
#ifndef STRATA_STRATA_MERGE_CHECK_H
#define STRATA_STRATA_MERGE_CHECK_H

#include "strata/read/traces.h"

/* Checks, and prints the results for people or as JSON. Returns the exit status. */
int merge_check(char *raw, const struct traces_shifts *shifts, bool json);

#endif /* STRATA_STRATA_MERGE_CHECK_H */
