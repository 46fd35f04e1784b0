/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_binder.h - what the two files that bind a filter to a class of events share. */
#ifndef STRATA_MERGE_FILTER_BINDER_H
#define STRATA_MERGE_FILTER_BINDER_H

#include "filter/filter_bound.h"

/* The class that is bound, and whose it is. */
struct strata_binder {
	const struct strata_trace_set *set;
	struct strata_ctf_arena *arena;
	const struct strata_ctf_trace *trace;
	const char *name;
	const struct strata_ctf_kind_of_stream *kind;
	const struct strata_ctf_event_class *class;
	const struct strata_place *place;
	size_t about; /* which of the domains that an event is about is bound: see bind_about() */
	bool reads_packet;
	struct strata_task_class *tasks; /* of the kind; NULL: its events do not tell */
	bool asks_for_task;
	bool no_memory;
};

/*
 * Finds an operand in the class.
 * @other: the one that it is compared with; all zero if it stands alone
 * @bound: OUT; a constant of no kind if the class has no such thing
 */
void strata_bind_operand(struct strata_binder *binder, struct strata_operand *operand,
			 const struct strata_operand *other, struct bound_operand *bound);

#endif /* STRATA_MERGE_FILTER_BINDER_H */
