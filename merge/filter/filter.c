// SPDX-License-Identifier: GPL-2.0-or-later
/* filter.c - see filter.h: builds the filter, and reports the parts of it that match no event. */
#include "filter/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_bound.h"

/* Far more than a command line needs. */
#define EXPRESSION_BYTES_MAX (64u << 20)

struct strata_filter *strata_filter_new(void)
{
	struct strata_filter *filter = calloc(1, sizeof(*filter));

	if (!filter)
		return NULL;
	filter->of_set = strata_filter_merging;
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
	bool unlikely;  /* reports only values that no trace names; */
	bool all_tasks; /* also names of tasks, */
	bool all_vcpus; /* and vCPUs that no event had */
	bool told;
};

static const char *noun_of(const struct strata_operand *operand)
{
	if (operand->kind == STRATA_OPERAND_ATTRIBUTE &&
	    operand->attribute == STRATA_ATTRIBUTE_EVENT)
		return "name";
	if (operand->kind == STRATA_OPERAND_ATTRIBUTE &&
	    operand->attribute == STRATA_ATTRIBUTE_ABOUT)
		return "domain";
	return operand->text + (*operand->text == '$');
}

/* "; the nearest is ..." */
static void add_nearest(struct strata_error *message, const struct strata_nearest *nearest,
			const char *quote)
{
	const size_t used = strlen(message->text);
	char shown[256];

	if (!nearest->found)
		return;
	if (nearest->is_number)
		snprintf(message->text + used, sizeof(message->text) - used,
			 "; the nearest is %" PRIu64, nearest->number);
	else
		snprintf(message->text + used, sizeof(message->text) - used,
			 "; the nearest is %s%s%s", quote,
			 strata_escape_name(shown, sizeof(shown), nearest->name), quote);
}

static void tell(struct teller *teller, const struct strata_node *node, unsigned int column,
		 struct strata_error *message)
{
	if (column)
		strata_fail_in(message, "%s: column %u", node->option, column);
	else
		strata_fail_in(message, "%s", node->option);
	teller->told = true;
	teller->tell(teller->data, message->text);
}

static bool tell_of_operand(struct teller *teller, const struct strata_node *node,
			    const struct strata_operand *operand)
{
	struct strata_error message;
	char shown[256];

	if (operand->kind == STRATA_OPERAND_VALUE || operand->was_found)
		return false;
	strata_escape_name(shown, sizeof(shown), operand->text);
	if (operand->kind == STRATA_OPERAND_ATTRIBUTE)
		strata_fail(&message, "no event in these traces has a known %s", noun_of(operand));
	else
		strata_fail(&message, "no event in these traces has a %s %s",
			    operand->kind == STRATA_OPERAND_FIELD ? "field" : "context", shown);
	add_nearest(&message, &operand->nearest, "");
	tell(teller, node, operand->column, &message);
	return true;
}

/* Reports a value of an attribute that no event has. */
static void tell_of_value(struct teller *teller, const struct strata_node *node)
{
	const bool is_left = node->left.kind == STRATA_OPERAND_VALUE;
	const struct strata_operand *value = is_left ? &node->left : &node->right;
	const struct strata_operand *attribute = is_left ? &node->right : &node->left;
	const bool is_text = value->value.kind == STRATA_VALUE_PATTERN;
	struct strata_error message;
	char text[256], shown[256];

	if (node->comparison != STRATA_EQUAL || value->kind != STRATA_OPERAND_VALUE ||
	    attribute->kind == STRATA_OPERAND_VALUE)
		return;
	if (is_text)
		snprintf(text, sizeof(text), "%.*s", (int)value->value.bytes, value->value.text);
	else
		snprintf(text, sizeof(text), "%s", value->text);
	strata_escape_name(shown, sizeof(shown), text);
	strata_fail(&message, "no event in these traces has the %s %s%s%s", noun_of(attribute),
		    is_text ? "\"" : "", shown, is_text ? "\"" : "");
	add_nearest(&message, &node->nearest, "\"");
	tell(teller, node, value->column, &message);
}

/* Whether all values of the attribute are known. Some are seen only when events are read. */
static bool is_known(const struct teller *teller, const struct strata_node *node)
{
	if (strata_node_is_of(node, STRATA_ATTRIBUTE_PROCESS))
		return teller->all_tasks;
	return teller->all_vcpus || !strata_node_is_of(node, STRATA_ATTRIBUTE_VCPU);
}

/* A tree is no deeper than an expression may be. */
static void tell_of_node(struct teller *teller, const struct strata_node *node)
{
	const struct strata_node *child;
	struct strata_error message;
	char shown[256];

	for (child = node->first; child; child = child->next)
		tell_of_node(teller, child);
	if (node->kind != STRATA_NODE_TEST)
		return;
	if (teller->unlikely) {
		if (node->may_match && !node->is_likely && is_known(teller, node))
			tell_of_value(teller, node);
		return;
	}
	if (node->was_sensible) {
		if (!node->may_match)
			tell_of_value(teller, node);
		return;
	}
	if (tell_of_operand(teller, node, &node->left) ||
	    tell_of_operand(teller, node, &node->right))
		return;
	strata_fail(&message, "no event in these traces has a value of that kind in %s",
		    strata_escape_name(shown, sizeof(shown), node->left.text));
	tell(teller, node, node->column, &message);
}

void strata_filter_tell_missing(const struct strata_filter *filter, strata_complain_fn *told,
				void *data)
{
	struct teller teller = { .tell = told, .data = data };

	tell_of_node(&teller, filter->root);
}

bool strata_filter_tell_unlikely(const struct strata_filter *filter, bool from_first, bool to_last,
				 strata_complain_fn *told, void *data)
{
	struct teller teller = {
		.tell = told,
		.data = data,
		.unlikely = true,
		/* For tasks' names a merge reads earlier events, too. */
		.all_tasks = to_last,
		.all_vcpus = !filter->seen_vcpus || (from_first && to_last),
	};

	if (filter->seen_vcpus)
		strata_seen_tell_vcpus(filter->seen_vcpus, filter->root);
	tell_of_node(&teller, filter->root);
	return teller.told;
}

bool strata_filter_can_match(const struct strata_filter *filter)
{
	return filter->can_match;
}
