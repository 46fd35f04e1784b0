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

/* In the context of a record when nothing tells who ran; its domain is STRATA_DOMID_UNKNOWN. */
#define STRATA_VCPU_UNKNOWN 0xffffu

/* Of one physical CPU. */
struct strata_xentrace_current {
	bool known;
	struct strata_hv_context runs; /* if it is known, else the two above */
	bool switches;                 /* to this one, once the scheduler's records are past: */
	struct strata_hv_context next;
	uint64_t contradictions; /* times that it was another than the records before said */
};

void strata_xentrace_current_init(struct strata_xentrace_current *current);

/* Something is missing here: whoever ran may run no more. */
void strata_xentrace_current_forget(struct strata_xentrace_current *current);

/* To be called for each record: afterwards current->runs is who ran when it was written. */
void strata_xentrace_current_at(struct strata_xentrace_current *current,
				const struct strata_xentrace_record *record);

/* To be called then: the record may say that another one runs from now on. */
void strata_xentrace_current_after(struct strata_xentrace_current *current,
				   const struct strata_xentrace_record *record);

#endif /* STRATA_MERGE_XENTRACE_CURRENT_H */
