/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.h - causes and their effects: which task or vCPU woke another, and how event channels and
 * interrupts carried it.
 *
 * A link is told when its effect happens.  A span that a wake-up ended or began points to that
 * wake-up's link, and a link to the link that caused it:
 *
 *     WAKEUP (a softirq or interrupt handler wakes a task)
 *       cause: DELIVERY (the kernel takes an event channel's upcall)
 *         cause: PENDING (a vCPU of another domain sent through it)
 *           handler: the interrupt or softirq there that did so, if no task did
 */
#ifndef STRATA_MERGE_STATE_LINK_H
#define STRATA_MERGE_STATE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_NO_CPU  UINT32_MAX
#define STRATA_NO_PORT UINT32_MAX

/* Nanoseconds since 1970, with a largest error of bound_ns; UINT64_MAX: unknown. */
struct strata_moment {
	uint64_t ns;
	uint64_t bound_ns;
};

struct strata_vcpu;
struct strata_task;

enum strata_link_kind {
	STRATA_LINK_WAKEUP,      /* a task of a kernel is woken */
	STRATA_LINK_VCPU_WAKEUP, /* a blocked or offline vCPU becomes runnable */
	STRATA_LINK_PENDING,     /* an event channel's port becomes pending: by a send, or by Xen */
	STRATA_LINK_DELIVERY,    /* from a pending port to the upcall in its kernel */
	STRATA_LINK_HANDLER,     /* from that upcall to the handler of its interrupt */
	STRATA_NR_LINKS,
};

/* How the cause acted. */
enum strata_link_via {
	STRATA_VIA_UNKNOWN, /* no event tells; `from` only tells what had the CPU */
	STRATA_VIA_TASK,    /* the task at `from` did it */
	STRATA_VIA_IRQ,     /* a handler that interrupted that task: `number`, `name` */
	STRATA_VIA_SOFTIRQ, /* likewise: `number` is the vector */
	STRATA_VIA_SEND,    /* the vCPU at `from` sent through an event channel: `port` */
	STRATA_VIA_XEN,     /* Xen itself made `port` pending: a virtual or physical interrupt */
	STRATA_VIA_TIMER,   /* a timer expired, of Xen or the kernel: `number` is its function */
	STRATA_NR_VIAS,
};

/* One end of a link: the moment, and what had the CPU there and then.  NULL: unknown. */
struct strata_link_end {
	struct strata_moment at;
	const struct strata_task *task;
	const struct strata_vcpu *vcpu;
	uint32_t cpu;  /* of the kernel, or STRATA_NO_CPU */
	uint32_t pcpu; /* likewise, physical */
	size_t trace;  /* index in the set of the trace whose event tells of this end */
};

#define STRATA_HANDLER_NAME_BYTES 32u

/* The handler that had a kernel's CPU in place of its task, and what it handled. */
struct strata_handler {
	enum strata_link_via via; /* IRQ, SOFTIRQ or TIMER: `number`, `name` as of a link */
	uint64_t number;
	char name[STRATA_HANDLER_NAME_BYTES]; /* ended by a zero unless full; any bytes */
	size_t trace; /* index in the set of the trace whose events tell of it */
	uint32_t cpu;
	struct strata_moment since; /* when it began to run */
	/* Its event channel: since when it was pending, the vCPU that sent through it, and the task
	 * of that vCPU.  NULL: unknown, or Xen sent. */
	bool is_pending;
	struct strata_moment pending_since;
	const struct strata_vcpu *sender;
	const struct strata_task *sender_task;
};

/* WAKEUP and VCPU_WAKEUP are one event: both ends have one time, and `to` is the task or vCPU that
 * was woken. */
struct strata_link {
	enum strata_link_kind kind;
	enum strata_link_via via;
	struct strata_link_end from, to;
	uint32_t port; /* of the receiver's domain, or STRATA_NO_PORT */
	uint64_t number;
	bool has_due;
	struct strata_moment due; /* of a wake-up by a timer: when it was to expire (timers.h) */
	const char *name; /* any bytes, name_bytes of them, valid during the call; NULL: no name */
	size_t name_bytes;
	const struct strata_link *cause; /* valid during the call; NULL: no event tells */
	/* The same, for links via SEND: the handler that sent.  NULL: the task at `from` sent, or
	 * no event tells. */
	const struct strata_handler *handler;
};

/* A DELIVERY and the PENDING that caused it, which stay valid beyond the call. */
struct strata_delivery {
	struct strata_link link, pending;
	struct strata_handler handler; /* of the PENDING, if it has one */
};

/* Copies @link, a DELIVERY, and its cause. */
static inline void strata_delivery_keep(struct strata_delivery *kept,
					const struct strata_link *link)
{
	kept->link = *link;
	if (!link->cause)
		return;
	kept->pending = *link->cause;
	kept->link.cause = &kept->pending;
	if (!link->cause->handler)
		return;
	kept->handler = *link->cause->handler;
	kept->pending.handler = &kept->handler;
}

#endif /* STRATA_MERGE_STATE_LINK_H */
