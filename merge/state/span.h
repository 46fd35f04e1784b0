/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - what the state of a host over time consists of: spans, each of one thing in one state or
 * at one job, the links between them (link.h), and those who listen to both.
 *
 * A span comes when it ends, so spans come in the order of their ends.  A link comes when its
 * effect happens, in the same order, before the span that it ends.  What events were lost of
 * is in a state that is unknown; no job is made up around a loss.
 */
#ifndef STRATA_MERGE_STATE_SPAN_H
#define STRATA_MERGE_STATE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/link.h"

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

/* How a time is divided: by the state of a task, and by that of the virtual CPU that it runs on or
 * waits for.  Of a span without a task: the first row. */
struct strata_split {
	uint64_t ns[STRATA_NR_TASK_STATES][STRATA_NR_VCPU_STATES];
};

enum strata_span_kind {
	STRATA_SPAN_PCPU,       /* a physical CPU runs a vCPU */
	STRATA_SPAN_VCPU,       /* a vCPU is in a state: `number`; XEN counts as GUEST here */
	STRATA_SPAN_BEHIND,     /* a vCPU waits for a physical CPU that runs `other` */
	STRATA_SPAN_EXIT,       /* a VM exit: `number` is the reason */
	STRATA_SPAN_HYPERCALL,  /* `number` says which */
	STRATA_SPAN_TASK,       /* a task is in a state: `number`; one that has exited is in none */
	STRATA_SPAN_WAKEUP,     /* from a wake-up until the task runs */
	STRATA_SPAN_PREEMPTED,  /* the same from where another task took the CPU */
	STRATA_SPAN_SYSCALL,    /* `number`, or `name` where the trace has names only */
	STRATA_SPAN_IRQ,        /* `number`, `name` */
	STRATA_SPAN_SOFTIRQ,    /* `number` is the vector */
	STRATA_SPAN_REQUEST,    /* `name` is the event's, without its end; `number` is the key */
	STRATA_SPAN_EVTCHN,     /* port `number` of `vcpu` is pending, until its kernel's upcall;
				 * `other` is the vCPU that sent, if one did */
	STRATA_SPAN_GRANT,      /* `vcpu` maps a page of `domain`; `number` is the reference */
	STRATA_SPAN_GRANT_COPY, /* `vcpu` has `number` bytes copied from or to `domain`, at one
				 * moment; 0: it failed */
	STRATA_SPAN_LOCK,       /* a task waits for the lock at the address `number`; `name` is its
				 * kind */
	STRATA_SPAN_IN_XEN, /* Xen works for a running vCPU, whether or not the begin is known */
	STRATA_NR_SPANS,
};

struct strata_pcpu;

/* Where a task blocked, as far as events tell it. */
struct strata_task_block {
	uint64_t sleep; /* Linux's bits of its state: 1 interruptible, 2 uninterruptible, ... */
	bool in_syscall;
	uint64_t syscall;         /* its number, or `syscall_name` where the trace has names only */
	const char *syscall_name; /* ended by a zero; NULL: no name */
};

struct strata_span {
	enum strata_span_kind kind;
	uint64_t from_ns, to_ns;
	uint64_t bound_ns;              /* largest error of its length; UINT64_MAX: unknown */
	uint64_t from_bound_ns;         /* largest error of its begin; strata_span_to_bound() */
	const struct strata_pcpu *pcpu; /* these are NULL where the span has none */
	const struct strata_vcpu *vcpu, *other;
	const struct strata_task *task;
	size_t trace; /* index in the set of the trace whose events tell of it */
	uint64_t number;
	const char *name; /* any bytes, name_bytes of them, valid during the call; NULL: no name */
	size_t name_bytes;
	const struct strata_split *split; /* NULL: the span has none */
	uint32_t domain;                  /* the other domain of a GRANT or GRANT_COPY */
	uint64_t others_waited_ns; /* of a LOCK: other vCPUs of the domain, one of which may have
				    * held it, waited for a physical CPU */
	uint32_t cpu; /* of the kernel: of TASK, WAKEUP, PREEMPTED, SYSCALL, IRQ, SOFTIRQ, EVTCHN,
			 LOCK */
	/* The link that ended the state of a BLOCKED task or vCPU (unless a loss or the end did),
	 * that a WAKEUP or a RUNNABLE task or vCPU waits since (unless it was preempted), that an
	 * IRQ or SOFTIRQ handles, or that made an EVTCHN pending.  NULL: no event tells. */
	const struct strata_link *wake;
	const struct strata_task_block *block; /* of a BLOCKED task; NULL: no event tells */
};

/* The known number of waiters for a CPU, from one time to another (queue.h). */
struct strata_queue_span {
	size_t trace; /* index in the set of the trace whose events tell of it */
	size_t machine;
	uint32_t cpu; /* of the kernel, for which tasks wait; STRATA_NO_CPU: vCPUs wait for any
		       * physical one of the machine */
	uint64_t from_ns, to_ns;
	uint64_t waiting;
};

struct strata_span_listener {
	uint32_t kinds; /* bits of enum strata_span_kind that it wants; 0: all */
	void (*span)(struct strata_span_listener *listener, const struct strata_span *span);
	/* NULL: links are not wanted. */
	void (*link)(struct strata_span_listener *listener, const struct strata_link *link);
	/* NULL: lengths of queues are not wanted. */
	void (*queue)(struct strata_span_listener *listener, const struct strata_queue_span *queue);
};

#define STRATA_SPAN_LISTENERS_MAX 64u

/* The listeners, and which of them want which calls: bit i is listeners[i]. */
struct strata_spans {
	struct strata_span_listener *const *listeners;
	uint64_t want_spans[STRATA_NR_SPANS], want_links, want_queues;
};

/* @nr: STRATA_SPAN_LISTENERS_MAX at most.  What they want stays the same from then on. */
static inline struct strata_spans strata_spans_of(struct strata_span_listener *const *listeners,
						  size_t nr)
{
	struct strata_spans spans = { .listeners = listeners };
	size_t i, kind;

	for (i = 0; i < nr; i++) {
		const uint64_t bit = (uint64_t)1 << i;

		for (kind = 0; kind < STRATA_NR_SPANS; kind++) {
			if (!listeners[i]->kinds || listeners[i]->kinds >> kind & 1)
				spans.want_spans[kind] |= bit;
		}
		spans.want_links |= listeners[i]->link ? bit : 0;
		spans.want_queues |= listeners[i]->queue ? bit : 0;
	}
	return spans;
}

/* Takes the next listener out of a set, which is not empty. */
static inline struct strata_span_listener *strata_spans_next(const struct strata_spans *spans,
							     uint64_t *set)
{
	const unsigned int i = (unsigned int)__builtin_ctzll(*set);

	*set &= *set - 1;
	return spans->listeners[i];
}

static inline void strata_spans_tell(const struct strata_spans *spans,
				     const struct strata_span *span)
{
	uint64_t set = spans->want_spans[span->kind];

	while (set) {
		struct strata_span_listener *listener = strata_spans_next(spans, &set);

		listener->span(listener, span);
	}
}

static inline void strata_spans_tell_link(const struct strata_spans *spans,
					  const struct strata_link *link)
{
	uint64_t set = spans->want_links;

	while (set) {
		struct strata_span_listener *listener = strata_spans_next(spans, &set);

		listener->link(listener, link);
	}
}

static inline void strata_spans_tell_queue(const struct strata_spans *spans,
					   const struct strata_queue_span *queue)
{
	uint64_t set = spans->want_queues;

	while (set) {
		struct strata_span_listener *listener = strata_spans_next(spans, &set);

		listener->queue(listener, queue);
	}
}

/* The largest error of the time between two moments. */
static inline uint64_t strata_moments_bound(const struct strata_moment *from,
					    const struct strata_moment *to)
{
	return from->bound_ns > UINT64_MAX - to->bound_ns ? UINT64_MAX
							  : from->bound_ns + to->bound_ns;
}

/* The largest error of a span's end: the part of its length's bound that its begin leaves. */
static inline uint64_t strata_span_to_bound(const struct strata_span *span)
{
	/* One moment: the same as its begin. */
	if (span->kind == STRATA_SPAN_GRANT_COPY)
		return span->from_bound_ns;
	return span->bound_ns == UINT64_MAX ? UINT64_MAX : span->bound_ns - span->from_bound_ns;
}

/* The time between two moments; 0 if they are the other way round. */
static inline uint64_t strata_moments_between(const struct strata_moment *from,
					      const struct strata_moment *to)
{
	return to->ns > from->ns ? to->ns - from->ns : 0;
}

#endif /* STRATA_MERGE_STATE_SPAN_H */
