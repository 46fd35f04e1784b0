/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_current.h - derives which vCPU a physical CPU is running from its records in a file of
 * xentrace.
 *
 * Xen does not write that into its records. It follows from the scheduler's records, unless a mask
 * left them out.
 */
#ifndef STRATA_MERGE_XENTRACE_CURRENT_H
#define STRATA_MERGE_XENTRACE_CURRENT_H

#include <strata/abi/hypervisor.h>

#include "inputs/xentrace/xentrace_reader.h"
#include "xen/domain_numbers.h"

/* The vCPU in a record's context if it is unknown; its domain is then STRATA_DOMID_UNKNOWN. */
#define STRATA_VCPU_UNKNOWN 0xffffu

/* Of one physical CPU. */
struct strata_xentrace_current {
	bool known;
	struct strata_hv_context runs; /* if known; else the two above */
	bool switches;                 /* an announced switch to this vCPU, not over yet: */
	struct strata_hv_context next;
	uint64_t contradictions; /* how often a record named another vCPU than expected */
};

void strata_xentrace_current_init(struct strata_xentrace_current *current);

/* Records may be missing here: the running vCPU becomes unknown. */
void strata_xentrace_current_forget(struct strata_xentrace_current *current);

/* To be called for each record: then current->runs is the vCPU that ran when it was written. */
void strata_xentrace_current_at(struct strata_xentrace_current *current,
				const struct strata_xentrace_record *record);

/* To be called after using the record: it may announce another vCPU from now on. */
void strata_xentrace_current_after(struct strata_xentrace_current *current,
				   const struct strata_xentrace_record *record);

#endif /* STRATA_MERGE_XENTRACE_CURRENT_H */
