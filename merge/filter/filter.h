/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - which events of a set of traces are wanted.
 *
 *     strata_filter_new, _option, _expression
 *                            what is asked for: all of it, and one of the values of an option
 *     strata_filter_bind     works out, for each class of events, what of that is known by then,
 *                            and where the rest lies
 *     strata_filter_of_set   what a merge calls for its events
 *
 * An event matches if all that is asked for is true.  What it does not have (a field, a
 * context, a domain), or has not of that kind (text where a number is meant), makes a comparison
 * unknown: its opposite is unknown as well, "or" something true makes it true, "and" something
 * false makes it false, and an event whose result is unknown does not match.
 *
 * Synchronisation: what was bound does not change, and any number of threads merge with it, each
 * with a run of its own.
 */
#ifndef STRATA_MERGE_FILTER_H
#define STRATA_MERGE_FILTER_H

#include "filter/filter_expression.h"
#include "timeline/trace_set.h"

struct strata_filter;
struct strata_filter_run;

/* One that all events match; NULL: out of memory. */
struct strata_filter *strata_filter_new(void);
void strata_filter_free(struct strata_filter *filter);

/* Whether nothing is asked for. */
bool strata_filter_is_empty(const struct strata_filter *filter);

/*
 * Asks for an attribute that is one of several values, with commas between them, or of those that
 * the same option asked for before.
 * @option: "--layer", for messages; stays
 * 0, or -1 with what is wrong.
 */
int strata_filter_option(struct strata_filter *filter, const char *option,
			 enum strata_attribute attribute, const char *values,
			 struct strata_error *error);

/* Asks for an expression (filter_expression.h) besides.  0, or -1 with what is wrong and where. */
int strata_filter_expression(struct strata_filter *filter, const char *expression,
			     struct strata_error *error);

/*
 * Binds it to a set, which stays as it is and outlives it.
 * @names: of each trace, as it is shown; copied from nowhere, so they stay, too
 * 0, or -1: out of memory.
 */
int strata_filter_bind(struct strata_filter *filter, const struct strata_trace_set *set,
		       const char *const *names, struct strata_error *error);

/* Tells of each name, field and value that is asked for and that no event of the bound set has,
 * with the nearest one that there is. */
void strata_filter_tell_missing(const struct strata_filter *filter, strata_complain_fn *tell,
				void *data);

/* Whether an event of the bound set may match.  False: each one would be left out. */
bool strata_filter_can_match(const struct strata_filter *filter);

/*
 * Tells, after a merge in which no event matched, of each CPU that is asked for and that the first
 * packet of no stream names, and of each process that is no task's name.  True: there is one.
 * @read_all: the merge read all traces to their ends
 */
bool strata_filter_tell_unlikely(const struct strata_filter *filter, bool read_all,
				 strata_complain_fn *tell, void *data);

/* Whether it may match an event of a stream. */
bool strata_filter_may_match_stream(const struct strata_filter *filter, size_t trace,
				    const struct strata_ctf_stream *stream);

/* The filter, once it is bound, as the merges of its set call it. */
const struct strata_set_filter *strata_filter_of_set(const struct strata_filter *filter);

#endif /* STRATA_MERGE_FILTER_H */
