/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_binder.h - state shared by the two files that bind a filter to a class of events. */
#ifndef STRATA_MERGE_FILTER_BINDER_H
#define STRATA_MERGE_FILTER_BINDER_H

#include "filter/filter_bound.h"

/* The class being bound, and its trace. */
struct strata_binder {
	const struct strata_trace_set *set;
	struct strata_ctf_arena *arena;
	const struct strata_ctf_trace *trace;
	const char *name;
	const struct strata_ctf_kind_of_stream *kind;
	const struct strata_ctf_event_class *class;
	const struct strata_place *place;
	/* Index of the domain being bound, of those that an event is about: see bind_about(). */
	size_t about;
	bool reads_packet;
	/* Of the kind of stream; NULL: its events do not show the task. */
	struct strata_task_class *tasks;
	bool asks_for_task;
	bool asks_for_vcpu; /* which each event has */
	bool no_memory;
};

/*
 * Finds an operand in the class.
 * @other: the operand that it is compared with; all zero: no comparison
 * @bound: OUT; a constant of no kind if the class lacks it
 */
void strata_bind_operand(struct strata_binder *binder, struct strata_operand *operand,
			 const struct strata_operand *other, struct bound_operand *bound);

#endif /* STRATA_MERGE_FILTER_BINDER_H */
