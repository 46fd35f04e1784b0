// SPDX-License-Identifier: GPL-2.0-or-later
/* recall.c - see recall.h. */
#include "why/recall.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/array.h"
#include "why/recall_names.h"
#include "why/recall_wakes.h"

/* Task numbers have 32 bits; numbers of traces, machines, domains and vCPUs have 16. */
static uint64_t id_of(enum strata_why_lane_kind kind, size_t trace, uint32_t number)
{
	return (uint64_t)kind << 56 | (uint64_t)trace << 32 | number;
}

static int by_begin(const void *left, const void *right)
{
	const struct strata_why_window *a = left, *b = right;

	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Merges overlapping and adjacent windows. */
static size_t join_windows(struct strata_why_window *windows, size_t nr)
{
	size_t i, last = 0;

	qsort(windows, nr, sizeof(*windows), by_begin);
	for (i = 1; i < nr; i++) {
		if (windows[i].from_ns > windows[last].to_ns)
			windows[++last] = windows[i];
		else if (windows[i].to_ns > windows[last].to_ns)
			windows[last].to_ns = windows[i].to_ns;
	}
	return nr ? last + 1 : 0;
}

/* Whether a span overlaps a window: only the last window that begins before its end can. */
static bool is_wanted(const struct strata_why_recall *recall, const struct strata_span *span)
{
	size_t low = 0, high = recall->nr_windows;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (recall->windows[middle].from_ns < span->to_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && recall->windows[low - 1].to_ns > span->from_ns;
}

/* Returns NULL if out of memory. */
static struct strata_why_lane *get_lane(struct strata_why_recall *recall, uint64_t id)
{
	struct strata_why_lane *lane = strata_id_map_find(&recall->lanes, id);

	if (lane)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (lane && !strata_id_map_add(&recall->lanes, id, lane))
		return lane;
	free(lane);
	recall->no_memory = true;
	return NULL;
}

/* Adds a span to the lane with that id, as a part of @of. */
static void add(struct strata_why_recall *recall, const struct strata_span *of, uint64_t id,
		const struct strata_why_span *span)
{
	struct strata_why_lane *lane;

	if (!strata_shares_take(&recall->shares, strata_report_span_owner(recall->shown, of),
				recall->most_spans)) {
		recall->not_remembered++;
		return;
	}
	lane = get_lane(recall, id);
	if (!lane)
		return;
	if (!STRATA_GROW(lane->spans, lane->nr, lane->room)) {
		recall->no_memory = true;
		return;
	}
	lane->spans[lane->nr++] = *span;
}

/* Remembers what ended a span that is to be added.  0: it is not known, or there is no room. */
static uint32_t add_wake(struct strata_why_recall *recall, const struct strata_span *span)
{
	return strata_shares_have_room(&recall->shares,
				       strata_report_span_owner(recall->shown, span),
				       recall->most_spans)
		       ? strata_why_add_wake(recall, span->wake)
		       : 0;
}

static void add_task(struct strata_why_recall *recall, const struct strata_span *span,
		     struct strata_why_span *kept)
{
	const struct strata_kernel *kernel = span->task->kernel;

	recall->kernels[kernel->trace] =
		(struct strata_why_kernel){ true, kernel->machine, kernel->domain };
	kept->cpu = span->cpu;
	kept->state = (uint32_t)span->number;
	if (span->task->tid && span->number == STRATA_TASK_BLOCKED && span->wake)
		kept->wake = add_wake(recall, span);
	if (span->task->tid)
		add(recall, span, id_of(STRATA_WHY_LANE_TASK, kernel->trace, span->task->tid),
		    kept);
	if (span->number != STRATA_TASK_RUNNING)
		return;
	kept->name = span->task->tid ? strata_why_name_task(recall, span->task) : 0;
	kept->state = span->task->tid;
	add(recall, span, id_of(STRATA_WHY_LANE_CPU, kernel->trace, span->cpu), kept);
}

/* The previous state of a vCPU is tracked for spans outside of the windows too. */
static void add_vcpu(struct strata_why_recall *recall, const struct strata_span *span, uint64_t id,
		     struct strata_why_span *kept)
{
	struct strata_why_lane *lane = get_lane(recall, id);

	if (!lane)
		return;
	kept->before = lane->last_to_ns == span->from_ns ? lane->last_state : STRATA_VCPU_UNKNOWN;
	lane->last_to_ns = span->to_ns;
	lane->last_state = (uint32_t)span->number;
	if (!is_wanted(recall, span))
		return;
	kept->name = strata_why_name_vcpu(recall, span->trace, span->vcpu, STRATA_NO_PCPU);
	if (span->number == STRATA_VCPU_BLOCKED && span->wake)
		kept->wake = add_wake(recall, span);
	if (span->vcpu->number > recall->most_vcpu)
		recall->most_vcpu = span->vcpu->number;
	add(recall, span, id, kept);
}

static void take(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct strata_why_recall *recall = (struct strata_why_recall *)listener;
	const uint32_t vcpu =
		span->vcpu ? strata_why_vcpu_number(span->vcpu->domain, span->vcpu->number) : 0;
	const size_t machine = span->vcpu ? span->vcpu->machine : 0;
	struct strata_why_span kept = {
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.from_bound_ns = span->from_bound_ns,
		.to_bound_ns = strata_span_to_bound(span),
		.state = (uint32_t)span->number,
	};

	if (span->from_ns >= span->to_ns)
		return;
	if (span->kind == STRATA_SPAN_VCPU)
		add_vcpu(recall, span, id_of(STRATA_WHY_LANE_VCPU, machine, vcpu), &kept);
	if (span->kind == STRATA_SPAN_VCPU || !is_wanted(recall, span))
		return;
	if (span->kind == STRATA_SPAN_TASK) {
		add_task(recall, span, &kept);
		return;
	}
	if (span->kind == STRATA_SPAN_IN_XEN) {
		add(recall, span, id_of(STRATA_WHY_LANE_XEN, machine, vcpu), &kept);
		return;
	}
	if (span->kind == STRATA_SPAN_BEHIND) {
		kept.name =
			strata_why_name_vcpu(recall, span->trace, span->other, span->pcpu->number);
		add(recall, span, id_of(STRATA_WHY_LANE_BEHIND, machine, vcpu), &kept);
		return;
	}
	if (span->kind == STRATA_SPAN_LOCK) {
		add(recall, span, id_of(STRATA_WHY_LANE_LOCK, span->trace, span->task->tid), &kept);
		return;
	}
	if (span->kind != STRATA_SPAN_EXIT && span->kind != STRATA_SPAN_HYPERCALL &&
	    span->kind != STRATA_SPAN_SYSCALL && span->kind != STRATA_SPAN_IRQ &&
	    span->kind != STRATA_SPAN_SOFTIRQ)
		return;
	kept.name = strata_why_name_span(recall, span);
	if (span->kind == STRATA_SPAN_EXIT)
		add(recall, span, id_of(STRATA_WHY_LANE_EXIT, machine, vcpu), &kept);
	else if (span->kind == STRATA_SPAN_HYPERCALL)
		add(recall, span, id_of(STRATA_WHY_LANE_HYPERCALL, machine, vcpu), &kept);
	else if (span->kind == STRATA_SPAN_IRQ)
		add(recall, span, id_of(STRATA_WHY_LANE_IRQ, span->trace, span->cpu), &kept);
	else if (span->kind == STRATA_SPAN_SOFTIRQ)
		add(recall, span, id_of(STRATA_WHY_LANE_SOFTIRQ, span->trace, span->cpu), &kept);
	else if (span->task)
		add(recall, span, id_of(STRATA_WHY_LANE_SYSCALL, span->trace, span->task->tid),
		    &kept);
}

struct strata_why_recall *strata_why_recall_new(const struct strata_why_window *windows, size_t nr,
						size_t most, const struct strata_shown *shown,
						struct strata_why_names *names)
{
	struct strata_why_recall *recall = calloc(1, sizeof(*recall));

	if (!recall)
		return NULL;
	recall->listener.span = take;
	recall->shown = shown;
	recall->names = names;
	recall->most_spans = most;
	recall->windows = calloc(nr + 1, sizeof(*windows));
	recall->kernels = calloc(shown->set->nr_traces + 1, sizeof(*recall->kernels));
	if (recall->windows && recall->kernels) {
		if (nr)
			memcpy(recall->windows, windows, nr * sizeof(*windows));
		recall->nr_windows = join_windows(recall->windows, nr);
		return recall;
	}
	strata_why_recall_free(recall);
	return NULL;
}

/* Earlier begin first; of two spans with the same begin, the outer one first. */
static int by_place(const void *left, const void *right)
{
	const struct strata_why_span *a = left, *b = right;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return a->to_ns > b->to_ns ? -1 : a->to_ns < b->to_ns;
}

/* A moment of a lane, and its bound. */
struct cut {
	uint64_t ns, bound_ns;
};

/* Appends the part of a span between two moments. */
static bool append(struct strata_why_lane *lane, const struct strata_why_span *span,
		   struct cut from, struct cut to)
{
	struct strata_why_span *part;

	if (from.ns >= to.ns)
		return true;
	if (!STRATA_GROW(lane->spans, lane->nr, lane->room))
		return false;
	part = &lane->spans[lane->nr++];
	*part = *span;
	part->from_ns = from.ns;
	part->from_bound_ns = from.bound_ns;
	part->to_ns = to.ns;
	part->to_bound_ns = to.bound_ns;
	return true;
}

/* Flattens the nested spans of a lane into a sequence of the innermost ones. Returns 0, or -1. */
static int flatten(struct strata_why_lane *lane)
{
	struct strata_why_lane row = { .nr = 0 };
	const struct strata_why_span **open = calloc(lane->nr + 1, sizeof(*open)), *top;
	struct cut now = { 0, 0 }, next;
	size_t i = 0, depth = 0;
	bool is_well = open != NULL;

	qsort(lane->spans, lane->nr, sizeof(*lane->spans), by_place);
	while (is_well && (i < lane->nr || depth)) {
		/* The innermost span continues until it ends or the next one begins. */
		top = depth ? open[depth - 1] : NULL;
		next = (struct cut){ UINT64_MAX, 0 };
		if (i < lane->nr)
			next = (struct cut){ lane->spans[i].from_ns, lane->spans[i].from_bound_ns };
		if (top && top->to_ns <= next.ns) {
			next = (struct cut){ top->to_ns, top->to_bound_ns };
			depth--;
		} else {
			open[depth++] = &lane->spans[i++];
		}
		if (top)
			is_well = append(&row, top, now, next);
		now = next.ns > now.ns || !top ? next : now;
	}
	free(open);
	free(lane->spans);
	*lane = row;
	return is_well ? 0 : -1;
}

int strata_why_recall_finish(struct strata_why_recall *recall)
{
	size_t i;

	for (i = 0; i < recall->lanes.room; i++) {
		if (recall->lanes.slots[i].thing && flatten(recall->lanes.slots[i].thing))
			recall->no_memory = true;
	}
	return recall->no_memory || recall->names->no_memory ? -1 : 0;
}

const struct strata_why_lane *strata_why_lane(const struct strata_why_recall *recall,
					      enum strata_why_lane_kind kind, size_t trace,
					      uint32_t number)
{
	return strata_id_map_find(&recall->lanes, id_of(kind, trace, number));
}

const struct strata_why_lane *strata_why_vcpu_lane(const struct strata_why_recall *recall,
						   enum strata_why_lane_kind kind, size_t machine,
						   uint32_t domain, uint32_t number)
{
	return strata_id_map_find(&recall->lanes,
				  id_of(kind, machine, strata_why_vcpu_number(domain, number)));
}

size_t strata_why_find_at(const struct strata_why_lane *lane, uint64_t ns)
{
	size_t low = 0, high = lane ? lane->nr : 0;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (lane->spans[middle].to_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct strata_why_span *strata_why_look(const struct strata_why_lane *lane, uint64_t ns,
					      uint64_t *until_ns, uint64_t *bound_ns)
{
	const size_t at = strata_why_find_at(lane, ns);
	const struct strata_why_span *span, *found;
	uint64_t until;

	if (!lane || at == lane->nr)
		return NULL;
	span = &lane->spans[at];
	found = span->from_ns <= ns ? span : NULL;
	until = found ? span->to_ns : span->from_ns;
	if (until < *until_ns) {
		*until_ns = until;
		*bound_ns = found ? span->to_bound_ns : span->from_bound_ns;
	}
	return found;
}

void strata_why_recall_free(struct strata_why_recall *recall)
{
	size_t i;

	if (!recall)
		return;
	for (i = 0; i < recall->lanes.room; i++) {
		if (recall->lanes.slots[i].thing)
			free(((struct strata_why_lane *)recall->lanes.slots[i].thing)->spans);
	}
	strata_id_map_free(&recall->lanes);
	strata_id_map_clear(&recall->span_names);
	strata_shares_clear(&recall->shares);
	free(recall->windows);
	free(recall->kernels);
	free(recall->wakes);
	free(recall);
}
