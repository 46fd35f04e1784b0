/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_value.h - the values of filters, and their comparison.
 *
 * Numbers are compared by value, whatever their types: -1 is less than every unsigned number, and
 * an integer is not rounded when compared with a floating-point number. A meaningless comparison
 * (text with a number, "less" between texts) is unknown.
 */
#ifndef STRATA_MERGE_FILTER_VALUE_H
#define STRATA_MERGE_FILTER_VALUE_H

#include "ctf/types/ctf_types.h"
#include "base/number_names.h"

/* Ordered so that "and" is the minimum, "or" the maximum. */
enum strata_verdict {
	STRATA_NO,
	STRATA_UNKNOWN, /* the event lacks an operand */
	STRATA_YES,
};

enum strata_value_kind {
	STRATA_VALUE_NONE,
	STRATA_VALUE_INTEGER,
	STRATA_VALUE_REAL,
	STRATA_VALUE_TEXT,
	STRATA_VALUE_PATTERN, /* as in strata/glob.h */
};

struct strata_value {
	enum strata_value_kind kind;
	bool is_negative; /* of an integer; its number is then in two's complement */
	uint64_t number;
	double real;
	const char *text; /* of text and patterns; not terminated */
	size_t bytes;
	/* An integer's labels, with which a pattern is compared, or NULL. */
	const struct strata_ctf_type *labels;
	/* Names of an integer from outside of its trace, or NULL. */
	const struct strata_number_names *names;
	/* For the name of the function at an address, or NULL. */
	const struct strata_symbols *symbols;
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

/* Whether values of these kinds can be compared with this operator. @labels: an integer among them
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
