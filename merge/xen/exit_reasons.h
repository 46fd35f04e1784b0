/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit_reasons.h - names of VM exit reasons.
 *
 * Xen's VM exit records carry the processor's own number, and Intel's and AMD's lists differ: 0x7b
 * is "I/O instruction" in one and invalid in the other.  The records do not name the processor, but
 * some events and numbers occur only on one of the two.
 */
#ifndef STRATA_MERGE_EXIT_REASONS_H
#define STRATA_MERGE_EXIT_REASONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number_names.h"

enum strata_exits {
	STRATA_EXITS_UNKNOWN,
	STRATA_EXITS_VMX, /* Intel */
	STRATA_EXITS_SVM, /* AMD */
	STRATA_NR_EXITS,
};

/* "unknown", "vmx", "svm". */
const char *strata_exits_name(enum strata_exits exits);

/* The names of reasons.  Intel's have flags above them, AMD's none. */
extern const struct strata_number_names strata_vmx_exits, strata_svm_exits;

/* One of the two; NULL: unknown. */
const struct strata_number_names *strata_exit_names(enum strata_exits exits);

/* Events and numbers seen that only one of the two can have recorded.  Zero-initialised is
 * empty. */
struct strata_exits_evidence {
	uint64_t vmx;
	uint64_t svm;
};

/*
 * Notes the evidence in a record.
 * @id:         of the hypervisor's contract (STRATA_HV_ID_*)
 * @first_word: of the payload; 0 if empty
 */
void strata_exits_note(struct strata_exits_evidence *evidence, uint32_t id, uint32_t first_word);

/* Unknown without evidence, or with evidence for both. */
enum strata_exits strata_exits_judge(const struct strata_exits_evidence *evidence);

#endif /* STRATA_MERGE_EXIT_REASONS_H */
