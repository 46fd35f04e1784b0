// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_options.c - see filter_expression.h: parses options into the trees of equivalent
 * expressions. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_expression.h"

/* Finds the end of the first value: the next comma that is neither escaped nor within brackets. */
static const char *end_of_value(const char *at)
{
	const char *close;

	for (; *at && *at != ','; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '[' && at[1] && (close = strchr(at + 2, ']')))
			at = close;
	}
	return at;
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == 0;
}

static int fail(const char *option, const char *wanted, const char *text,
		struct strata_error *error)
{
	char shown[256];

	return strata_fail(error, "%s needs %s, not \"%s\"", option, wanted,
			   strata_escape_name(shown, sizeof(shown), text));
}

/* Parses one value according to the attribute. */
static int set_value(const char *option, enum strata_attribute attribute, const char *text,
		     struct strata_value *value, struct strata_error *error)
{
	const bool may_be_name = attribute == STRATA_ATTRIBUTE_DOMAIN ||
				 attribute == STRATA_ATTRIBUTE_ABOUT ||
				 attribute == STRATA_ATTRIBUTE_PROCESS;
	const bool is_name = attribute == STRATA_ATTRIBUTE_EVENT ||
			     attribute == STRATA_ATTRIBUTE_SOURCE ||
			     attribute == STRATA_ATTRIBUTE_LAYER;

	if (attribute == STRATA_ATTRIBUTE_LAYER && strcmp(text, "xen") && strcmp(text, "kernel") &&
	    strcmp(text, "app"))
		return fail(option, "xen, kernel or app", text, error);
	if (*text && (is_name || (may_be_name && !is_number(text)))) {
		*value = strata_value_text(text, strlen(text));
		value->kind = STRATA_VALUE_PATTERN;
		return 0;
	}
	if (is_name || !is_number(text) || strlen(text) > 10 ||
	    strtoull(text, NULL, 10) > UINT32_MAX)
		return fail(option,
			    is_name       ? "a name"
			    : may_be_name ? "a number or a name"
					  : "a number",
			    text, error);
	*value = strata_value_unsigned(strtoull(text, NULL, 10));
	return 0;
}

static struct strata_node *make_test(const char *option, enum strata_attribute attribute,
				     const char *text, size_t bytes, struct strata_ctf_arena *arena,
				     struct strata_error *error)
{
	struct strata_node *node = strata_ctf_arena_get(arena, 1, sizeof(*node));
	char *copy = strata_ctf_arena_get(arena, bytes + 1, 1);

	if (!node || !copy) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	memcpy(copy, text, bytes);
	node->kind = STRATA_NODE_TEST;
	node->option = option;
	node->comparison = STRATA_EQUAL;
	node->left.kind = STRATA_OPERAND_ATTRIBUTE;
	node->left.attribute = attribute;
	node->left.text = strata_attribute_names[attribute];
	node->right.kind = STRATA_OPERAND_VALUE;
	node->right.text = copy;
	return set_value(option, attribute, copy, &node->right.value, error) ? NULL : node;
}

struct strata_node *strata_filter_parse_option(const char *option, enum strata_attribute attribute,
					       const char *values, struct strata_ctf_arena *arena,
					       struct strata_error *error)
{
	struct strata_node *any = strata_ctf_arena_get(arena, 1, sizeof(*any));
	struct strata_node **last = any ? &any->first : NULL;

	if (!any) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	any->kind = STRATA_NODE_ANY;
	any->option = option;
	for (;; values++) {
		const char *end = end_of_value(values);

		*last = make_test(option, attribute, values, (size_t)(end - values), arena, error);
		if (!*last)
			return NULL;
		last = &(*last)->next;
		values = end;
		if (!*values)
			return any;
	}
}
