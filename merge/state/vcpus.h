/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpus.h - the hypervisor's part of a host's state: which vCPU each physical CPU runs, in which
 * state each vCPU is, and what Xen does for it meanwhile.
 *
 * A vCPU's state is unknown before the first event that tells it.  After a loss on a physical CPU,
 * these events may be missing: those of the vCPU that ran on it, and wake-ups of vCPUs that did not
 * run.  The state of a vCPU that ran elsewhere is still known.
 *
 * A vCPU that waits for a physical CPU waits behind the vCPUs that run on the CPU that it gets in
 * the end.
 */
#ifndef STRATA_MERGE_STATE_VCPUS_H
#define STRATA_MERGE_STATE_VCPUS_H

#include <string.h>

#include "base/id_map.h"
#include "state/queue.h"
#include "state/times.h"
#include "xen/xen_events.h"

#define STRATA_NO_PCPU   UINT32_MAX
#define STRATA_PCPU_PAST 256u /* stretches of a physical CPU that are remembered */

#define STRATA_RECENT_VCPUS 64u
#define STRATA_RECENT_PCPUS 16u

/* A job under way: its beginning, and the vCPU's times then. */
struct strata_vcpu_job {
	bool is_open;
	struct strata_moment since;
	uint64_t number;
	uint64_t ns[STRATA_NR_VCPU_STATES];
};

struct strata_vcpu {
	size_t machine;
	size_t trace; /* index in the set of the trace whose events tell of it */
	uint32_t domain, number;
	enum strata_vcpu_state state;
	struct strata_moment since;         /* of the state */
	uint64_t ns[STRATA_NR_VCPU_STATES]; /* in each state until then */
	struct strata_moment run_since;     /* likewise, where GUEST and XEN are the same state */
	uint32_t pcpu;                      /* the CPU that it runs on, or ran on last */
	struct strata_vcpu_job exit, hypercall;
	bool is_preempted; /* the hypercall was preempted: the guest issues it once more, */
	bool is_in_guest;  /* and has been entered for that */
	bool is_woken;     /* `wake` tells why it is runnable */
	struct strata_link wake;
	struct strata_handler wake_handler; /* the handler of `wake`, if it has one */
};

struct strata_pcpu {
	size_t machine;
	size_t trace; /* likewise */
	uint32_t number;
	struct strata_vcpu *runs; /* NULL: unknown */
	struct strata_moment since;
	struct strata_pcpu_stretch {
		const struct strata_vcpu *vcpu;
		uint64_t from_ns, to_ns;
	} past[STRATA_PCPU_PAST];
	size_t nr_past; /* since the beginning; the last ones are kept */
	/* What Xen does on it right now that may wake a vCPU; valid until the next event of this
	 * CPU that has a meaning. */
	struct strata_pcpu_cause {
		enum strata_link_via via;
		const struct strata_vcpu *to; /* NULL: any vCPU that is woken */
		uint32_t port;
		uint64_t number;
	} cause;
	bool in_timers; /* Xen's softirq that runs timers */
	struct strata_pcpu_send {
		bool is_open; /* the port that it makes pending has not been told yet */
		uint32_t to_domain, to_port;
		struct strata_link_end from;
		bool has_handler;
		struct strata_handler handler;
	} send;
};

/* Zero-initialised is empty; `spans` is the owner's. */
struct strata_vcpus {
	const struct strata_spans *spans;
	struct strata_id_map vcpus, pcpus;
	struct strata_vcpu **all_vcpus; /* in order of first appearance */
	size_t nr_vcpus, vcpus_room;
	struct strata_pcpu **all_pcpus;
	size_t nr_pcpus, pcpus_room;
	struct strata_vcpu_queue {
		struct strata_queue queue; /* of vCPUs that wait for a physical CPU */
		size_t trace;
	} * queues; /* by machine */
	size_t nr_queues;
	/* The vCPUs that were found last, by the low bits of their numbers; NULL: free. */
	struct strata_vcpu *recent_vcpus[STRATA_RECENT_VCPUS];
	struct strata_pcpu *recent_pcpus[STRATA_RECENT_PCPUS];
	struct strata_split split; /* of a job that ends; zero but for the first row */
	uint64_t contradictions;   /* changes from a state other than the known one */
	uint64_t not_followed;     /* finds of vCPUs and pCPUs beyond the limit */
	bool no_memory;            /* for some; nothing is known of those */
};

/* The place where an event of the hypervisor was recorded, and what had the CPU there. */
struct strata_xen_place {
	const struct strata_vcpu *vcpu;     /* NULL: not known */
	const struct strata_kernel *kernel; /* of that vCPU's domain; likewise */
	const struct strata_task *task;     /* of that kernel; likewise */
	size_t machine;
	uint32_t pcpu;
	size_t trace;
};

/* Makes the end of a link at that place. */
static inline struct strata_link_end strata_xen_place_end(const struct strata_xen_place *place,
							  const struct strata_moment *now)
{
	return (struct strata_link_end){
		.at = *now,
		.task = place->task,
		.vcpu = place->vcpu,
		.cpu = STRATA_NO_CPU,
		.pcpu = place->pcpu,
		.trace = place->trace,
	};
}

/* The slot for a vCPU that was found last. */
static inline struct strata_vcpu **strata_vcpus_recent(struct strata_vcpus *vcpus, uint32_t domain,
						       uint32_t number)
{
	return &vcpus->recent_vcpus[(domain * 8 + number) % STRATA_RECENT_VCPUS];
}

/* The same as strata_vcpus_get() for a vCPU that was not found last. */
struct strata_vcpu *strata_vcpus_add(struct strata_vcpus *vcpus, size_t machine, uint32_t domain,
				     uint32_t number, const struct strata_moment *now);

/* Finds a vCPU, or adds it as unknown since @now.  NULL: out of memory, or there are too many. */
static inline struct strata_vcpu *strata_vcpus_get(struct strata_vcpus *vcpus, size_t machine,
						   uint32_t domain, uint32_t number,
						   const struct strata_moment *now)
{
	struct strata_vcpu *vcpu = *strata_vcpus_recent(vcpus, domain, number);

	if (vcpu && vcpu->machine == machine && vcpu->domain == domain && vcpu->number == number)
		return vcpu;
	return strata_vcpus_add(vcpus, machine, domain, number, now);
}

/* Finds a vCPU; NULL: no event has told of it. */
struct strata_vcpu *strata_vcpus_find(const struct strata_vcpus *vcpus, size_t machine,
				      uint32_t domain, uint32_t number);

/* A vCPU changes its state.
 * @before: UNKNOWN: the event does not tell it
 * @pcpu: where the event was recorded; if the vCPU runs from now on, where it runs
 * @trace: index in the set of the event's trace; the same below */
void strata_vcpus_change(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
			 enum strata_vcpu_state before, enum strata_vcpu_state after, uint32_t pcpu,
			 size_t trace, const struct strata_moment *now);

/* A vCPU that did not want to run becomes runnable. */
void strata_vcpus_wake(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		       enum strata_vcpu_state before, const struct strata_xen_place *place,
		       const struct strata_moment *now);

/* The same as strata_vcpus_pcpu() for a physical CPU that was not found last. */
struct strata_pcpu *strata_vcpus_add_pcpu(struct strata_vcpus *vcpus, size_t machine,
					  uint32_t number);

/* Finds a physical CPU, or adds it.  NULL: out of memory, or there are too many. */
static inline struct strata_pcpu *strata_vcpus_pcpu(struct strata_vcpus *vcpus, size_t machine,
						    uint32_t number)
{
	struct strata_pcpu *pcpu = vcpus->recent_pcpus[number % STRATA_RECENT_PCPUS];

	if (pcpu && pcpu->machine == machine && pcpu->number == number)
		return pcpu;
	return strata_vcpus_add_pcpu(vcpus, machine, number);
}

/* A vCPU does on @pcpu what only a running vCPU does: if its state was unknown, it runs. */
static inline void strata_vcpus_seen(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
				     uint32_t pcpu, size_t trace, const struct strata_moment *now)
{
	if (vcpu->state == STRATA_VCPU_UNKNOWN)
		strata_vcpus_change(vcpus, vcpu, STRATA_VCPU_UNKNOWN, STRATA_VCPU_GUEST, pcpu,
				    trace, now);
}

/* A VM exit begins, or ends by an entry. */
void strata_vcpus_exit(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t reason,
		       const struct strata_moment *now);
void strata_vcpus_entry(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, size_t trace,
			const struct strata_moment *now);

/* A hypercall begins, is preempted, or returns.  A preempted hypercall is the same when it is
 * issued again.
 * @op: of the return; the return of another hypercall does not end this one */
void strata_vcpus_hypercall(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			    const struct strata_moment *now);
void strata_vcpus_preempt(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op);
void strata_vcpus_return(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			 size_t trace, const struct strata_moment *now);

/* Events of a physical CPU are missing from @now on.
 * @pcpu: STRATA_NO_PCPU: the physical CPU is unknown */
void strata_vcpus_lose(struct strata_vcpus *vcpus, size_t machine, uint32_t pcpu, size_t trace,
		       const struct strata_moment *now);

/* A trace ends: the states of its vCPUs are unknown from @now on. */
void strata_vcpus_end(struct strata_vcpus *vcpus, size_t trace, const struct strata_moment *now);

/* Tells the states that are under way, up to @now; they stay as they are. */
void strata_vcpus_tell_open(const struct strata_vcpus *vcpus, const struct strata_spans *spans,
			    const struct strata_moment *now);

void strata_vcpus_clear(struct strata_vcpus *vcpus);

/* Returns how long a vCPU has been in each state until @now. */
static inline void strata_vcpu_times(const struct strata_vcpu *vcpu,
				     const struct strata_moment *now,
				     uint64_t ns[STRATA_NR_VCPU_STATES])
{
	memcpy(ns, vcpu->ns, sizeof(vcpu->ns));
	ns[vcpu->state] += strata_moments_between(&vcpu->since, now);
}

static inline bool strata_vcpu_runs(enum strata_vcpu_state state)
{
	return state == STRATA_VCPU_GUEST || state == STRATA_VCPU_XEN;
}

#endif /* STRATA_MERGE_STATE_VCPUS_H */
