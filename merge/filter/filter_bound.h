/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bound.h - a filter reduced for one class of events to the tests that must be made per
 * event. filter_bind.c creates it, filter_run.c runs it.
 */
#ifndef STRATA_MERGE_FILTER_BOUND_H
#define STRATA_MERGE_FILTER_BOUND_H

#include "timeline/event_place.h"
#include "filter/filter.h"
#include "filter/filter_seen.h"
#include "timeline/current_task.h"

enum bound_operand_kind {
	BOUND_CONSTANT,
	BOUND_FIELD,  /* of the event, by its access path */
	BOUND_PACKET, /* of its packet's context, by its access path */
	BOUND_PLACE,  /* one of the places in event_place.h */
	BOUND_CPU,
	BOUND_TIME,
	BOUND_TASK_NAME, /* of the running task */
	BOUND_TASK_NUMBER,
};

struct bound_operand {
	enum bound_operand_kind kind;
	struct strata_value value; /* if constant */
	struct strata_ctf_access access;
	const struct strata_place_number *number;
	const struct strata_number_names *names; /* of a place; or NULL */
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
	const struct bound_node *node; /* NULL: the result is constant: */
	bool matches;
};

struct bound_kind {
	struct bound_class *classes;
	bool reads_packet; /* of some class */
	/* How each class shows the running task; NULL: not needed, or none does. */
	struct strata_task_class *tasks;
	/* The vCPU of each event, to be noted; NULL: no test asks for it, or events do not say it.
	 */
	const struct strata_place_number *vcpu;
};

/* The callbacks with which merges run a filter: filter_run.c. */
extern const struct strata_set_filter strata_filter_merging;

struct strata_filter {
	struct strata_set_filter of_set; /* the callbacks for merges */
	struct strata_ctf_arena *arena;  /* of the expression */
	struct strata_node *root;        /* a conjunction of its children */
	struct strata_ctf_arena *bound_arena;
	struct bound_kind **traces; /* by trace and kind of stream */
	size_t *nr_streams;         /* of each trace */
	size_t nr_traces;
	bool can_match; /* for some class */
	/* The vCPUs in events; NULL: not needed. */
	struct strata_seen_vcpus *seen_vcpus;
};

#endif /* STRATA_MERGE_FILTER_BOUND_H */
