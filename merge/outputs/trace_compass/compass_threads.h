/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_threads.h - represents vCPUs as threads, as Trace Compass's host trace requires: a guest
 * is a process of the host, and each of its vCPUs a thread of that process.
 *
 *     tid 0                         the idle vCPU of each physical CPU
 *     tid 1                         an unknown vCPU
 *     10000 * (domain + 1)          a domain: the process
 *     10000 * (domain + 1) + 1 + v  its vCPU v: a thread of that process, and its child, because
 *                                   the analysis expects both
 *
 * None of these numbers comes from Xen.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_THREADS_H
#define STRATA_MERGE_OUTPUTS_COMPASS_THREADS_H

#include "base/id_map.h"
#include "host/recorded_host.h"
#include "outputs/trace_compass/compass_sync.h"

#define COMPASS_TID_UNRECORDED 1
#define COMPASS_COMM_BYTES     STRATA_DOMAIN_TEXT_BYTES

struct compass_thread {
	uint16_t domain;
	uint16_t vcpu;
	int32_t tid;
	int32_t pid;
	char comm[COMPASS_COMM_BYTES];
	bool is_vcpu;        /* of a domain other than the idle domain */
	bool dumped;         /* the trace contains the thread's state */
	bool has_guest_mode; /* its VM entries and exits were recorded */
	bool in_guest;       /* otherwise: it runs, and is not in a hypercall */
	bool in_hypercall;
	bool has_pcpu;
	uint16_t pcpu; /* where it runs, or ran last */
	struct compass_sync sync;
};

/* All-zero is empty. */
struct compass_threads {
	const struct strata_recorded_host *host;
	struct strata_id_map of;   /* struct compass_thread, by strata_vcpu_key() */
	uint8_t dumped[65536 / 8]; /* one bit for each domain whose process the trace contains */
	struct compass_thread unrecorded;
	uint64_t odd; /* records of vCPU numbers that Xen cannot have */
	bool no_memory;
};

void strata_compass_threads_init(struct compass_threads *threads,
				 const struct strata_recorded_host *host);
void strata_compass_threads_clear(struct compass_threads *threads);

/* Finds or creates a vCPU's thread. NULL: not a possible vCPU, which is counted; or out of memory,
 * which is remembered. */
struct compass_thread *strata_compass_thread(struct compass_threads *threads, uint16_t domain,
					     uint16_t vcpu);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_THREADS_H */
