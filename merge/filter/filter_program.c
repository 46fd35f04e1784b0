// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter_program.c - see filter_program.h.
 *
 * Tests are made from the last to the first, so that each knows where it leads.  "Not" is carried
 * down to the tests: an unknown test, negated or not, then leads to where a false one does.
 */
#include "filter/filter_program.h"

#include <string.h>

#include <strata/glob.h>

#include "base/escape.h"

_Static_assert((int)STRATA_EQUAL == STRATA_FIELD_EQUAL &&
		       (int)STRATA_GREATER_OR_EQUAL == STRATA_FIELD_GREATER_OR_EQUAL,
	       "comparisons have the same numbers in programs");

/* A test that was made, or a verdict. */
typedef int label;

#define FAILED (-1)

struct made_test {
	struct strata_field_test_head head; /* where it leads: labels */
	unsigned char rest[STRATA_FIELD_PATTERN_BYTES_MAX];
};

struct compiler {
	const struct strata_event_desc *event;
	struct made_test tests[STRATA_FIELD_TESTS_MAX]; /* the last of the program first */
	int nr;
	struct strata_error *error;
};

/* Where a test leads. */
struct exits {
	label if_true, if_false;
	bool negated; /* the test's verdict is turned round */
};

enum place { NUMBER, PATTERN, NUMBER_FIELD, TEXT_FIELD, EVENT_NAME, MISSING };

/* An operand, as far as it is known before there is an event. */
struct place_of_operand {
	enum place place;
	const struct strata_value *value;
	struct strata_field_name name;
};

static int refuse(const struct compiler *compiler, const struct strata_operand *operand,
		  const char *why)
{
	const bool is_quoted = operand->value.kind == STRATA_VALUE_PATTERN;
	const char *quote = is_quoted ? "\"" : "";
	char shown[256];

	/* The parser ends a pattern with a zero byte. */
	strata_escape_name(shown, sizeof(shown), is_quoted ? operand->value.text : operand->text);
	return strata_fail(compiler->error, "column %u: %s%s%s: %s", operand->column, quote, shown,
			   quote, why);
}

/* Operands ------------------------------------------------------------------------------------ */

static int find_field(const struct compiler *compiler, struct strata_operand *operand)
{
	const char *wanted = operand->parts[0].name;
	int i;

	for (i = 0; i < compiler->event->nr_fields; i++)
		if (!strcmp(compiler->event->fields[i].name, wanted))
			return i;
	/* Costly, and a guest chooses how many there are: only for the message. */
	for (i = 0; i < compiler->event->nr_fields; i++) {
		const char *name = compiler->event->fields[i].name;

		strata_nearest_name(&operand->nearest, wanted, strlen(wanted), false, name,
				    strlen(name));
	}
	return -1;
}

/* Finds a number of a field that was found.  0, or -1 if a kernel cannot. */
static int place_number(const struct compiler *compiler, const struct strata_operand *operand,
			const struct strata_field_desc *field, struct place_of_operand *found)
{
	if (field->kind == STRATA_FIELD_FLOAT)
		return refuse(compiler, operand, "a kernel compares integers only");
	if (field->count == 0)
		return refuse(compiler, operand,
			      "a kernel's filter tests no sequences, whose lengths vary");
	if (found->name.field >= strata_event_first_variable(compiler->event))
		return refuse(
			compiler, operand,
			"a kernel's filter finds no number behind a field of variable length");
	if (field->count > 1 && operand->nr_parts == 1)
		return refuse(compiler, operand, "expected one of its elements, as in name[0]");
	/* As in a merge, an event lacks what its description lacks. */
	if (operand->nr_parts > 2 || (field->count == 1 && operand->nr_parts == 2) ||
	    (operand->nr_parts == 2 &&
	     (operand->parts[1].name || operand->parts[1].index >= field->count)))
		return 0;
	found->place = NUMBER_FIELD;
	found->name.element = operand->nr_parts == 2 ? (uint16_t)operand->parts[1].index : 0;
	return 0;
}

static int place_field(const struct compiler *compiler, struct strata_operand *operand,
		       struct place_of_operand *found)
{
	const int index = find_field(compiler, operand);
	const struct strata_field_desc *field;
	int result = 0;

	if (index < 0)
		return 0;
	field = &compiler->event->fields[index];
	found->name.field = (uint8_t)index;
	if (field->kind != STRATA_FIELD_TEXT && field->kind != STRATA_FIELD_STRING)
		result = place_number(compiler, operand, field, found);
	else if (operand->nr_parts > 1)
		result = refuse(compiler, operand, "a kernel's filter tests text as a whole");
	else
		found->place = TEXT_FIELD;
	operand->was_found |= found->place != MISSING;
	return result;
}

static int place_operand(const struct compiler *compiler, struct strata_operand *operand,
			 struct place_of_operand *found)
{
	*found = (struct place_of_operand){ .place = MISSING, .value = &operand->value };
	switch (operand->kind) {
	case STRATA_OPERAND_VALUE:
		if (operand->value.kind == STRATA_VALUE_REAL)
			return refuse(compiler, operand, "a kernel compares integers only");
		found->place = operand->value.kind == STRATA_VALUE_PATTERN ? PATTERN : NUMBER;
		return 0;
	case STRATA_OPERAND_FIELD:
		return place_field(compiler, operand, found);
	case STRATA_OPERAND_CONTEXT:
		if (operand->nr_parts != 1 || strcmp(operand->parts[0].name, "tid") != 0)
			return refuse(compiler, operand, "a kernel's filter knows only $ctx.tid");
		found->place = NUMBER_FIELD;
		found->name.field = STRATA_FIELD_TID;
		return 0;
	case STRATA_OPERAND_ATTRIBUTE:
		break;
	}
	if (operand->attribute != STRATA_ATTRIBUTE_EVENT)
		return refuse(compiler, operand,
			      "a kernel's filter knows only the event's fields, $event and "
			      "$ctx.tid");
	found->place = EVENT_NAME;
	return 0;
}

/* Tests --------------------------------------------------------------------------------------- */

static label decided(bool holds, const struct exits *exits)
{
	return holds != exits->negated ? exits->if_true : exits->if_false;
}

/* Makes a test of a kind.  @rest: @bytes of it */
static label make(struct compiler *compiler, enum strata_field_test_kind kind,
		  enum strata_comparison comparison, const struct strata_field_name *left,
		  const void *rest, size_t bytes, const struct exits *exits)
{
	struct made_test *test;

	if (compiler->nr == STRATA_FIELD_TESTS_MAX)
		return strata_fail(compiler->error,
				   "a kernel's filter may have %u tests, and this has more",
				   STRATA_FIELD_TESTS_MAX);
	test = &compiler->tests[compiler->nr];
	test->head = (struct strata_field_test_head){
		.kind = (uint8_t)kind,
		.comparison = (uint8_t)comparison,
		.if_true = (uint8_t)decided(true, exits),
		.if_false = (uint8_t)decided(false, exits),
		.left = *left,
		.bytes = (uint8_t)bytes,
	};
	memcpy(test->rest, rest, bytes);
	return compiler->nr++;
}

/* Makes a test of text.  A [ that nothing closes is escaped: kernels refuse it as it is. */
static label make_pattern(struct compiler *compiler, enum strata_comparison comparison,
			  const struct strata_field_name *left,
			  const struct strata_operand *operand, const struct exits *exits)
{
	const struct strata_glob glob = { operand->value.text, operand->value.bytes };
	char pattern[STRATA_FIELD_PATTERN_BYTES_MAX + 2];
	size_t at = 0, bytes = 0;

	while (at < glob.nr) {
		const size_t end = glob.bytes[at] == '[' ? strata_glob_class_end(&glob, at) : 0;
		size_t next = end                                          ? end
			      : glob.bytes[at] == '\\' && at + 1 < glob.nr ? at + 2
									   : at + 1;

		if (next - at + bytes > STRATA_FIELD_PATTERN_BYTES_MAX)
			break;
		if (glob.bytes[at] == '[' && !end)
			pattern[bytes++] = '\\';
		memcpy(pattern + bytes, glob.bytes + at, next - at);
		bytes += next - at;
		at = next;
	}
	if (at < glob.nr || bytes > STRATA_FIELD_PATTERN_BYTES_MAX)
		return refuse(compiler, operand, "a kernel's filter has shorter patterns");
	return make(compiler, STRATA_TEST_PATTERN, comparison, left, pattern, bytes, exits);
}

static enum strata_comparison mirrored(enum strata_comparison comparison)
{
	switch (comparison) {
	case STRATA_LESS:
		return STRATA_GREATER;
	case STRATA_LESS_OR_EQUAL:
		return STRATA_GREATER_OR_EQUAL;
	case STRATA_GREATER:
		return STRATA_LESS;
	case STRATA_GREATER_OR_EQUAL:
		return STRATA_LESS_OR_EQUAL;
	case STRATA_EQUAL:
	case STRATA_NOT_EQUAL:
		break;
	}
	return comparison;
}

static bool is_text(enum place place)
{
	return place == PATTERN || place == TEXT_FIELD || place == EVENT_NAME;
}

/* Compares the class's name, which is the same for all of its events. */
static label compare_name(struct compiler *compiler, const struct strata_node *node,
			  const struct place_of_operand *other, const struct exits *exits)
{
	const char *name = compiler->event->name;

	if (other->place != PATTERN)
		return refuse(compiler, &node->left,
			      "expected a comparison with text in \"quotes\"");
	return decided(strata_glob_fits(other->value->text, other->value->bytes, name,
					strlen(name)) == (node->comparison == STRATA_EQUAL),
		       exits);
}

/* Compares a field with a constant or another field. */
static label compare_field(struct compiler *compiler, enum strata_comparison comparison,
			   const struct place_of_operand *left,
			   const struct place_of_operand *right, const struct exits *exits)
{
	const struct strata_value *value = right->value;

	if (left->place == TEXT_FIELD)
		return make(compiler, STRATA_TEST_TEXTS, comparison, &left->name, &right->name,
			    sizeof(right->name), exits);
	if (right->place == NUMBER_FIELD)
		return make(compiler, STRATA_TEST_FIELDS, comparison, &left->name, &right->name,
			    sizeof(right->name), exits);
	return make(compiler, value->is_negative ? STRATA_TEST_NEGATIVE : STRATA_TEST_UNSIGNED,
		    comparison, &left->name, &value->number, sizeof(value->number), exits);
}

static label compile_comparison(struct compiler *compiler, struct strata_node *node,
				const struct exits *exits)
{
	struct place_of_operand left, right;

	if (place_operand(compiler, &node->left, &left) ||
	    place_operand(compiler, &node->right, &right))
		return FAILED;
	if (left.place == MISSING || right.place == MISSING)
		return exits->if_false;
	if (is_text(left.place) != is_text(right.place))
		return refuse(compiler, &node->right,
			      is_text(right.place) ? "a kernel compares numbers with numbers only"
						   : "a kernel compares text with text only");
	if (left.place == EVENT_NAME)
		return compare_name(compiler, node, &right, exits);
	if (right.place == EVENT_NAME)
		return compare_name(compiler, node, &left, exits);
	if (is_text(left.place) && node->comparison != STRATA_EQUAL &&
	    node->comparison != STRATA_NOT_EQUAL)
		return refuse(compiler, &node->left, "text has no order");
	if (right.place == PATTERN)
		return make_pattern(compiler, node->comparison, &left.name, &node->right, exits);
	if (left.place == PATTERN)
		return make_pattern(compiler, node->comparison, &right.name, &node->left, exits);
	if (left.place == NUMBER)
		return compare_field(compiler, mirrored(node->comparison), &right, &left, exits);
	return compare_field(compiler, node->comparison, &left, &right, exits);
}

/* A number that stands alone is compared with 0. */
static label compile_truth(struct compiler *compiler, struct strata_node *node,
			   const struct exits *exits)
{
	static const uint64_t zero;
	struct place_of_operand found;

	if (place_operand(compiler, &node->left, &found))
		return FAILED;
	if (found.place == MISSING)
		return exits->if_false;
	if (found.place == NUMBER)
		return decided(found.value->number != 0, exits);
	if (is_text(found.place))
		return refuse(compiler, &node->left, "expected a comparison with text");
	return make(compiler, STRATA_TEST_UNSIGNED, STRATA_NOT_EQUAL, &found.name, &zero,
		    sizeof(zero), exits);
}

/* The tree ------------------------------------------------------------------------------------ */

static label compile(struct compiler *compiler, struct strata_node *node,
		     const struct exits *exits);

/* Compiles a child and the ones behind it, the last first.  @is_all: all must hold; else one */
static label compile_chain(struct compiler *compiler, struct strata_node *child, bool is_all,
			   const struct exits *exits)
{
	struct exits its = *exits;
	label behind;

	if (!child->next)
		return compile(compiler, child, exits);
	behind = compile_chain(compiler, child->next, is_all, exits);
	if (behind == FAILED)
		return FAILED;
	if (is_all)
		its.if_true = behind;
	else
		its.if_false = behind;
	return compile(compiler, child, &its);
}

/* Returns where the evaluation of a node begins, or FAILED. */
static label compile(struct compiler *compiler, struct strata_node *node, const struct exits *exits)
{
	struct exits its = *exits;

	switch (node->kind) {
	case STRATA_NODE_ALL:
	case STRATA_NODE_ANY:
		return compile_chain(compiler, node->first,
				     (node->kind == STRATA_NODE_ALL) != exits->negated, exits);
	case STRATA_NODE_NOT:
		its.negated = !exits->negated;
		return compile(compiler, node->first, &its);
	case STRATA_NODE_TEST:
		break;
	}
	return node->stands_alone ? compile_truth(compiler, node, exits)
				  : compile_comparison(compiler, node, exits);
}

static uint8_t place_in_program(label first, uint8_t where)
{
	return where >= STRATA_FIELD_PASS ? where : (uint8_t)(first - where);
}

/* Writes the tests from the first on; those that were made after it are not reached. */
static int write_tests(const struct compiler *compiler, label first,
		       struct strata_filter_program *program)
{
	label at;

	for (at = first; at >= 0; at--) {
		const struct made_test *test = &compiler->tests[at];
		struct strata_field_test_head head = test->head;

		if (program->nr + sizeof(head) + head.bytes > sizeof(program->bytes))
			return strata_fail(compiler->error,
					   "a kernel's filter is shorter; use fewer tests or "
					   "shorter patterns");
		head.if_true = place_in_program(first, head.if_true);
		head.if_false = place_in_program(first, head.if_false);
		memcpy(program->bytes + program->nr, &head, sizeof(head));
		memcpy(program->bytes + program->nr + sizeof(head), test->rest, head.bytes);
		program->nr += sizeof(head) + head.bytes;
	}
	return 0;
}

int strata_filter_compile(struct strata_node *node, const struct strata_event_desc *event,
			  struct strata_filter_program *program, struct strata_error *error)
{
	const struct exits exits = { STRATA_FIELD_PASS, STRATA_FIELD_REJECT, false };
	struct compiler compiler = { .event = event, .error = error };
	const label first = compile(&compiler, node, &exits);

	program->nr = 0;
	program->passes = first == STRATA_FIELD_PASS;
	if (first == FAILED)
		return -1;
	if (first >= (label)STRATA_FIELD_PASS)
		return 0;
	return write_tests(&compiler, first, program);
}

static int check_field(const struct strata_operand *operand, struct strata_error *error)
{
	char shown[256], nearest[256];

	if (operand->kind != STRATA_OPERAND_FIELD || operand->was_found || !operand->text)
		return 0;
	strata_escape_name(shown, sizeof(shown), operand->text);
	if (!operand->nearest.found)
		return strata_fail(error, "column %u: no event has a field %s", operand->column,
				   shown);
	return strata_fail(error, "column %u: no event has a field %s; the nearest is %s",
			   operand->column, shown,
			   strata_escape_name(nearest, sizeof(nearest), operand->nearest.name));
}

int strata_filter_check_fields(const struct strata_node *node, struct strata_error *error)
{
	const struct strata_node *child;

	if (node->kind == STRATA_NODE_TEST)
		return check_field(&node->left, error) || check_field(&node->right, error) ? -1 : 0;
	for (child = node->first; child; child = child->next)
		if (strata_filter_check_fields(child, error))
			return -1;
	return 0;
}
