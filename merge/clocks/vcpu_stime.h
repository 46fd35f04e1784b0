/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu_stime.h - the system time of each physical CPU, and of each vCPU with an emulated counter,
 * from the CPUs on which it ran.
 */
#ifndef STRATA_MERGE_VCPU_STIME_H
#define STRATA_MERGE_VCPU_STIME_H

#include "clocks/stime.h"

#define STRATA_PCPUS_SEVERAL UINT32_MAX

struct strata_keyed_stime {
	uint32_t key;  /* physical CPU; or domain << 16 | vCPU */
	uint32_t pcpu; /* the CPU whose time it is; STRATA_PCPUS_SEVERAL */
	struct strata_stime stime;
};

/* A part of one of the tables below; a table does not move once finished. */
struct strata_stime_set {
	const struct strata_keyed_stime *members;
	size_t nr;
};

struct strata_stime_table {
	struct strata_keyed_stime *members; /* by key */
	size_t nr;
	size_t capacity;
};

/* A vCPU began to run on a physical CPU. */
struct strata_residence {
	uint64_t ticks;
	uint32_t key;
	uint32_t pcpu;
};

/* Zero-initialised is empty. */
struct strata_vcpu_stime {
	struct strata_stime_table of_pcpu;
	struct strata_stime_table of_vcpu; /* made by finish */
	struct strata_residence *residences;
	size_t nr_residences;
	size_t capacity;
	uint8_t *dropped; /* a bit for each domain: see strata_vcpu_stime_dropped(); NULL: none */
};

/* Residences kept of all vCPUs together: 64 MiB. */
#define STRATA_RESIDENCES_MAX (1u << 22)

/* Adds a physical CPU's record of host time @ticks.  False: out of memory. */
bool strata_vcpu_stime_pcpu(struct strata_vcpu_stime *all, uint32_t pcpu, uint64_t ticks,
			    const struct strata_hv_pcpu_clock *clock);

/* Records of a physical CPU may be missing after @from_ticks, up to @until_ticks, and so may its
 * clocks.  False: out of memory. */
bool strata_vcpu_stime_gap(struct strata_vcpu_stime *all, uint32_t pcpu, uint64_t from_ticks,
			   uint64_t until_ticks);

/*
 * From host time @ticks on the vCPU runs on that CPU. False: out of memory. Beyond
 * STRATA_RESIDENCES_MAX, drops those of the domain with the most.
 */
bool strata_vcpu_stime_runs(struct strata_vcpu_stime *all, uint64_t ticks, uint16_t domain,
			    uint16_t vcpu, uint32_t pcpu);

/* From host time @ticks on the vCPU runs nowhere; needed only where records are missing. Same
 * limit. */
bool strata_vcpu_stime_stops(struct strata_vcpu_stime *all, uint64_t ticks, uint16_t domain,
			     uint16_t vcpu);

/* Whether records of any physical CPU may be missing. */
bool strata_vcpu_stime_lossy(const struct strata_vcpu_stime *all);

/* To be called after the functions above and before the first query, and again after adding more.
 * @skew_ticks: largest difference between physical CPUs' counters. False: out of memory. */
bool strata_vcpu_stime_finish(struct strata_vcpu_stime *all, uint64_t skew_ticks);

/* Whether the places of the domain's vCPUs were dropped because they started too often. */
bool strata_vcpu_stime_dropped(const struct strata_vcpu_stime *all, uint16_t domain);

void strata_vcpu_stime_clear(struct strata_vcpu_stime *all);

/* The vCPU's own time: one member; if its places are unknown, that of every physical CPU. */
struct strata_stime_set strata_vcpu_stime_own(const struct strata_vcpu_stime *all, uint16_t domain,
					      uint16_t vcpu);

/* The times of all vCPUs of a domain, found in the same way. */
struct strata_stime_set strata_vcpu_stime_domain(const struct strata_vcpu_stime *all,
						 uint16_t domain);

/* The times of all physical CPUs. */
struct strata_stime_set strata_vcpu_stime_pcpus(const struct strata_vcpu_stime *all);

/* Whether all members' times are one physical CPU's. */
bool strata_stime_set_of_one(const struct strata_stime_set *set);

/* Over all members: the first tick at which one reaches @ns ... */
uint64_t strata_stime_set_first(const struct strata_stime_set *set, uint64_t ns);
/* ... and the last one at which one is at @ns or earlier. */
uint64_t strata_stime_set_last(const struct strata_stime_set *set, uint64_t ns);

/* Whether no record of any of them is missing between these ticks, both included. */
bool strata_stime_set_sure(const struct strata_stime_set *set, uint64_t first, uint64_t last);

#endif /* STRATA_MERGE_VCPU_STIME_H */
