/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain_names.h - the names of a host's domains, as its kernels' traces or a merged timeline say
 * them: one table for each trace, which fields that hold a domain's number have (event_names.h),
 * and with which a filter compares.
 */
#ifndef STRATA_MERGE_DOMAIN_NAMES_H
#define STRATA_MERGE_DOMAIN_NAMES_H

#include "timeline/trace_set.h"

/*
 * Sets the tables of all traces of a set anew; nobody reads their events meanwhile.  To be called
 * when all traces are in the set and it is known which of them are of one host.
 * 0, or -1: out of memory.
 */
int strata_domain_names_set(const struct strata_trace_set *set, struct strata_error *error);

#endif /* STRATA_MERGE_DOMAIN_NAMES_H */
