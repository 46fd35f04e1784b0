/* SPDX-License-Identifier: GPL-2.0-or-later */
/* linux_names.h - the fields of a Linux kernel's events whose numbers have names. */
#ifndef STRATA_MERGE_LINUX_NAMES_H
#define STRATA_MERGE_LINUX_NAMES_H

#include "base/number_names.h"

extern const struct strata_names_rules strata_linux_names;

/* The vectors of softirqs. */
extern const struct strata_number_names strata_linux_softirqs;

#endif /* STRATA_MERGE_LINUX_NAMES_H */
