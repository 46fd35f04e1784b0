/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sibling.h - finds the programs of the same build: strata, stratad, strata-consumerd. */
#ifndef STRATA_CONTROL_SIBLING_H
#define STRATA_CONTROL_SIBLING_H

#include <limits.h>

#include "base/error.h"

/* The path of a program in the directory of this one.  0 or -1. */
int sibling_path(const char *program, char path[PATH_MAX], struct strata_error *error);

#endif /* STRATA_CONTROL_SIBLING_H */
