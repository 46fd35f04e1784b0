/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emulated_host.h - a host that answers for emulated counters as Xen does, and
 * whose clocks behave as badly as Xen's can: each CPU corrects its system time on
 * its own, forward in jumps and back a little, vCPUs move between CPUs, and
 * records are lost.  The true time of each reading is known, and must lie within
 * the bound that the merge gives it.
 */
#ifndef STRATA_TESTS_EMULATED_HOST_H
#define STRATA_TESTS_EMULATED_HOST_H

#include "clocks/stream_clock.h"

#define EMULATED_PCPUS   2u
#define EMULATED_VCPUS   2u
#define EMULATED_DOMAIN  7u
#define EMULATED_TSC_KHZ 2400000u
#define EMULATED_START   5000000000000ull

/* Simulated steps of 10 us, and Xen's corrections about every 10 ms. */
#define EMULATED_STEP_TICKS 24000u
#define EMULATED_STEPS      60000u

#define EMULATED_CORRECTIONS_MAX 4096u

struct emulated_host {
	struct strata_hv_pcpu_clock pcpus[EMULATED_PCPUS];
	uint32_t on_pcpu[EMULATED_VCPUS];
	struct strata_hv_vcpu_clock clock; /* of the domain */
	uint64_t last_ns;
	/* The records about this host. */
	struct strata_vcpu_stime stimes;
	struct strata_clock_maps maps;
	/* What may go wrong. */
	uint32_t jump_ns;
	uint32_t slower; /* by up to this many 2^-32ths of a nanosecond for two ticks */
	bool moves;
	bool of_one;         /* the domain has one vCPU */
	uint64_t skew_ticks; /* the second CPU's counter is ahead by this many ticks */
	bool was_ahead;      /* until recording began, on another CPU */
	bool hides;          /* where the second vCPU runs */
	bool loses;          /* every third correction's record, of CPUs that vCPUs run on */
	bool forgets;        /* and then, for a while, some of where vCPUs ran */
	bool loses_more;     /* and what was recorded around it is no surer */
	uint32_t correction_steps;
	/* The records of corrections that were lost; when that began and may be over. */
	bool lost[EMULATED_PCPUS][EMULATED_CORRECTIONS_MAX];
	uint32_t nr_corrections[EMULATED_PCPUS];
	uint64_t lost_ticks[EMULATED_PCPUS];
	uint64_t told_ticks[EMULATED_PCPUS];
	uint64_t forgets_until[EMULATED_PCPUS];
};

void emulated_begin(struct emulated_host *host);
/* A step that begins at @ticks of the first CPU, with one reading. */
void emulated_step(struct emulated_host *host, uint64_t ticks);
/* Records the clocks of all vCPUs, as they are now. */
void emulated_record_clock(struct emulated_host *host, uint64_t ticks);
/* To be called before the next. */
void emulated_finish(struct emulated_host *host);
/* Converts all readings: each must lie within its bound.  Returns the largest bound of the certain
 * ones. */
uint64_t emulated_assert_within_bounds(const struct emulated_host *host);
void emulated_clear(struct emulated_host *host);

/* All of this.  Returns the largest bound. */
uint64_t emulated_simulate(struct emulated_host *host);
/* The same kind of host with many sequences of chance; *@unsure: OUT, how many readings were not
 * sure.  Returns the largest bound of all. */
uint64_t emulated_simulate_seeds(const struct emulated_host *kind, size_t *unsure);

#endif /* STRATA_TESTS_EMULATED_HOST_H */
