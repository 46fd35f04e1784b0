/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recall.h - remembers the spans of the state (state/span.h) that overlap some windows of time, in
 * lanes: of each task, vCPU and CPU one for each kind of span.  After the pass a lane has no two
 * spans at one time: of nested ones the innermost.
 *
 *     strata_why_recall_new      with the windows
 *     recall->listener           to be told of all spans
 *     strata_why_recall_finish   after them
 *     strata_why_lane, _look     what there was at a moment
 *     strata_why_recall_free
 *
 * Its memory is proportional to what happened in the windows, and limited: what is beyond the limit
 * is counted, not remembered, and unknown.
 */
#ifndef STRATA_MERGE_WHY_RECALL_H
#define STRATA_MERGE_WHY_RECALL_H

#include "outputs/shown.h"
#include "state/tasks.h"
#include "why/names.h"

/* About 60 bytes each. */
#define STRATA_WHY_SPANS_MAX 3000000u

struct strata_why_window {
	uint64_t from_ns, to_ns;
};

enum strata_why_lane_kind {
	/* Of a task, by its kernel's trace and its number: */
	STRATA_WHY_LANE_TASK,    /* `state`; `cpu` that it is on or waits for */
	STRATA_WHY_LANE_SYSCALL, /* `name` */
	STRATA_WHY_LANE_LOCK,    /* it waits for a lock */
	/* Of a CPU of a kernel, by its trace and its number: */
	STRATA_WHY_LANE_CPU, /* `name` of the task that runs there; `state` is its number */
	STRATA_WHY_LANE_IRQ,
	STRATA_WHY_LANE_SOFTIRQ,
	/* Of a vCPU, by its machine, its domain and its number: */
	STRATA_WHY_LANE_VCPU,   /* `state`; XEN counts as GUEST */
	STRATA_WHY_LANE_XEN,    /* Xen works for it, */
	STRATA_WHY_LANE_BEHIND, /* `name` of the vCPU that ran there */
	STRATA_WHY_LANE_EXIT,   /* as far as it is known on what */
	STRATA_WHY_LANE_HYPERCALL,
	STRATA_NR_WHY_LANES,
};

struct strata_why_span {
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* the ends are off by no more */
	uint32_t state, name, cpu;
	uint32_t wake;   /* what ended a blocked state: one of the wakes; 0: unknown */
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
	/* An event channel, and since when it was pending: */
	bool is_pending;
	uint64_t pending_ns, pending_bound_ns;
	/* A timer, and when it was to expire: */
	bool has_due;
	uint64_t due_ns, due_bound_ns;
	/* The vCPU that sent through it, and its task: */
	bool has_sender, has_sender_task;
	size_t machine;
	uint32_t domain, vcpu, sender_name;
	size_t sender_kernel;
	uint32_t sender_tid;
	/* Or a handler on that vCPU: one of the wakes, which says since when it was pending and who
	 * sent to it; 0: none. */
	uint32_t handler;
};

struct strata_why_lane {
	struct strata_why_span *spans;
	size_t nr, room;
	uint64_t last_to_ns; /* of a vCPU: of the last span that was told, */
	uint32_t last_state; /* and its state */
};

/* A kernel that spans tell of. */
struct strata_why_kernel {
	bool is_known;
	size_t machine;
	uint32_t domain; /* STRATA_NO_DOMAIN: it has no hypervisor */
};

struct strata_why_recall {
	struct strata_span_listener listener;
	const struct strata_shown *shown;
	struct strata_why_names *names;
	struct strata_why_window *windows; /* in order, none touches another */
	size_t nr_windows;
	struct strata_why_kernel *kernels; /* by trace of the set */
	struct strata_id_map lanes;
	struct strata_id_map span_names; /* numbers of names, by ids of what they are of */
	struct strata_why_wake *wakes;   /* [0] is none */
	size_t nr_wakes, wakes_room;
	uint32_t most_vcpu; /* the largest number of a vCPU */
	size_t nr_spans, most_spans;
	uint64_t not_remembered;
	bool no_memory;
};

/*
 * @windows: are copied
 * @most:    spans that are remembered
 * NULL: out of memory.
 */
struct strata_why_recall *strata_why_recall_new(const struct strata_why_window *windows, size_t nr,
						size_t most, const struct strata_shown *shown,
						struct strata_why_names *names);

/* 0, or -1: out of memory. */
int strata_why_recall_finish(struct strata_why_recall *recall);

/* The lane of a task or of a CPU of a kernel; NULL: nothing is remembered of it. */
const struct strata_why_lane *strata_why_lane(const struct strata_why_recall *recall,
					      enum strata_why_lane_kind kind, size_t trace,
					      uint32_t number);
const struct strata_why_lane *strata_why_vcpu_lane(const struct strata_why_recall *recall,
						   enum strata_why_lane_kind kind, size_t machine,
						   uint32_t domain, uint32_t number);

/* Of a vCPU both numbers as one. */
static inline uint32_t strata_why_vcpu_number(uint32_t domain, uint32_t number)
{
	return domain << 16 | (number & 0xffff);
}

/* The place in a lane of the first span that ends after a moment; their number: none does. */
size_t strata_why_find_at(const struct strata_why_lane *lane, uint64_t ns);

/*
 * Returns the span of a lane at a moment; NULL: none.
 * @until_ns: is lowered to the moment at which the answer changes,
 * @bound_ns: and is set to the bound of that moment then
 */
const struct strata_why_span *strata_why_look(const struct strata_why_lane *lane, uint64_t ns,
					      uint64_t *until_ns, uint64_t *bound_ns);

void strata_why_recall_free(struct strata_why_recall *recall);

#endif /* STRATA_MERGE_WHY_RECALL_H */
