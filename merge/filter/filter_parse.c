// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_parse.c - see filter_expression.h: expressions, by recursive descent. */
#include <string.h>

#include "base/escape.h"
#include "filter/filter_expression.h"
#include "filter/filter_lex.h"

struct parser {
	struct strata_filter_lexer lexer;
	struct strata_filter_token token; /* the next token */
	struct strata_ctf_arena *arena;
	struct strata_error *error;
	unsigned int nesting;
};

const char *const strata_attribute_names[STRATA_NR_ATTRIBUTES] = {
	[STRATA_ATTRIBUTE_EVENT] = "event", [STRATA_ATTRIBUTE_SOURCE] = "source",
	[STRATA_ATTRIBUTE_LAYER] = "layer", [STRATA_ATTRIBUTE_DOMAIN] = "domain",
	[STRATA_ATTRIBUTE_VCPU] = "vcpu",   [STRATA_ATTRIBUTE_CPU] = "cpu",
	[STRATA_ATTRIBUTE_PCPU] = "pcpu",   [STRATA_ATTRIBUTE_PROCESS] = "process",
	[STRATA_ATTRIBUTE_TIME] = "time",   [STRATA_ATTRIBUTE_ABOUT] = "about",
};

static unsigned int column(const struct parser *parser)
{
	/* The column is that of the "$", which the text of an attribute excludes. */
	const bool dollar = parser->token.kind == STRATA_TOKEN_ATTRIBUTE;

	return strata_filter_column(&parser->lexer, parser->token.text) - dollar;
}

static int expected(const struct parser *parser, const char *what)
{
	const struct strata_filter_token *token = &parser->token;
	char text[32], shown[sizeof(text) * 4];
	const size_t bytes = token->bytes < sizeof(text) ? token->bytes : sizeof(text) - 1;

	if (token->kind == STRATA_TOKEN_END)
		return strata_fail(parser->error, "column %u: expected %s, and it ends here",
				   column(parser), what);
	memcpy(text, token->text, bytes);
	text[bytes] = 0;
	return strata_fail(parser->error, "column %u: expected %s, not %s%s", column(parser), what,
			   token->kind == STRATA_TOKEN_ATTRIBUTE ? "$" : "",
			   strata_escape_name(shown, sizeof(shown), text));
}

static int next(struct parser *parser)
{
	return strata_filter_lex(&parser->lexer, &parser->token, parser->error);
}

static struct strata_node *make(struct parser *parser, enum strata_node_kind kind)
{
	struct strata_node *node = strata_ctf_arena_get(parser->arena, 1, sizeof(*node));

	if (!node) {
		strata_fail(parser->error, "out of memory");
		return NULL;
	}
	node->kind = kind;
	node->option = "--filter";
	return node;
}

static char *copy(struct parser *parser, const char *text, size_t bytes)
{
	char *made = strata_ctf_arena_get(parser->arena, bytes + 1, 1);

	if (made)
		memcpy(made, text, bytes);
	else
		strata_fail(parser->error, "out of memory");
	return made;
}

/* Operands ------------------------------------------------------------------------------------ */

/* Parses the rest of a path. @parts: receives it; NULL: only counts. Returns the number of parts,
 * or -1. */
static int parse_parts(struct parser *parser, struct strata_ctf_path_part *parts)
{
	int nr = 0;

	for (;; nr++) {
		if (parser->token.kind != STRATA_TOKEN_NAME)
			return expected(parser, "the name of a field");
		if (parts) {
			parts[nr].name = copy(parser, parser->token.text, parser->token.bytes);
			if (!parts[nr].name)
				return -1;
		}
		if (next(parser))
			return -1;
		while (parser->token.kind == STRATA_TOKEN_OPEN_INDEX) {
			nr++;
			if (next(parser))
				return -1;
			if (parser->token.kind != STRATA_TOKEN_VALUE ||
			    parser->token.value.kind != STRATA_VALUE_INTEGER ||
			    parser->token.value.is_negative)
				return expected(parser, "the number of an element, from 0 on");
			if (parts)
				parts[nr].index = parser->token.value.number;
			if (next(parser))
				return -1;
			if (parser->token.kind != STRATA_TOKEN_CLOSE_INDEX)
				return expected(parser, "\"]\"");
			if (next(parser))
				return -1;
		}
		if (parser->token.kind != STRATA_TOKEN_DOT)
			return nr + 1;
		if (next(parser))
			return -1;
	}
}

static int parse_path(struct parser *parser, struct strata_operand *operand)
{
	const struct strata_filter_lexer lexer = parser->lexer;
	const struct strata_filter_token token = parser->token;
	const int nr = parse_parts(parser, NULL);

	if (nr < 0)
		return -1;
	operand->parts = strata_ctf_arena_get(parser->arena, (size_t)nr, sizeof(*operand->parts));
	if (!operand->parts)
		return strata_fail(parser->error, "out of memory");
	operand->nr_parts = (size_t)nr;
	parser->lexer = lexer;
	parser->token = token;
	return parse_parts(parser, operand->parts) < 0 ? -1 : 0;
}

static bool token_is(const struct parser *parser, const char *text)
{
	return parser->token.bytes == strlen(text) &&
	       memcmp(parser->token.text, text, parser->token.bytes) == 0;
}

static int parse_attribute(struct parser *parser, struct strata_operand *operand)
{
	unsigned int i;

	if (token_is(parser, "ctx")) {
		operand->kind = STRATA_OPERAND_CONTEXT;
		if (next(parser))
			return -1;
		if (parser->token.kind != STRATA_TOKEN_DOT)
			return expected(parser, "\".\" and the name of a context's field");
		return next(parser) ? -1 : parse_path(parser, operand);
	}
	for (i = 0; i < STRATA_NR_ATTRIBUTES; i++) {
		if (!token_is(parser, strata_attribute_names[i]))
			continue;
		operand->kind = STRATA_OPERAND_ATTRIBUTE;
		operand->attribute = (enum strata_attribute)i;
		return next(parser);
	}
	return expected(parser,
			"$event, $source, $layer, $domain, $about, $vcpu, $cpu, $pcpu, $process, "
			"$time or $ctx.FIELD");
}

static int parse_operand(struct parser *parser, struct strata_operand *operand)
{
	const char *from = parser->token.text, *end;
	int status;

	operand->column = column(parser);
	from -= parser->token.kind == STRATA_TOKEN_ATTRIBUTE;
	switch (parser->token.kind) {
	case STRATA_TOKEN_VALUE:
		operand->kind = STRATA_OPERAND_VALUE;
		operand->value = parser->token.value;
		status = next(parser);
		break;
	case STRATA_TOKEN_NAME:
		operand->kind = STRATA_OPERAND_FIELD;
		status = parse_path(parser, operand);
		break;
	case STRATA_TOKEN_ATTRIBUTE:
		status = parse_attribute(parser, operand);
		break;
	default:
		return expected(parser, "a field, an attribute or a value");
	}
	if (status)
		return -1;
	for (end = parser->token.text - (parser->token.kind == STRATA_TOKEN_ATTRIBUTE);
	     end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n');)
		end--;
	operand->text = copy(parser, from, (size_t)(end - from));
	if (operand->text && operand->value.kind == STRATA_VALUE_PATTERN)
		operand->value.text = copy(parser, operand->value.text, operand->value.bytes);
	return operand->text && (operand->value.kind != STRATA_VALUE_PATTERN || operand->value.text)
		       ? 0
		       : -1;
}

/* Tests --------------------------------------------------------------------------------------- */

static bool is_kind(const struct strata_operand *operand, enum strata_value_kind kind)
{
	return operand->kind == STRATA_OPERAND_VALUE && operand->value.kind == kind;
}

static bool is_text(const struct strata_operand *operand)
{
	if (operand->kind != STRATA_OPERAND_ATTRIBUTE)
		return is_kind(operand, STRATA_VALUE_PATTERN);
	return operand->attribute == STRATA_ATTRIBUTE_EVENT ||
	       operand->attribute == STRATA_ATTRIBUTE_SOURCE ||
	       operand->attribute == STRATA_ATTRIBUTE_LAYER;
}

static bool is_number(const struct strata_operand *operand)
{
	if (operand->kind != STRATA_OPERAND_ATTRIBUTE)
		return is_kind(operand, STRATA_VALUE_INTEGER) ||
		       is_kind(operand, STRATA_VALUE_REAL);
	return operand->attribute == STRATA_ATTRIBUTE_VCPU ||
	       operand->attribute == STRATA_ATTRIBUTE_CPU ||
	       operand->attribute == STRATA_ATTRIBUTE_PCPU ||
	       operand->attribute == STRATA_ATTRIBUTE_TIME;
}

/* Rejects tests that are meaningless whatever the event. */
static int check_test(const struct parser *parser, const struct strata_node *node)
{
	const struct strata_operand *left = &node->left, *right = &node->right;
	const bool is_equality = node->comparison == STRATA_EQUAL ||
				 node->comparison == STRATA_NOT_EQUAL;

	if (node->stands_alone)
		return is_text(left) ? strata_fail(parser->error,
						   "column %u: expected a comparison: %s is text",
						   left->column, left->text)
				     : 0;
	if (left->kind == STRATA_OPERAND_VALUE && right->kind == STRATA_OPERAND_VALUE)
		return strata_fail(parser->error,
				   "column %u: expected a field or an attribute on one side of the "
				   "comparison: both are values",
				   left->column);
	if (!is_equality && (is_text(left) || is_text(right)))
		return strata_fail(parser->error,
				   "column %u: expected \"==\" or \"!=\": text has no order",
				   node->column);
	if ((is_text(left) && is_number(right)) || (is_number(left) && is_text(right)))
		return strata_fail(parser->error, "column %u: expected %s here: %s is %s",
				   right->column, is_text(left) ? "text in \"quotes\"" : "a number",
				   left->text, is_text(left) ? "text" : "a number");
	return 0;
}

static struct strata_node *parse_test(struct parser *parser)
{
	struct strata_node *node = make(parser, STRATA_NODE_TEST);

	if (!node || parse_operand(parser, &node->left))
		return NULL;
	node->column = column(parser);
	node->stands_alone = parser->token.kind != STRATA_TOKEN_COMPARISON;
	if (!node->stands_alone) {
		node->comparison = parser->token.comparison;
		if (next(parser) || parse_operand(parser, &node->right))
			return NULL;
	} else {
		node->column = node->left.column;
	}
	return check_test(parser, node) ? NULL : node;
}

/* The tree ------------------------------------------------------------------------------------ */

static struct strata_node *parse_any(struct parser *parser);

static int deeper(struct parser *parser)
{
	if (parser->nesting++ < STRATA_FILTER_NESTING_MAX)
		return 0;
	return strata_fail(parser->error,
			   "column %u: more than %u brackets and \"!\" within each "
			   "other",
			   column(parser), STRATA_FILTER_NESTING_MAX);
}

static struct strata_node *parse_one(struct parser *parser)
{
	const enum strata_filter_token_kind kind = parser->token.kind;
	struct strata_node *node, *child;

	if (kind != STRATA_TOKEN_NOT && kind != STRATA_TOKEN_OPEN)
		return parse_test(parser);
	if (deeper(parser) || next(parser))
		return NULL;
	if (kind == STRATA_TOKEN_OPEN) {
		node = parse_any(parser);
		if (node && parser->token.kind != STRATA_TOKEN_CLOSE) {
			expected(parser, "\"&&\", \"||\" or \")\"");
			return NULL;
		}
		if (node && next(parser))
			return NULL;
	} else {
		child = parse_one(parser);
		node = child ? make(parser, STRATA_NODE_NOT) : NULL;
		if (node)
			node->first = child;
	}
	parser->nesting--;
	return node;
}

/* Parses a chain of one operator; a single part is returned as it is. */
static struct strata_node *parse_chain(struct parser *parser, enum strata_node_kind kind,
				       enum strata_filter_token_kind sign,
				       struct strata_node *(*parse_part)(struct parser *parser))
{
	struct strata_node *first = parse_part(parser), *last = first, *chain;

	if (!first || parser->token.kind != sign)
		return first;
	chain = make(parser, kind);
	if (!chain)
		return NULL;
	chain->first = first;
	while (parser->token.kind == sign) {
		if (next(parser))
			return NULL;
		last->next = parse_part(parser);
		last = last->next;
		if (!last)
			return NULL;
	}
	return chain;
}

static struct strata_node *parse_all(struct parser *parser)
{
	return parse_chain(parser, STRATA_NODE_ALL, STRATA_TOKEN_AND, parse_one);
}

static struct strata_node *parse_any(struct parser *parser)
{
	return parse_chain(parser, STRATA_NODE_ANY, STRATA_TOKEN_OR, parse_all);
}

struct strata_node *strata_filter_parse(const char *expression, struct strata_ctf_arena *arena,
					struct strata_error *error)
{
	struct parser parser = { .lexer = { expression, expression },
				 .arena = arena,
				 .error = error };
	struct strata_node *node;

	if (next(&parser))
		return NULL;
	node = parse_any(&parser);
	if (node && parser.token.kind != STRATA_TOKEN_END) {
		expected(&parser, node->kind == STRATA_NODE_TEST && node->stands_alone
					  ? "a comparison, \"&&\" or \"||\""
					  : "\"&&\" or \"||\"");
		return NULL;
	}
	return node;
}
