/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_world.h - a small trace of events whose every value a test knows, and the
 * same by an evaluator that is written the plain way: what filters are compared with.
 *
 * It shares nothing with merge/: values are kept as they were made, numbers are compared as
 * long double (which holds all 64-bit ones), patterns are matched by recursion.
 */
#ifndef STRATA_TESTS_FILTER_WORLD_H
#define STRATA_TESTS_FILTER_WORLD_H

#include "ctf_maker.h"
#include "timeline/trace_set.h"

#define FILTER_WORLD_EVENTS 240u
#define FILTER_WORLD_VALUES 24u

enum plain_kind { PLAIN_NONE, PLAIN_NUMBER, PLAIN_TEXT, PLAIN_LABELLED };

struct plain_value {
	const char *name; /* as an expression names it: "pair.x", "$ctx.tid", "$event" */
	enum plain_kind kind;
	long double number;
	char text[32];
	const char *labels[3]; /* of a labelled one; NULL behind the last */
};

struct plain_event {
	struct plain_value values[FILTER_WORLD_VALUES];
	unsigned int nr;
};

struct filter_world {
	struct trace_dir dir;
	struct strata_trace_set set;
	struct plain_event events[FILTER_WORLD_EVENTS]; /* in order of time */
};

/* Makes the trace, of random values, and opens it. */
void filter_world_make(struct filter_world *world, uint64_t seed);
void filter_world_end(struct filter_world *world);

/* Overwrites some bytes of the stream's packets at random, and opens the trace anew. */
void filter_world_damage(struct filter_world *world, uint64_t *seed);

/* Returns how many events match an expression, and prints no message about it; "": all match. */
uint64_t filter_world_count(struct filter_world *world, const char *expression);

/* Which events a merge of the set hands on, by their number. */
void filter_world_merge(const struct filter_world *world, bool got[FILTER_WORLD_EVENTS]);

/* The same for an expression; NULL: it binds, else a message of what is wrong. */
const char *filter_world_ask(struct filter_world *world, const char *expression,
			     bool got[FILTER_WORLD_EVENTS]);

/* An event's value; one of no kind if it has none of that name. */
const struct plain_value *plain_value_of(const struct plain_event *event, const char *name);

/* 1: it compares so; 0: it does not; -1: it means nothing.  @comparison: "==" and so on; a text on
 * the right is a pattern */
int plain_compare(const struct plain_value *left, const char *comparison,
		  const struct plain_value *right);

bool plain_fits(const char *pattern, const char *text);

#endif /* STRATA_TESTS_FILTER_WORLD_H */
