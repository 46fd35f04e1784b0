/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_host.h - the hypervisor as a kernel that runs virtual machines with KVM: makes that
 * kernel's events from Xen's.
 *
 *     sched_switch      a physical CPU goes from one vCPU to another: at the change of runstate
 *                       by which the other one starts
 *     sched_wakeup      a vCPU that was blocked or offline is runnable
 *     kvm_entry, _exit  a vCPU enters guest mode, or has left it.  Of a domain without VM entries
 *                       - a PV guest has none - a vCPU is in the guest from when it starts to run
 *                       until it stops, except during hypercalls, if their returns were recorded
 * too. (What interrupts and traps of a PV guest cost is not to be seen then.)
 *     lttng_statedump_process_state   a thread or process is seen for the first time
 *
 * On each CPU the thread that a switch comes from is the one that the switch before went to.
 * Where a record shows that another vCPU runs than was known - events were lost, or not selected -
 * a switch stands at that record.  The first one on a CPU goes from a thread to itself:
 * it says who ran there already.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_HOST_H
#define STRATA_MERGE_OUTPUTS_COMPASS_HOST_H

#include "clocks/xen_class.h"
#include "outputs/trace_compass/compass_threads.h"

/* kvm_exit's exit_reason if there was no VM exit; isa is then COMPASS_ISA_PV. */
#define COMPASS_EXIT_STOPS     0x1ffffu /* the vCPU stops running */
#define COMPASS_EXIT_HYPERCALL 0x10000u /* and the hypercall's number */
#define COMPASS_ISA_PV         3u       /* KVM uses 1 for VMX and 2 for SVM */

enum compass_host_class {
	COMPASS_SCHED_SWITCH,
	COMPASS_SCHED_WAKEUP,
	COMPASS_KVM_ENTRY,
	COMPASS_KVM_EXIT,
	COMPASS_STATEDUMP,
	COMPASS_NR_HOST_CLASSES,
};

/* A physical CPU. */
struct compass_pcpu {
	struct compass_file *file;
	struct compass_thread *current; /* NULL: unknown */
	/* It has stopped, and the next one is not known yet. */
	bool stopped;
	uint64_t stopped_ns;
	enum strata_runstate stopped_as;
};

struct compass_host {
	const struct strata_recorded_host *of;
	struct compass_trace trace;
	struct compass_sync_host sync;
	struct compass_threads threads;
	struct compass_pcpu **pcpus; /* 65536; NULL: none was recorded */
	uint32_t classes[COMPASS_NR_HOST_CLASSES];
	bool hypercalls; /* hypercalls are shown */
	uint32_t isa;
};

/* Creates the host's trace. Returns 0, or -1; the caller must close it in either case. */
int strata_compass_host_open(struct compass_host *host, const struct strata_recorded_host *of,
			     const struct strata_dir *dir, const struct strata_source *xen,
			     struct strata_error *error);

/* Adds the stream of a pCPU. Returns its file; NULL with the reason. */
struct compass_file *strata_compass_host_stream(struct compass_host *host, uint32_t cpu,
						struct strata_error *error);

/*
 * Takes an event of the hypervisor.
 * @cpu: of its stream; @class: what it tells; @reader: its stream's
 */
void strata_compass_host_event(struct compass_host *host, uint32_t cpu,
			       const struct strata_xen_class *class,
			       const struct strata_ctf_reader *reader,
			       const struct strata_lane_event *event);

/* To be called before an event of a kernel is written: @thread is that of its vCPU. */
void strata_compass_host_guest_event(struct compass_host *host, struct compass_thread *thread,
				     uint64_t ns, int32_t tid);

/* Writes the rest, like strata_compass_trace_finish(). */
int strata_compass_host_finish(struct compass_host *host, uint64_t last_ns, uint64_t precision_ns,
			       struct strata_error *error);

void strata_compass_host_close(struct compass_host *host);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_HOST_H */
