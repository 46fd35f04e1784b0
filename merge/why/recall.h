/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recall.h - remembers the spans of the state (state/span.h) that overlap given windows of time.
 * They are sorted into lanes, one per kind of span for each task, vCPU and CPU. After the pass the
 * spans of a lane do not overlap: of nested spans, the innermost one remains.
 *
 *     strata_why_recall_new      takes the windows
 *     recall->listener           must receive all spans
 *     strata_why_recall_finish   to be called after the last span
 *     strata_why_lane, _look     find the span at a moment
 *     strata_why_recall_free
 *
 * Its memory grows with the number of spans in the windows, up to a limit. Spans beyond the limit
 * are only counted; their time appears as unknown.
 */
#ifndef STRATA_MERGE_WHY_RECALL_H
#define STRATA_MERGE_WHY_RECALL_H

#include "base/fair_share.h"
#include "outputs/shown.h"
#include "state/tasks.h"
#include "why/names.h"

/* About 60 bytes each.  Of one source half of them (fair_share.h). */
#define STRATA_WHY_SPANS_MAX 6000000u

struct strata_why_window {
	uint64_t from_ns, to_ns;
};

enum strata_why_lane_kind {
	/* Of a task, by the trace of its kernel and its number: */
	STRATA_WHY_LANE_TASK,    /* `state`; `cpu`: on which it is or for which it waits */
	STRATA_WHY_LANE_SYSCALL, /* `name` */
	STRATA_WHY_LANE_LOCK,    /* it waits for a lock */
	/* Of a CPU of a kernel, by its trace and its number: */
	STRATA_WHY_LANE_CPU, /* `name` of the running task; `state` is its number */
	STRATA_WHY_LANE_IRQ,
	STRATA_WHY_LANE_SOFTIRQ,
	/* Of a vCPU, by its machine, domain and number: */
	STRATA_WHY_LANE_VCPU,   /* `state`; XEN counts as GUEST */
	STRATA_WHY_LANE_XEN,    /* Xen works for it: */
	STRATA_WHY_LANE_BEHIND, /* `name` of the vCPU that ran there */
	STRATA_WHY_LANE_EXIT,   /* `name` of the reason, if known */
	STRATA_WHY_LANE_HYPERCALL,
	STRATA_NR_WHY_LANES,
};

struct strata_why_span {
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
	uint32_t state, name, cpu;
	uint32_t wake;   /* index in the wakes of what ended a blocked state; 0: unknown */
	uint32_t before; /* of a vCPU: the state before this one, or UNKNOWN */
};

/* What woke a task or a vCPU. */
struct strata_why_wake {
	enum strata_link_via via;
	uint32_t name; /* of the task or the handler */
	uint32_t cpu;  /* of the kernel, on which it happened */
	bool has_task;
	size_t kernel;
	uint32_t tid;
	/* It came through an event channel, pending since: */
	bool is_pending;
	uint64_t pending_ns, pending_bound_ns;
	/* It came from a timer, due at: */
	bool has_due;
	uint64_t due_ns, due_bound_ns;
	/* The vCPU that sent through the event channel, and its task: */
	bool has_sender, has_sender_task;
	size_t machine;
	uint32_t domain, vcpu, sender_name;
	size_t sender_kernel;
	uint32_t sender_tid;
	/* If a handler on that vCPU sent: its index in the wakes, where its own pending time and
	 * sender are; 0: none. */
	uint32_t handler;
};

struct strata_why_lane {
	struct strata_why_span *spans;
	size_t nr, room;
	uint64_t last_to_ns; /* of a vCPU: the end of its last span, */
	uint32_t last_state; /* and its state */
};

/* A kernel in whose trace spans were found. */
struct strata_why_kernel {
	bool is_known;
	size_t machine;
	uint32_t domain; /* STRATA_NO_DOMAIN: not under a hypervisor */
};

struct strata_why_recall {
	struct strata_span_listener listener;
	const struct strata_shown *shown;
	struct strata_why_names *names;
	struct strata_why_window *windows; /* sorted and disjoint */
	size_t nr_windows;
	struct strata_why_kernel *kernels; /* by index of the trace in the set */
	struct strata_id_map lanes;
	struct strata_id_map span_names; /* numbers of names, by an id of the named object */
	struct strata_why_wake *wakes;   /* [0] is unused */
	size_t nr_wakes, wakes_room;
	uint32_t most_vcpu;          /* the largest number of any vCPU */
	struct strata_shares shares; /* of the spans, by report.h's owners */
	size_t most_spans;
	uint64_t not_remembered;
	bool no_memory;
};

/*
 * @windows: copied
 * @most: largest number of spans to remember; of one source half of them
 * Returns NULL if out of memory.
 */
struct strata_why_recall *strata_why_recall_new(const struct strata_why_window *windows, size_t nr,
						size_t most, const struct strata_shown *shown,
						struct strata_why_names *names);

/* Returns 0, or -1: out of memory. */
int strata_why_recall_finish(struct strata_why_recall *recall);

/* Returns the lane of a task or of a CPU of a kernel; NULL: it has no remembered spans. */
const struct strata_why_lane *strata_why_lane(const struct strata_why_recall *recall,
					      enum strata_why_lane_kind kind, size_t trace,
					      uint32_t number);
const struct strata_why_lane *strata_why_vcpu_lane(const struct strata_why_recall *recall,
						   enum strata_why_lane_kind kind, size_t machine,
						   uint32_t domain, uint32_t number);

/* Combines domain and number of a vCPU into the number of its lane. */
static inline uint32_t strata_why_vcpu_number(uint32_t domain, uint32_t number)
{
	return domain << 16 | (number & 0xffff);
}

/* Returns the index in a lane of the first span that ends after a moment; nr of the lane: none. */
size_t strata_why_find_at(const struct strata_why_lane *lane, uint64_t ns);

/*
 * Returns the span of a lane at a moment; NULL: none.
 * @until_ns: lowered to the moment at which the answer changes, if that is earlier
 * @bound_ns: set to the bound of that moment in this case
 */
const struct strata_why_span *strata_why_look(const struct strata_why_lane *lane, uint64_t ns,
					      uint64_t *until_ns, uint64_t *bound_ns);

void strata_why_recall_free(struct strata_why_recall *recall);

#endif /* STRATA_MERGE_WHY_RECALL_H */
