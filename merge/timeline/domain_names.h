/* SPDX-License-Identifier: GPL-2.0-or-later */
/* domain_names.h - names of Xen's domains, from the traces of one host. */
#ifndef STRATA_MERGE_TIMELINE_DOMAIN_NAMES_H
#define STRATA_MERGE_TIMELINE_DOMAIN_NAMES_H

#include "timeline/trace_set.h"

/* Whether two traces of a set belong to the same host. */
bool strata_is_same_host(const struct strata_ctf_trace *one, const struct strata_ctf_trace *other);

/* Returns the name of a domain that is not a guest; without a hypervisor, 0 is the machine itself.
 * NULL: another domain. */
const char *strata_fixed_domain_name(uint32_t domain, bool is_under_xen);

/* Receives the name of a domain. */
typedef void strata_domain_name_fn(void *data, uint32_t domain, const char *name);

/*
 * Calls @tell for each name of a domain on the host of @trace, which is in the set: "dom0", those
 * of guests and their kernels, and those of Xen's special domains.  The first name of a domain is
 * the one to show.  Filters accept the others as well: `xl list` has "Domain-0", and "g1" for each
 * life of g1.
 */
void strata_domain_names(const struct strata_trace_set *set, const struct strata_ctf_trace *trace,
			 strata_domain_name_fn *tell, void *data);

/*
 * Sets the tables of names of all traces in a set (trace->domains), which name domain numbers in
 * fields (event_names.h), and with which filters compare. No thread may read events meanwhile. Call
 * it when all traces are in the set and their hosts are known. 0, or -1: out of memory.
 */
int strata_domain_names_set(const struct strata_trace_set *set, struct strata_error *error);

#endif /* STRATA_MERGE_TIMELINE_DOMAIN_NAMES_H */
