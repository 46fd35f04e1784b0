/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xen_names.h - the fields of the hypervisor's events whose numbers have names. */
#ifndef STRATA_MERGE_XEN_NAMES_H
#define STRATA_MERGE_XEN_NAMES_H

#include "xen/exit_reasons.h"
#include "xen/xen_events.h"

extern const struct strata_names_rules strata_xen_names;

/* The rules for the reasons of VM exits, which differ between processors; none if that is
 * unknown. */
struct strata_names_rules strata_exit_rules(enum strata_exits exits);

#endif /* STRATA_MERGE_XEN_NAMES_H */
