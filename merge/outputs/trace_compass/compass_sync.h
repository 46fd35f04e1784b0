/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_sync.h - writes the vmsync events, from which Trace Compass's virtual machine analysis
 * learns which vCPU a thread of the host is, and which trace is that guest's.
 *
 * LTTng's come from a hypercall that a module in the guest makes for this purpose. Strata needs no
 * such module, because Xen records the clocks; so these events are synthetic. But each is at the
 * time of a record, and each pair says what the two records say:
 *
 *     vmsync_gh_guest  with the guest's last event before its vCPU leaves the guest
 *     vmsync_gh_host   with that exit
 *     vmsync_hg_host   with the vCPU's entry into the guest
 *     vmsync_hg_guest  with the guest's first event after it
 *
 * Requirements of the analysis:
 *   - the guest's event is before the host's in the first pair: it looks up the machine of that
 *     vm_uid at the host's event;
 *   - that vCPU's thread is on the host's CPU at that instant, and a kvm event came before: so the
 *     pair is at an exit, and written after it;
 *   - both kinds of pair match by cnt and vm_uid alone: so each pair of a guest has its own cnt.
 * Each vCPU gets a pair at its first opportunity, and further ones SYNC_PERIOD_NS apart.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H
#define STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H

#include "outputs/trace_compass/compass_trace.h"

/* The kinds of vmsync event that a trace has. */
struct compass_sync_classes {
	uint32_t gh;
	uint32_t hg;
};

/* State of a guest's kernel for pairs. */
struct compass_sync_guest {
	struct compass_trace *trace;
	struct compass_sync_classes classes;
	uint32_t vm_uid;
	uint64_t cnt;      /* of the last pair */
	uint64_t gh_pairs; /* without any, the analysis does not know whose trace it is */
};

/* Of a vCPU; all-zero if its kernel was not recorded. */
struct compass_sync {
	struct compass_sync_guest *guest;
	struct compass_file *guest_file;
	bool acted;  /* the guest had an event since its vCPU last left it */
	int32_t tid; /* context of that event */
	/* The vCPU's entry, if the guest has not done anything since. */
	struct compass_file *entered; /* NULL: it had an event */
	uint64_t entered_ns;
	uint64_t next_gh_ns;
	uint64_t next_hg_ns;
};

/* The same for the host. */
struct compass_sync_host {
	struct compass_trace *trace;
	struct compass_sync_classes classes;
};

/* Adds both kinds of event to a trace.  @side: "host" or "guest" */
void strata_compass_sync_describe(struct compass_trace *trace, const char *side,
				  struct compass_sync_classes *classes);

/* The vCPU has left the guest; that exit is the last event in @file; @context is the host's. */
void strata_compass_sync_exit(struct compass_sync *sync, const struct compass_sync_host *host,
			      struct compass_file *file, uint64_t ns, const void *context);

/* The vCPU enters the guest; that entry is the last event in @file. */
void strata_compass_sync_entry(struct compass_sync *sync, struct compass_file *file, uint64_t ns);

/* To be called before an event of the guest's task @tid; @context is the host's, of the vCPU's
 * thread. */
void strata_compass_sync_guest(struct compass_sync *sync, const struct compass_sync_host *host,
			       uint64_t ns, int32_t tid, const void *context);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_SYNC_H */
