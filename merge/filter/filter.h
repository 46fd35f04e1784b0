/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - selects events of a set of traces.
 *
 *     strata_filter_new, _option, _expression
 *                            build it: a conjunction of expressions and of options, each a
 *                            disjunction of its values
 *     strata_filter_bind     evaluates for each class of events what is already known, and finds
 *                            where the rest lies in its events
 *     strata_filter_of_set   the callbacks for a merge
 *
 * An event matches if the whole expression is true. Logic is three-valued, as in SQL: a comparison
 * with an operand that the event lacks (a field, a context, a domain) or that has another type is
 * unknown, and so is its negation; "or" with true is true, "and" with false is false; an event
 * whose result is unknown does not match.
 *
 * Synchronisation: a bound filter is immutable; any number of threads can merge with it, each with
 * its own run.
 */
#ifndef STRATA_MERGE_FILTER_H
#define STRATA_MERGE_FILTER_H

#include "filter/filter_expression.h"
#include "timeline/trace_set.h"

struct strata_filter;
struct strata_filter_run;

/* Returns a filter that every event matches; NULL: out of memory. */
struct strata_filter *strata_filter_new(void);
void strata_filter_free(struct strata_filter *filter);

/* Whether the filter has no conditions. */
bool strata_filter_is_empty(const struct strata_filter *filter);

/*
 * Adds the condition that an attribute has one of several values, separated by commas. Values of
 * the same option add up.
 * @option: "--layer", for messages; must outlive the filter
 * Returns 0, or -1 with what is wrong.
 */
int strata_filter_option(struct strata_filter *filter, const char *option,
			 enum strata_attribute attribute, const char *values,
			 struct strata_error *error);

/* Adds an expression (filter_expression.h) as a further condition. Returns 0, or -1 with what is
 * wrong and where. */
int strata_filter_expression(struct strata_filter *filter, const char *expression,
			     struct strata_error *error);

/*
 * Binds the filter to a set, which must outlive it unchanged.
 * @names: the displayed name of each trace; not copied, so these must outlive it, too
 * Returns 0, or -1: out of memory.
 */
int strata_filter_bind(struct strata_filter *filter, const struct strata_trace_set *set,
		       const char *const *names, struct strata_error *error);

/* Reports each name, field and value in the filter that no event of the bound set has, with the
 * nearest existing one. */
void strata_filter_tell_missing(const struct strata_filter *filter, strata_complain_fn *tell,
				void *data);

/* Whether an event of the bound set can match. False: none does. */
bool strata_filter_can_match(const struct strata_filter *filter);

/*
 * After a merge in which no event matched, reports each CPU or vCPU in the filter that no stream's
 * first packet and no event names, and each process that is not the name of a task. Returns whether
 * there was one.
 * @from_first, @to_last: the merge began at the beginnings of all traces, and read to their ends
 */
bool strata_filter_tell_unlikely(const struct strata_filter *filter, bool from_first, bool to_last,
				 strata_complain_fn *tell, void *data);

/* Whether an event of this stream can match. */
bool strata_filter_may_match_stream(const struct strata_filter *filter, size_t trace,
				    const struct strata_ctf_stream *stream);

/* The bound filter's callbacks for merges of its set. */
const struct strata_set_filter *strata_filter_of_set(const struct strata_filter *filter);

#endif /* STRATA_MERGE_FILTER_H */
