/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu_absence.h - finds when a vCPU may have run unseen on a CPU whose records are missing.
 */
#ifndef STRATA_MERGE_VCPU_ABSENCE_H
#define STRATA_MERGE_VCPU_ABSENCE_H

#include "clocks/vcpu_stime.h"

/* In a residence: from then on the vCPU does not run. */
#define STRATA_PCPU_NOWHERE (UINT32_MAX - 1)

/* Records of a physical CPU, or of STRATA_PCPUS_SEVERAL, are missing there. */
struct strata_missing {
	struct strata_stime_gap ticks;
	uint32_t pcpu;
};

/* By time; no two overlap or touch. */
struct strata_missing_list {
	struct strata_missing *places;
	size_t nr;
	uint64_t skew_ticks;
};

/* Collects all gaps, in ticks of any CPU.  False: out of memory. */
bool strata_missing_collect(struct strata_missing_list *list, const struct strata_vcpu_stime *all,
			    uint64_t skew_ticks);

/*
 * Adds to a vCPU's time that of every CPU, wherever it may have been on another CPU than its @nr
 * sorted residences say. @any: OUT, whether that occurs. False: out of memory.
 */
bool strata_missing_add(const struct strata_missing_list *list, const struct strata_vcpu_stime *all,
			const struct strata_residence *residences, size_t nr,
			struct strata_stime *stime, bool *any);

#endif /* STRATA_MERGE_VCPU_ABSENCE_H */
