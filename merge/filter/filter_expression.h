/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_expression.h - what events are asked for, as a tree:
 *
 *     any    = all { "||" all }
 *     all    = one { "&&" one }
 *     one    = "!" one | "(" any ")" | operand [ comparison operand ]
 *     operand = number | "pattern" | field | $attribute | $ctx.field
 *     field  = name { "." name | "[" number "]" }
 *     comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
 *
 * Numbers are decimal or begin with 0x, may be negative, or have a point; text is a pattern
 * (filter_glob.h) and can be equal or not.  A field is one of the event's payload, $ctx.field
 * one of its contexts or its packet's.  What stands alone is asked whether it is not 0.
 */
#ifndef STRATA_MERGE_FILTER_EXPRESSION_H
#define STRATA_MERGE_FILTER_EXPRESSION_H

#include "ctf/values/ctf_access.h"
#include "filter/filter_nearest.h"
#include "filter/filter_value.h"
#include "base/error.h"

#define STRATA_FILTER_NESTING_MAX 64u /* of brackets and "!" */

enum strata_attribute {
	STRATA_ATTRIBUTE_EVENT,  /* its name */
	STRATA_ATTRIBUTE_SOURCE, /* whose it is, as it is shown */
	STRATA_ATTRIBUTE_LAYER,  /* "xen", "kernel", "app" */
	STRATA_ATTRIBUTE_DOMAIN, /* a number, or its names */
	STRATA_ATTRIBUTE_ABOUT,  /* a domain: whose event it is, or that one of its fields names */
	STRATA_ATTRIBUTE_VCPU,
	STRATA_ATTRIBUTE_CPU, /* of its stream */
	STRATA_ATTRIBUTE_PCPU,
	STRATA_ATTRIBUTE_PROCESS, /* a number, or its name */
	STRATA_ATTRIBUTE_TIME,    /* ns since 1970 */
	STRATA_NR_ATTRIBUTES,
};

enum strata_operand_kind {
	STRATA_OPERAND_VALUE,
	STRATA_OPERAND_FIELD,
	STRATA_OPERAND_CONTEXT,
	STRATA_OPERAND_ATTRIBUTE,
};

struct strata_operand {
	enum strata_operand_kind kind;
	struct strata_value value;
	enum strata_attribute attribute;
	struct strata_ctf_path_part *parts;
	size_t nr_parts;
	const char *text; /* as it was given, for messages */
	unsigned int column;
	bool was_found;                /* some event has it */
	struct strata_nearest nearest; /* of a field that was not found: one that there is */
};

enum strata_node_kind {
	STRATA_NODE_ALL,
	STRATA_NODE_ANY,
	STRATA_NODE_NOT,
	STRATA_NODE_TEST,
};

struct strata_node {
	enum strata_node_kind kind;
	struct strata_node *first, *next; /* its children; its next sibling */
	struct strata_operand left, right;
	enum strata_comparison comparison;
	bool stands_alone; /* a test of the left one only */
	bool was_sensible; /* some event has what can be compared that way */
	bool may_match;    /* of some class an event may match; decided when it is bound */
	bool is_likely;    /* and the trace names such a one: not so a CPU that no stream is of */
	struct strata_nearest nearest; /* of a value that no event has: one that there is */
	const char *option;
	unsigned int column; /* of the comparison; 0: it is no expression's */
};

/*
 * Reads an expression.
 * @arena: what the tree belongs to
 * NULL with the reason: which column, and what was expected.
 */
struct strata_node *strata_filter_parse(const char *expression, struct strata_ctf_arena *arena,
					struct strata_error *error);

/*
 * Makes what an option asks for: an attribute that is one of several values with commas between
 * them.
 * @option: its name, "--layer", for messages
 * NULL with the reason.
 */
struct strata_node *strata_filter_parse_option(const char *option, enum strata_attribute attribute,
					       const char *values, struct strata_ctf_arena *arena,
					       struct strata_error *error);

/* The names of the attributes, as they follow a "$". */
extern const char *const strata_attribute_names[STRATA_NR_ATTRIBUTES];

#endif /* STRATA_MERGE_FILTER_EXPRESSION_H */
