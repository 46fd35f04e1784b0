// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c - see filter.h: what is asked for, and what of it no event has. */
#include "filter/filter.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "filter/filter_bound.h"

/* No command line needs more. */
#define EXPRESSION_BYTES_MAX (64u << 20)

struct strata_filter *strata_filter_new(void)
{
	struct strata_filter *filter = calloc(1, sizeof(*filter));

	if (!filter)
		return NULL;
	filter->arena = strata_ctf_arena_new(EXPRESSION_BYTES_MAX);
	if (filter->arena)
		filter->root = strata_ctf_arena_get(filter->arena, 1, sizeof(*filter->root));
	if (filter->root) {
		filter->root->kind = STRATA_NODE_ALL;
		return filter;
	}
	strata_filter_free(filter);
	return NULL;
}

void strata_filter_free(struct strata_filter *filter)
{
	if (!filter)
		return;
	strata_ctf_arena_free(filter->bound_arena);
	strata_ctf_arena_free(filter->arena);
	free(filter);
}

bool strata_filter_is_empty(const struct strata_filter *filter)
{
	return !filter->root->first;
}

static void append(struct strata_node *parent, struct strata_node *child)
{
	struct strata_node **last = &parent->first;

	while (*last)
		last = &(*last)->next;
	*last = child;
}

int strata_filter_option(struct strata_filter *filter, const char *option,
			 enum strata_attribute attribute, const char *values,
			 struct strata_error *error)
{
	struct strata_node *made =
		strata_filter_parse_option(option, attribute, values, filter->arena, error);
	struct strata_node *node;

	if (!made)
		return -1;
	for (node = filter->root->first; node; node = node->next) {
		if (node->option && strcmp(node->option, option) == 0) {
			append(node, made->first);
			return 0;
		}
	}
	append(filter->root, made);
	return 0;
}

int strata_filter_expression(struct strata_filter *filter, const char *expression,
			     struct strata_error *error)
{
	struct strata_node *node = strata_filter_parse(expression, filter->arena, error);

	if (!node)
		return -1;
	append(filter->root, node);
	return 0;
}

struct teller {
	strata_complain_fn *tell;
	void *data;
};

static void tell(const struct teller *teller, const struct strata_node *node, unsigned int column,
		 const char *format, const char *text)
{
	struct strata_error message;
	char shown[256];

	strata_fail(&message, format, strata_escape_name(shown, sizeof(shown), text));
	if (column)
		strata_fail_in(&message, "%s: column %u", node->option, column);
	else
		strata_fail_in(&message, "%s", node->option);
	teller->tell(teller->data, message.text);
}

static bool tell_of_operand(const struct teller *teller, const struct strata_node *node,
			    const struct strata_operand *operand)
{
	if (operand->kind == STRATA_OPERAND_VALUE || operand->was_found)
		return false;
	tell(teller, node, operand->column,
	     operand->kind == STRATA_OPERAND_FIELD     ? "no event in these traces has a field %s"
	     : operand->kind == STRATA_OPERAND_CONTEXT ? "no event in these traces has a context %s"
						       : "of no event in these traces is the %s "
							 "known",
	     operand->text);
	return true;
}

/* A tree is no deeper than an expression may be. */
static void tell_of_node(const struct teller *teller, const struct strata_node *node)
{
	const struct strata_node *child;

	for (child = node->first; child; child = child->next)
		tell_of_node(teller, child);
	if (node->kind != STRATA_NODE_TEST || node->was_sensible)
		return;
	if (!tell_of_operand(teller, node, &node->left) &&
	    !tell_of_operand(teller, node, &node->right))
		tell(teller, node, node->column,
		     "%s has in no event of these traces a value of that kind", node->left.text);
}

void strata_filter_tell_missing(const struct strata_filter *filter, strata_complain_fn *told,
				void *data)
{
	const struct teller teller = { told, data };

	tell_of_node(&teller, filter->root);
}
