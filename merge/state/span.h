/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - what the state of a host over time consists of: spans, each of one thing in one state or
 * at one job, and those who listen to them.
 *
 * A span comes when it ends, so spans come in the order of their ends.  What events were lost of
 * is in a state that is unknown; no job is made up around a loss.
 */
#ifndef STRATA_MERGE_STATE_SPAN_H
#define STRATA_MERGE_STATE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a virtual CPU is. */
enum strata_vcpu_state {
	STRATA_VCPU_GUEST,    /* runs, and its guest has the physical CPU, */
	STRATA_VCPU_XEN,      /* or Xen works for it: a VM exit, a hypercall */
	STRATA_VCPU_RUNNABLE, /* waits for a physical CPU */
	STRATA_VCPU_BLOCKED,  /* waits for an event */
	STRATA_VCPU_OFFLINE,  /* is paused, or not up */
	STRATA_VCPU_UNKNOWN,
	STRATA_NR_VCPU_STATES,
};

enum strata_task_state {
	STRATA_TASK_RUNNING,
	STRATA_TASK_RUNNABLE, /* waits for a CPU of its kernel */
	STRATA_TASK_BLOCKED,
	STRATA_TASK_UNKNOWN,
	STRATA_NR_TASK_STATES,
};

/* Nanoseconds since 1970, off by no more than the bound; UINT64_MAX: nobody knows. */
struct strata_moment {
	uint64_t ns;
	uint64_t bound_ns;
};

/* How a time is divided: by the state of a task, and by that of the virtual CPU that it runs on or
 * waits for.  Of a span without a task: the first row. */
struct strata_split {
	uint64_t ns[STRATA_NR_TASK_STATES][STRATA_NR_VCPU_STATES];
};

enum strata_span_kind {
	STRATA_SPAN_PCPU,      /* a physical CPU runs a vCPU */
	STRATA_SPAN_VCPU,      /* a vCPU is in a state: `number`; XEN counts as GUEST here */
	STRATA_SPAN_BEHIND,    /* a vCPU waits for a physical CPU that runs `other` */
	STRATA_SPAN_EXIT,      /* a VM exit: `number` is the reason */
	STRATA_SPAN_HYPERCALL, /* `number` says which */
	STRATA_SPAN_TASK,      /* a task is in a state: `number` */
	STRATA_SPAN_WAKEUP,    /* from a wake-up until the task runs */
	STRATA_SPAN_PREEMPTED, /* the same from where another task took the CPU */
	STRATA_SPAN_SYSCALL,   /* `number`, or `name` where the trace has names only */
	STRATA_SPAN_IRQ,       /* `number`, `name` */
	STRATA_SPAN_SOFTIRQ,   /* `number` is the vector */
	STRATA_SPAN_REQUEST,   /* `name` is the event's, without its end; `number` is the key */
	STRATA_NR_SPANS,
};

struct strata_pcpu;
struct strata_vcpu;
struct strata_task;

struct strata_span {
	enum strata_span_kind kind;
	uint64_t from_ns, to_ns;
	uint64_t bound_ns;              /* its length is off by no more; UINT64_MAX: nobody knows */
	const struct strata_pcpu *pcpu; /* these are NULL where the span has none */
	const struct strata_vcpu *vcpu, *other;
	const struct strata_task *task;
	uint32_t cpu; /* of the kernel, that an interrupt or a softirq came to */
	size_t trace; /* of the set, whose events tell of it */
	uint64_t number;
	const char *name; /* any bytes, name_bytes of them, during the call; NULL: none */
	size_t name_bytes;
	const struct strata_split *split; /* NULL: the span has none */
};

struct strata_span_listener {
	void (*span)(struct strata_span_listener *listener, const struct strata_span *span);
};

/* Those who listen. */
struct strata_spans {
	struct strata_span_listener *const *listeners;
	size_t nr;
};

static inline void strata_spans_tell(const struct strata_spans *spans,
				     const struct strata_span *span)
{
	size_t i;

	for (i = 0; i < spans->nr; i++)
		spans->listeners[i]->span(spans->listeners[i], span);
}

/* By how much the time between two moments may be off. */
static inline uint64_t strata_moments_bound(const struct strata_moment *from,
					    const struct strata_moment *to)
{
	return from->bound_ns > UINT64_MAX - to->bound_ns ? UINT64_MAX
							  : from->bound_ns + to->bound_ns;
}

/* The time between two moments; 0 if they are the other way round. */
static inline uint64_t strata_moments_between(const struct strata_moment *from,
					      const struct strata_moment *to)
{
	return to->ns > from->ns ? to->ns - from->ns : 0;
}

#endif /* STRATA_MERGE_STATE_SPAN_H */
