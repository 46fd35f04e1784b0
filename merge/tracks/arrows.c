// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrows.c - see recorder.h: makes arrows of spans that tie two tracks.
 *
 * Tracks are numbered as they are first asked for, so each function asks for both ends in an order
 * of its own, not in the compiler's order of arguments.
 */
#include "tracks/recorder.h"
#include "xen/domain_numbers.h"

/* An arrow that lies in the time that is shown, between tracks that are. */
static void draw(struct strata_recorder *recorder, enum strata_arrow_kind kind,
		 const struct strata_track *from, const struct strata_track *to,
		 const struct strata_span *span)
{
	struct strata_track_arrow arrow = {
		.kind = kind,
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.bound_ns = span->bound_ns,
	};

	if (!from || !to)
		return;
	arrow.from_track = from->id;
	arrow.to_track = to->id;
	strata_recorder_tell_arrow(recorder, &arrow);
}

static bool is_shown(const struct strata_recorder *recorder, const struct strata_span *span)
{
	return span->from_ns >= recorder->options->from_ns &&
	       span->to_ns <= recorder->options->to_ns;
}

/* Who held the physical CPU that a vCPU waited for. */
static void take_behind(struct strata_recorder *recorder, const struct strata_span *span)
{
	const struct strata_track *to;

	strata_detail_add_behind(&recorder->behind, span);
	if (span->other->domain == STRATA_DOMID_IDLE || !is_shown(recorder, span))
		return;
	to = strata_tree_vcpu(&recorder->tree, span->trace, span->vcpu);
	draw(recorder, STRATA_ARROW_HELD,
	     strata_tree_vcpu(&recorder->tree, span->trace, span->other), to, span);
}

/* Where the handlers of a CPU are drawn.  NULL: it is unknown which, or timers, which have no
 * track. */
static const struct strata_track *handlers_of(struct strata_tree *tree, enum strata_link_via via,
					      size_t trace, uint32_t cpu)
{
	if (cpu == STRATA_NO_CPU || (via != STRATA_VIA_IRQ && via != STRATA_VIA_SOFTIRQ))
		return NULL;
	return strata_tree_cpu(tree, trace, cpu,
			       via == STRATA_VIA_IRQ ? STRATA_TRACK_IRQS : STRATA_TRACK_SOFTIRQS);
}

/* What did something: the task, or the handler that had interrupted it; else the vCPU.  NULL: no
 * event tells. */
static const struct strata_track *cause_of(struct strata_recorder *recorder,
					   const struct strata_link *link)
{
	const struct strata_handler *handler = link->handler;
	const struct strata_link_end *end = &link->from;
	struct strata_tree *tree = &recorder->tree;
	const struct strata_track *track;

	if (!handler && (link->via == STRATA_VIA_TASK || link->via == STRATA_VIA_SEND) &&
	    end->task && end->task->tid != 0)
		return strata_tree_task(tree, end->task);
	track = handler ? handlers_of(tree, handler->via, handler->trace, handler->cpu)
			: handlers_of(tree, link->via, end->trace, end->cpu);
	if (!track && link->via == STRATA_VIA_SEND && end->vcpu &&
	    end->vcpu->domain != STRATA_DOMID_IDLE)
		track = strata_tree_vcpu(tree, end->trace, end->vcpu);
	return track;
}

/* From what woke a task to where the task runs. */
static void take_wakeup(struct strata_recorder *recorder, const struct strata_span *span)
{
	const struct strata_track *to;

	if (!span->wake || span->task->tid == 0 || !is_shown(recorder, span))
		return;
	to = strata_tree_task(&recorder->tree, span->task);
	draw(recorder, STRATA_ARROW_WAKEUP, cause_of(recorder, span->wake), to, span);
}

/* From who sent through an event channel to the upcall. */
static void take_event_channel(struct strata_recorder *recorder, const struct strata_span *span)
{
	const struct strata_track *to;

	if (!span->wake || !span->vcpu || !is_shown(recorder, span))
		return;
	to = strata_tree_vcpu(&recorder->tree, span->trace, span->vcpu);
	draw(recorder, STRATA_ARROW_EVENT_CHANNEL, cause_of(recorder, span->wake), to, span);
}

void strata_arrows_take_handler(struct strata_recorder *recorder, const struct strata_span *span,
				const struct strata_track *track)
{
	const struct strata_link *link = span->wake;
	struct strata_span delivery = *span;

	if (!link || link->kind != STRATA_LINK_HANDLER || !link->from.vcpu)
		return;
	delivery.from_ns = link->from.at.ns;
	delivery.to_ns = link->to.at.ns;
	delivery.from_bound_ns = link->from.at.bound_ns;
	delivery.bound_ns = strata_moments_bound(&link->from.at, &link->to.at);
	if (is_shown(recorder, &delivery))
		draw(recorder, STRATA_ARROW_INTERRUPT,
		     strata_tree_vcpu(&recorder->tree, link->from.trace, link->from.vcpu), track,
		     &delivery);
}

void strata_arrows_take(struct strata_recorder *recorder, const struct strata_span *span)
{
	if (span->kind == STRATA_SPAN_BEHIND)
		take_behind(recorder, span);
	else if (span->kind == STRATA_SPAN_WAKEUP)
		take_wakeup(recorder, span);
	else
		take_event_channel(recorder, span);
}
