// SPDX-License-Identifier: GPL-2.0-or-later
/* slices.c - see recorder.h: makes slices from spans. */
#include <stdio.h>
#include <string.h>

#include "outputs/table.h"
#include "tracks/recorder.h"

/* Returns the track of a span, before overlaps are moved to other tracks; NULL: it is not shown. */
static struct strata_track *track_of(struct strata_recorder *recorder,
				     const struct strata_span *span, uint32_t name)
{
	struct strata_tree *tree = &recorder->tree;
	struct strata_track *above;

	switch (span->kind) {
	case STRATA_SPAN_PCPU:
		return strata_tree_pcpu(tree, span->trace, span->pcpu->number);
	case STRATA_SPAN_VCPU:
		return strata_tree_vcpu(tree, span->trace, span->vcpu);
	case STRATA_SPAN_EXIT:
	case STRATA_SPAN_HYPERCALL:
		above = strata_tree_vcpu(tree, span->trace, span->vcpu);
		return above ? strata_tree_below(tree, above,
						 span->kind == STRATA_SPAN_EXIT
							 ? STRATA_TRACK_EXITS
							 : STRATA_TRACK_HYPERCALLS)
			     : NULL;
	case STRATA_SPAN_TASK:
		return strata_tree_task(tree, span->task);
	case STRATA_SPAN_SYSCALL:
		above = strata_tree_task(tree, span->task);
		return above ? strata_tree_below(tree, above, STRATA_TRACK_SYSCALLS) : NULL;
	case STRATA_SPAN_IRQ:
	case STRATA_SPAN_SOFTIRQ:
		return strata_tree_cpu(tree, span->trace, span->cpu,
				       span->kind == STRATA_SPAN_IRQ ? STRATA_TRACK_IRQS
								     : STRATA_TRACK_SOFTIRQS);
	case STRATA_SPAN_REQUEST:
		return strata_tree_requests(tree, span->trace, name,
					    recorder->tracks.names.texts[name]);
	default:
		return NULL;
	}
}

/* Clips a slice to the shown range of time, and marks it as clipped. False: it lies outside. */
static bool cut(const struct strata_recorder *recorder, struct strata_track_slice *slice,
		char *detail)
{
	const uint64_t whole = slice->to_ns - slice->from_ns;
	const size_t used = strlen(detail);
	char ns[STRATA_NS_TEXT_BYTES];

	if (slice->to_ns <= recorder->options->from_ns ||
	    slice->from_ns >= recorder->options->to_ns)
		return false;
	if (slice->from_ns < recorder->options->from_ns)
		slice->from_ns = recorder->options->from_ns;
	if (slice->to_ns > recorder->options->to_ns)
		slice->to_ns = recorder->options->to_ns;
	if (slice->to_ns - slice->from_ns != whole)
		snprintf(detail + used, STRATA_DETAIL_BYTES - used, "%swhole=%s", used ? "\n" : "",
			 strata_ns_text(ns, whole));
	return true;
}

/* How long a task ran in a slice: not while its vCPU waits, or is asleep, paused or unknown, though
 * the task has it. */
static uint64_t running_ns(const struct strata_span *span, const struct strata_track_slice *slice)
{
	const uint64_t shown = slice->to_ns - slice->from_ns;
	const uint64_t *row = span->split->ns[STRATA_TASK_RUNNING];
	const uint64_t ran = row[STRATA_VCPU_GUEST] + row[STRATA_VCPU_XEN];

	return ran < shown ? ran : shown;
}

struct strata_track *strata_slices_place(struct strata_recorder *recorder,
					 struct strata_track *track,
					 struct strata_track_slice *slice)
{
	if (track)
		track = strata_tree_free_at(&recorder->tree, track, slice->from_ns);
	if (!track) {
		if (recorder->tree.reason == STRATA_TREE_NOT_WANTED)
			recorder->tracks.facts.of_others++;
		else
			recorder->tracks.facts.not_shown++;
		return NULL;
	}
	track->end_ns = slice->to_ns;
	track->slices++;
	slice->track = track->id;
	return track;
}

struct strata_track *strata_slices_take(struct strata_recorder *recorder,
					const struct strata_span *span)
{
	struct strata_track_slice slice = {
		.name = strata_labels_name(&recorder->labels, span),
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.bound_ns = span->bound_ns,
	};
	const bool waited = span->kind == STRATA_SPAN_VCPU && recorder->behind.waiter == span->vcpu;
	char detail[STRATA_DETAIL_BYTES];
	struct strata_track *track;

	strata_detail_text(detail, recorder->tracks.shown, span, waited ? &recorder->behind : NULL);
	if (waited)
		recorder->behind.waiter = NULL;
	if (!cut(recorder, &slice, detail) || recorder->labels.no_memory ||
	    recorder->tracks.names.no_memory)
		return NULL;
	track = strata_slices_place(recorder, track_of(recorder, span, slice.name), &slice);
	if (!track)
		return NULL;
	if (span->kind == STRATA_SPAN_TASK)
		track->busy_ns += running_ns(span, &slice);
	slice.category = strata_labels_category(&recorder->labels, span, slice.name);
	slice.detail = detail;
	strata_recorder_tell_slice(recorder, &slice);
	return track;
}
