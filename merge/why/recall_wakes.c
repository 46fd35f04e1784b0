// SPDX-License-Identifier: GPL-2.0-or-later
/* recall_wakes.c - see recall_wakes.h. */
#include "why/recall_wakes.h"

#include <string.h>

#include "base/array.h"
#include "why/recall_names.h"

/* Returns its index; 0: out of memory. */
static uint32_t append(struct strata_why_recall *recall, const struct strata_why_wake *wake)
{
	if (!STRATA_GROW(recall->wakes, recall->nr_wakes, recall->wakes_room)) {
		recall->no_memory = true;
		return 0;
	}
	recall->wakes[recall->nr_wakes++] = *wake;
	return (uint32_t)(recall->nr_wakes - 1);
}

static void set_sender(struct strata_why_wake *wake, const struct strata_vcpu *vcpu,
		       const struct strata_task *task)
{
	wake->has_sender = true;
	wake->machine = vcpu->machine;
	wake->domain = vcpu->domain;
	wake->vcpu = vcpu->number;
	wake->has_sender_task = task != NULL;
	if (task) {
		wake->sender_kernel = task->kernel->trace;
		wake->sender_tid = task->tid;
	}
}

/* Remembers the handler that sent through the event channel. */
static uint32_t add_handler(struct strata_why_recall *recall, const struct strata_handler *handler)
{
	const struct strata_link link = {
		.via = handler->via,
		.number = handler->number,
		.name = handler->name,
		.name_bytes = strnlen(handler->name, sizeof(handler->name)),
		.from.trace = handler->trace,
	};
	const struct strata_moment *since = handler->is_pending ? &handler->pending_since
								: &handler->since;
	struct strata_why_wake wake = {
		.via = handler->via,
		.name = strata_why_name_waker(recall, &link),
		.cpu = handler->cpu,
		.kernel = handler->trace,
		.is_pending = true,
		.pending_ns = since->ns,
		.pending_bound_ns = since->bound_ns,
	};

	if (handler->sender) {
		set_sender(&wake, handler->sender, handler->sender_task);
		wake.sender_name = strata_why_name_sender(recall, handler->trace, handler->sender,
							  handler->sender_task);
	}
	return append(recall, &wake);
}

uint32_t strata_why_add_wake(struct strata_why_recall *recall, const struct strata_link *link)
{
	const struct strata_link *delivery = link->cause;
	const struct strata_link *pending = delivery ? delivery->cause : NULL;
	/* A send through an event channel may wake a blocked vCPU directly. */
	const struct strata_link *send = link->kind == STRATA_LINK_VCPU_WAKEUP ? link : pending;
	struct strata_why_wake wake = { .via = link->via, .cpu = link->from.cpu };

	if (recall->nr_wakes == 0)
		append(recall, &wake); /* [0] is unused */
	wake.name = strata_why_name_waker(recall, link);
	if (link->from.task) {
		wake.has_task = true;
		wake.kernel = link->from.task->kernel->trace;
		wake.tid = link->from.task->tid;
	}
	if (delivery) {
		wake.is_pending = true;
		wake.pending_ns = delivery->from.at.ns;
		wake.pending_bound_ns = delivery->from.at.bound_ns;
	}
	if (link->has_due) {
		wake.has_due = true;
		wake.due_ns = link->due.ns;
		wake.due_bound_ns = link->due.bound_ns;
	}
	if (send && send->via == STRATA_VIA_SEND && send->from.vcpu) {
		/* If a handler sent, the task that it interrupted did not. */
		const struct strata_task *task = send->handler ? NULL : send->from.task;

		set_sender(&wake, send->from.vcpu, task);
		wake.sender_name =
			strata_why_name_sender(recall, send->from.trace, send->from.vcpu, task);
		if (send->handler)
			wake.handler = add_handler(recall, send->handler);
	}
	return append(recall, &wake);
}
