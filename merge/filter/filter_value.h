/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_value.h - values that a filter compares, and how.
 *
 * Numbers are compared as numbers, whatever their types: -1 is less than every unsigned
 * one, and an integer is compared with a floating-point number without being rounded.  A
 * comparison that means nothing (text with a number, "less" between texts) is neither true
 * nor false.
 */
#ifndef STRATA_MERGE_FILTER_VALUE_H
#define STRATA_MERGE_FILTER_VALUE_H

#include "ctf/types/ctf_types.h"
#include "base/number_names.h"

/* In this order "and" is the least, "or" the greatest of two. */
enum strata_verdict {
	STRATA_NO,
	STRATA_UNKNOWN, /* the event has not what is asked for */
	STRATA_YES,
};

enum strata_value_kind {
	STRATA_VALUE_NONE,
	STRATA_VALUE_INTEGER,
	STRATA_VALUE_REAL,
	STRATA_VALUE_TEXT,
	STRATA_VALUE_PATTERN, /* filter_glob.h's */
};

struct strata_value {
	enum strata_value_kind kind;
	bool is_negative; /* an integer; its number is 64 bits of two's complement then */
	uint64_t number;
	double real;
	const char *text; /* of texts and patterns; ended by nothing */
	size_t bytes;
	/* An integer's, if it has labels: a pattern is compared with these.  Or NULL. */
	const struct strata_ctf_type *labels;
	/* Likewise names that its trace does not give. */
	const struct strata_number_names *names;
	const struct strata_symbols
		*symbols; /* likewise the name of the function that it lies in */
};

enum strata_comparison {
	STRATA_EQUAL,
	STRATA_NOT_EQUAL,
	STRATA_LESS,
	STRATA_LESS_OR_EQUAL,
	STRATA_GREATER,
	STRATA_GREATER_OR_EQUAL,
};

enum strata_verdict strata_value_compare(const struct strata_value *left,
					 enum strata_comparison comparison,
					 const struct strata_value *right);

/* Whether a value that stands alone is not 0. */
enum strata_verdict strata_value_truth(const struct strata_value *value);

/* Whether values of these kinds can be compared that way at all. @labels: one that is an integer
 * has labels or names */
bool strata_value_kinds_fit(enum strata_value_kind left, enum strata_comparison comparison,
			    enum strata_value_kind right, bool labels);

static inline struct strata_value strata_value_unsigned(uint64_t number)
{
	return (struct strata_value){ .kind = STRATA_VALUE_INTEGER, .number = number };
}

static inline struct strata_value strata_value_text(const char *text, size_t bytes)
{
	return (struct strata_value){ .kind = STRATA_VALUE_TEXT, .text = text, .bytes = bytes };
}

#endif /* STRATA_MERGE_FILTER_VALUE_H */
