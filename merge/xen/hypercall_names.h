/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hypercall_names.h - the names of hypercalls, and of the operations that some of them have. */
#ifndef STRATA_MERGE_HYPERCALL_NAMES_H
#define STRATA_MERGE_HYPERCALL_NAMES_H

#include "base/number_names.h"

extern const struct strata_number_names strata_xen_hypercalls;

/* Of a hypercall's first argument, chosen by the hypercall. */
extern const struct strata_number_names strata_xen_operations;

extern const struct strata_number_names strata_xen_grant_ops;

/* Of the status of operations on grants: 0 and below. */
extern const struct strata_number_names strata_xen_grant_statuses;

/* Of the result of a hypercall, chosen by the hypercall: Xen's error numbers, which are Linux's. */
extern const struct strata_number_names strata_xen_results;

/* Why a domain was shut down. */
extern const struct strata_number_names strata_xen_shutdowns;

#endif /* STRATA_MERGE_HYPERCALL_NAMES_H */
