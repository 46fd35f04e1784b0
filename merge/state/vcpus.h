/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpus.h - the hypervisor's part of a host's state: which vCPU each physical CPU runs, in which
 * state each vCPU is, and what Xen does for it meanwhile.
 *
 * A vCPU's state is unknown before the first event that tells it.  Which events may be missing
 * after a loss on a physical CPU: those of the vCPU that ran on it, and wake-ups of vCPUs that
 * did not run; a vCPU that ran elsewhere is still known.
 *
 * A vCPU that waits for a physical CPU waits behind those that run on the one that it gets in the
 * end.
 */
#ifndef STRATA_MERGE_STATE_VCPUS_H
#define STRATA_MERGE_STATE_VCPUS_H

#include "base/id_map.h"
#include "state/queue.h"
#include "xen/xen_events.h"

#define STRATA_NO_PCPU   UINT32_MAX
#define STRATA_PCPU_PAST 256u /* stretches that are remembered of a physical CPU */

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
	size_t trace; /* of the set, whose events tell of it */
	uint32_t domain, number;
	enum strata_vcpu_state state;
	struct strata_moment since;         /* of the state */
	uint64_t ns[STRATA_NR_VCPU_STATES]; /* in each state until then */
	struct strata_moment run_since;     /* likewise, where GUEST and XEN are the same state */
	uint32_t pcpu;                      /* that it runs on, or ran on last */
	struct strata_vcpu_job exit, hypercall;
	bool is_preempted; /* the hypercall: the guest issues it once more, */
	bool is_in_guest;  /* and has been entered for that */
	bool is_woken;     /* `wake` is why it is runnable */
	struct strata_link wake;
	struct strata_handler wake_handler; /* of `wake`, if it has one */
};

struct strata_pcpu {
	size_t machine;
	size_t trace; /* likewise */
	uint32_t number;
	struct strata_vcpu *runs; /* NULL: nobody knows */
	struct strata_moment since;
	struct strata_pcpu_stretch {
		const struct strata_vcpu *vcpu;
		uint64_t from_ns, to_ns;
	} past[STRATA_PCPU_PAST];
	size_t nr_past; /* ever; the last ones are kept */
	/* What Xen does on it right now that may wake a vCPU; it holds until any other event of
	 * this CPU that means something. */
	struct strata_pcpu_cause {
		enum strata_link_via via;
		const struct strata_vcpu *to; /* NULL: whichever is woken */
		uint32_t port;
		uint64_t number;
	} cause;
	bool in_timers; /* Xen's softirq that runs timers */
	struct strata_pcpu_send {
		bool is_open; /* what becomes pending by it has not been told yet */
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
	struct strata_vcpu **all_vcpus; /* in the order of their appearance */
	size_t nr_vcpus, vcpus_room;
	struct strata_pcpu **all_pcpus;
	size_t nr_pcpus, pcpus_room;
	struct strata_vcpu_queue {
		struct strata_queue queue; /* of vCPUs that wait for a physical CPU */
		size_t trace;
	} * queues; /* by machine */
	size_t nr_queues;
	/* Those that were looked for last, by the low bits of their numbers; NULL: none. */
	struct strata_vcpu *recent_vcpus[STRATA_RECENT_VCPUS];
	struct strata_pcpu *recent_pcpus[STRATA_RECENT_PCPUS];
	struct strata_split split; /* of a job that ends; zero but for the first row */
	uint64_t contradictions;   /* changes from another state than the one that was known */
	uint64_t not_followed;     /* finds of vCPUs and pCPUs beyond the most that there are */
	bool no_memory;            /* for some; nothing is known of those */
};

/* Where an event of the hypervisor was recorded, and what had the CPU there. */
struct strata_xen_place {
	const struct strata_vcpu *vcpu;     /* NULL: not known */
	const struct strata_kernel *kernel; /* of that vCPU's domain; likewise */
	const struct strata_task *task;     /* of that kernel; likewise */
	size_t machine;
	uint32_t pcpu;
	size_t trace;
};

/* The end of a link there. */
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

/* Where a vCPU is kept that was looked for last. */
static inline struct strata_vcpu **strata_vcpus_recent(struct strata_vcpus *vcpus, uint32_t domain,
						       uint32_t number)
{
	return &vcpus->recent_vcpus[(domain * 8 + number) % STRATA_RECENT_VCPUS];
}

/* The same as strata_vcpus_get() for one that was not looked for last. */
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

/* Finds a vCPU; NULL: no event told of it. */
struct strata_vcpu *strata_vcpus_find(const struct strata_vcpus *vcpus, size_t machine,
				      uint32_t domain, uint32_t number);

/* A vCPU changes its state. @before: UNKNOWN where the event does not say it.
 * @pcpu: where the event was recorded; and if it runs from now on, where it runs
 * @trace: of the set, whose event it is; likewise below */
void strata_vcpus_change(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
			 enum strata_vcpu_state before, enum strata_vcpu_state after, uint32_t pcpu,
			 size_t trace, const struct strata_moment *now);

/* A vCPU that did not want to run becomes runnable. */
void strata_vcpus_wake(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu,
		       enum strata_vcpu_state before, const struct strata_xen_place *place,
		       const struct strata_moment *now);

/* The same as strata_vcpus_pcpu() for one that was not looked for last. */
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

/* A vCPU does what only a running one does, on @pcpu: it is known to run if it was unknown. */
void strata_vcpus_seen(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint32_t pcpu,
		       size_t trace, const struct strata_moment *now);

/* A VM exit begins, or ends by an entry. */
void strata_vcpus_exit(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t reason,
		       const struct strata_moment *now);
void strata_vcpus_entry(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, size_t trace,
			const struct strata_moment *now);

/* A hypercall begins, is preempted, or returns.  One that was preempted is the same when it is
 * issued again. @op: of the return; one of another hypercall is not this one's */
void strata_vcpus_hypercall(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			    const struct strata_moment *now);
void strata_vcpus_preempt(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op);
void strata_vcpus_return(struct strata_vcpus *vcpus, struct strata_vcpu *vcpu, uint64_t op,
			 size_t trace, const struct strata_moment *now);

/* Events of a physical CPU are missing from @now on. @pcpu: STRATA_NO_PCPU: nobody knows of which
 */
void strata_vcpus_lose(struct strata_vcpus *vcpus, size_t machine, uint32_t pcpu, size_t trace,
		       const struct strata_moment *now);

/* A trace ends: nobody knows of its vCPUs from @now on. */
void strata_vcpus_end(struct strata_vcpus *vcpus, size_t trace, const struct strata_moment *now);

/* Tells the states that go on, up to @now; they stay as they are. */
void strata_vcpus_tell_open(const struct strata_vcpus *vcpus, const struct strata_spans *spans,
			    const struct strata_moment *now);

void strata_vcpus_clear(struct strata_vcpus *vcpus);

/* How long a vCPU has been in each state until @now. */
static inline void strata_vcpu_times(const struct strata_vcpu *vcpu,
				     const struct strata_moment *now,
				     uint64_t ns[STRATA_NR_VCPU_STATES])
{
	size_t i;

	for (i = 0; i < STRATA_NR_VCPU_STATES; i++)
		ns[i] = vcpu->ns[i];
	ns[vcpu->state] += strata_moments_between(&vcpu->since, now);
}

static inline bool strata_vcpu_runs(enum strata_vcpu_state state)
{
	return state == STRATA_VCPU_GUEST || state == STRATA_VCPU_XEN;
}

#endif /* STRATA_MERGE_STATE_VCPUS_H */
