/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_expression.h - filter expressions, as trees:
 *
 *     any    = all { "||" all }
 *     all    = one { "&&" one }
 *     one    = "!" one | "(" any ")" | operand [ comparison operand ]
 *     operand = number | "pattern" | field | $attribute | $ctx.field
 *     field  = name { "." name | "[" number "]" }
 *     comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
 *
 * Numbers are decimal or begin with 0x, may be negative, or have a point; text is a pattern
 * (strata/glob.h), which supports only == and !=. A field belongs to the event's payload,
 * $ctx.field to one of its contexts or its packet's. An operand that stands alone is true if it is
 * not 0.
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
	STRATA_ATTRIBUTE_SOURCE, /* its source, as shown */
	STRATA_ATTRIBUTE_LAYER,  /* "xen", "kernel", "app" */
	STRATA_ATTRIBUTE_DOMAIN, /* a number or a name */
	STRATA_ATTRIBUTE_ABOUT,  /* a domain: the event's own, or one that a field names */
	STRATA_ATTRIBUTE_VCPU,
	STRATA_ATTRIBUTE_CPU, /* of its stream */
	STRATA_ATTRIBUTE_PCPU,
	STRATA_ATTRIBUTE_PROCESS, /* a number or a name */
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
	const char *text; /* as given, for messages */
	unsigned int column;
	bool was_found;                /* some event has it */
	struct strata_nearest nearest; /* of a field that was not found: the nearest existing one */
};

enum strata_node_kind {
	STRATA_NODE_ALL,
	STRATA_NODE_ANY,
	STRATA_NODE_NOT,
	STRATA_NODE_TEST,
};

struct strata_node {
	enum strata_node_kind kind;
	struct strata_node *first, *next; /* its first child; its next sibling */
	struct strata_operand left, right;
	enum strata_comparison comparison;
	bool stands_alone; /* a test of the left operand only */
	bool was_sensible; /* some event has comparable operands */
	bool may_match;    /* an event of some class may match; decided when the filter is bound */
	/* And a trace names such a value. False for a CPU of which there is no stream, and for a
	 * task's name or a vCPU that was not seen in events yet. */
	bool is_likely;
	struct strata_nearest nearest; /* of a value that no event has: the nearest existing one */
	const char *option;
	unsigned int column; /* of the comparison, in the expression; 0: not from an expression */
};

/* Whether the node tests this attribute. */
static inline bool strata_node_is_of(const struct strata_node *node,
				     enum strata_attribute attribute)
{
	return node->kind == STRATA_NODE_TEST && node->left.kind == STRATA_OPERAND_ATTRIBUTE &&
	       node->left.attribute == attribute;
}

/*
 * Parses an expression.
 * @arena: owns the tree
 * Returns NULL with the reason: the column, and what was expected.
 */
struct strata_node *strata_filter_parse(const char *expression, struct strata_ctf_arena *arena,
					struct strata_error *error);

/*
 * Parses an option's argument: the values that an attribute may have, separated by commas.
 * @option: its name, "--layer", for messages
 * Returns NULL with the reason.
 */
struct strata_node *strata_filter_parse_option(const char *option, enum strata_attribute attribute,
					       const char *values, struct strata_ctf_arena *arena,
					       struct strata_error *error);

/* The names of the attributes, without the "$". */
extern const char *const strata_attribute_names[STRATA_NR_ATTRIBUTES];

#endif /* STRATA_MERGE_FILTER_EXPRESSION_H */
