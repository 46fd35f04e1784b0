/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_sync.h - the vmsync events, which tell Trace Compass's virtual machine analysis
 * whose vCPU a thread of the host is, and which trace is that guest's.
 *
 * LTTng's come of a hypercall that a module in the guest makes for it.  Strata needs none, as
 * Xen tells the clocks; so these are synthetic.  But each stands at the time of a record, and
 * each pair says what the two records say:
 *
 *     vmsync_gh_guest  with the guest's last event before its vCPU leaves the guest
 *     vmsync_gh_host   with that exit
 *     vmsync_hg_host   with the vCPU's entry into the guest
 *     vmsync_hg_guest  with the guest's first event after it
 *
 * What the analysis wants of them, and why they are made like this:
 *   - the guest's event is before the host's in the first pair: it looks for the machine of that
 *     vm_uid when it meets the host's;
 *   - that vCPU's thread is on the host's CPU at that instant, and a kvm event came before: so
 *     it is an exit, and written behind it;
 *   - both kinds of pair match by cnt and vm_uid alone: so no two of a guest have one cnt.
 * Each vCPU has a pair at its first opportunity, and further ones SYNC_PERIOD_NS apart.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H
#define STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H

#include "outputs/trace_compass/compass_trace.h"

/* The kinds of vmsync event that a trace has. */
struct compass_sync_classes {
	uint32_t gh;
	uint32_t hg;
};

/* A guest's kernel, as far as pairs are concerned. */
struct compass_sync_guest {
	struct compass_trace *trace;
	struct compass_sync_classes classes;
	uint32_t vm_uid;
	uint64_t cnt;      /* of the last pair */
	uint64_t gh_pairs; /* without one the analysis does not know whose trace it is */
};

/* Of a vCPU; zero-initialised is one whose kernel was not recorded. */
struct compass_sync {
	struct compass_sync_guest *guest;
	struct compass_file *guest_file;
	bool acted;  /* the guest had an event since its vCPU left it last */
	int32_t tid; /* of that event: the guest's context */
	/* The vCPU's entry, if the guest has not done anything since. */
	struct compass_file *entered; /* NULL: it has */
	uint64_t entered_ns;
	uint64_t next_gh_ns;
	uint64_t next_hg_ns;
};

/* The host, likewise. */
struct compass_sync_host {
	struct compass_trace *trace;
	struct compass_sync_classes classes;
};

/* Adds both kinds of event to a trace.  @side: "host" or "guest" */
void strata_compass_sync_describe(struct compass_trace *trace, const char *side,
				  struct compass_sync_classes *classes);

/* The vCPU has left the guest, which is the last thing in @file; @context is the host's. */
void strata_compass_sync_exit(struct compass_sync *sync, const struct compass_sync_host *host,
			      struct compass_file *file, uint64_t ns, const void *context);

/* The vCPU enters the guest, which is the last thing in @file. */
void strata_compass_sync_entry(struct compass_sync *sync, struct compass_file *file, uint64_t ns);

/* The guest's kernel is about to have an event of its task @tid; @context is the host's, of the
 * vCPU's thread. */
void strata_compass_sync_guest(struct compass_sync *sync, const struct compass_sync_host *host,
			       uint64_t ns, int32_t tid, const void *context);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H */
