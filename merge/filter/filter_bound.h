/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bound.h - a filter as it is for one class of events: only what must be asked of
 * each event is left.  filter_bind.c makes it, filter_run.c runs it.
 */
#ifndef STRATA_MERGE_FILTER_BOUND_H
#define STRATA_MERGE_FILTER_BOUND_H

#include "timeline/event_place.h"
#include "filter/filter.h"
#include "timeline/current_task.h"

enum bound_operand_kind {
	BOUND_CONSTANT,
	BOUND_FIELD,  /* of the event, by its access */
	BOUND_PACKET, /* likewise of its packet's context */
	BOUND_PLACE,  /* a number of event_place.h's */
	BOUND_CPU,
	BOUND_TIME,
	BOUND_TASK_NAME, /* of the task that runs */
	BOUND_TASK_NUMBER,
};

struct bound_operand {
	enum bound_operand_kind kind;
	struct strata_value value; /* a constant */
	struct strata_ctf_access access;
	const struct strata_place_number *number;
	const struct strata_number_names *names; /* a place's; or NULL */
};

struct bound_node {
	enum { BOUND_ALL, BOUND_ANY, BOUND_NOT, BOUND_TEST, BOUND_VERDICT } kind;
	struct bound_node *first, *next;
	struct bound_operand left, right;
	enum strata_comparison comparison;
	bool stands_alone;
	enum strata_verdict verdict;
};

struct bound_class {
	const struct bound_node *node; /* NULL: it is known beforehand: */
	bool matches;
};

struct bound_kind {
	struct bound_class *classes;
	bool reads_packet; /* some class does */
	/* What each class tells of the task that runs; NULL: nobody asks, or none tells. */
	struct strata_task_class *tasks;
};

/* How merges run a filter: filter_run.c. */
extern const struct strata_set_filter strata_filter_merging;

struct strata_filter {
	struct strata_set_filter of_set; /* what merges call */
	struct strata_ctf_arena *arena;  /* of what is asked for */
	struct strata_node *root;        /* all of its children */
	struct strata_ctf_arena *bound_arena;
	struct bound_kind **traces; /* by trace and kind of stream */
	size_t *nr_streams;         /* of each trace */
	size_t nr_traces;
	bool can_match; /* an event of some class */
};

#endif /* STRATA_MERGE_FILTER_BOUND_H */
