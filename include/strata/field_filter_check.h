/* SPDX-License-Identifier: MIT */
/*
 * field_filter_check.h - verifies the program of a field filter (abi/field_filter.h), and finds its
 * fields in the event's description.
 *
 * The program may be any bytes.  What is accepted ends within STRATA_FIELD_TESTS_MAX steps, because
 * it only goes forward, and reads no byte outside of the payload, because offsets are computed here
 * from the description that the payload follows.  The caller owns the bytes, and does not let
 * anybody change them between the check and the last run.
 */
#ifndef STRATA_FIELD_FILTER_CHECK_H
#define STRATA_FIELD_FILTER_CHECK_H

#include <strata/field_filter.h>
#include <strata/packet.h>

/* The number of tests in a program; 0: it is cut, too long, or has too many. */
static inline uint32_t strata_field_program_tests(const unsigned char *program, uint32_t bytes)
{
	struct strata_field_test_head head;
	uint32_t at = 0, nr = 0;

	if (bytes > STRATA_FIELD_PROGRAM_BYTES_MAX)
		return 0;
	while (at < bytes) {
		if (bytes - at < sizeof(head) || nr == STRATA_FIELD_TESTS_MAX)
			return 0;
		strata_copy(&head, program + at, sizeof(head));
		at += (uint32_t)sizeof(head);
		if (bytes - at < head.bytes)
			return 0;
		at += head.bytes;
		nr++;
	}
	return nr;
}

static inline bool strata_field_is_text(const struct strata_field_desc *field)
{
	return field->kind == STRATA_FIELD_TEXT || field->kind == STRATA_FIELD_STRING;
}

/* Finds a number.  NULL, or what is wrong. */
static inline const char *strata_field_find_number(const struct strata_field_filter *filter,
						   const struct strata_field_name *name,
						   struct strata_field_operand *operand)
{
	const struct strata_field_desc *field;
	uint32_t offset;

	operand->field = name->field;
	if (name->field == STRATA_FIELD_TID)
		return name->element ? "the thread has no elements" : NULL;
	if (name->field >= filter->event->nr_fields)
		return "the event has fewer fields";
	field = &filter->event->fields[name->field];
	if (strata_field_is_text(field))
		return "a number is expected, and the field is text";
	if (field->kind == STRATA_FIELD_FLOAT)
		return "the field is no integer";
	/* Those of fixed length come first, so this one has a fixed offset. */
	if (name->field >= filter->first_variable)
		return "the number has no fixed place";
	if (name->element >= field->count)
		return "the array has fewer elements";
	if (field->bytes != 1 && field->bytes != 2 && field->bytes != 4 && field->bytes != 8)
		return "the number has a size that none has";
	offset = strata_field_align(strata_event_fields_end(filter->event, name->field),
				    field->bytes) +
		 (uint32_t)name->element * field->bytes;
	operand->offset = (uint16_t)offset;
	operand->bytes = field->bytes;
	operand->is_signed = field->kind == STRATA_FIELD_SIGNED;
	return NULL;
}

/* Finds text.  NULL, or what is wrong. */
static inline const char *strata_field_find_text(const struct strata_field_filter *filter,
						 const struct strata_field_name *name,
						 struct strata_field_operand *operand)
{
	const struct strata_field_desc *field;

	if (name->field >= filter->event->nr_fields)
		return "the event has fewer fields";
	field = &filter->event->fields[name->field];
	if (!strata_field_is_text(field))
		return "text is expected, and the field is a number";
	if (name->element)
		return "text has no elements";
	operand->field = name->field;
	operand->is_variable = name->field >= filter->first_variable;
	if (operand->is_variable)
		return NULL;
	operand->offset = (uint16_t)strata_event_fields_end(filter->event, name->field);
	operand->count = field->count;
	return NULL;
}

/* A [ that nothing closes would be searched for its end again and again. */
static inline bool strata_field_pattern_is_quick(const char *text, uint32_t bytes)
{
	const struct strata_glob pattern = { text, bytes };
	size_t at = 0;

	while (at < bytes) {
		if (text[at] == '[') {
			at = strata_glob_class_end(&pattern, at);
			if (!at)
				return false;
		} else {
			at += text[at] == '\\' ? 2 : 1;
		}
	}
	return true;
}

/* Checks what is behind the head, by kind.  NULL, or what is wrong. */
static inline const char *strata_field_check_rest(const struct strata_field_filter *filter,
						  const struct strata_field_test_head *head,
						  const unsigned char *rest,
						  struct strata_field_test *test)
{
	const bool is_text = head->kind == STRATA_TEST_PATTERN || head->kind == STRATA_TEST_TEXTS;
	const bool two = head->kind == STRATA_TEST_FIELDS || head->kind == STRATA_TEST_TEXTS;
	struct strata_field_name right;
	const char *wrong = is_text ? strata_field_find_text(filter, &head->left, &test->left)
				    : strata_field_find_number(filter, &head->left, &test->left);

	if (wrong)
		return wrong;
	if (is_text && head->comparison > STRATA_FIELD_NOT_EQUAL)
		return "text has no order";
	if (head->kind == STRATA_TEST_PATTERN) {
		test->pattern = (const char *)rest;
		test->pattern_bytes = head->bytes;
		if (head->bytes > STRATA_FIELD_PATTERN_BYTES_MAX)
			return "a pattern is too long";
		return strata_field_pattern_is_quick(test->pattern, head->bytes)
			       ? NULL
			       : "a [ of a pattern is not closed";
	}
	if (head->bytes != (two ? sizeof(right) : sizeof(test->number)))
		return "an operand has another size";
	if (!two) {
		strata_copy(&test->number, rest, sizeof(test->number));
		return head->kind == STRATA_TEST_NEGATIVE && !(test->number >> 63)
			       ? "a negative number is none"
			       : NULL;
	}
	strata_copy(&right, rest, sizeof(right));
	if (right.reserved)
		return "a reserved byte is not zero";
	return is_text ? strata_field_find_text(filter, &right, &test->right)
		       : strata_field_find_number(filter, &right, &test->right);
}

static inline bool strata_field_goes_forward(uint32_t from, uint32_t to, uint32_t nr)
{
	return to == STRATA_FIELD_PASS || to == STRATA_FIELD_REJECT || (to > from && to < nr);
}

/* Checks one test.  NULL, or what is wrong. */
static inline const char *strata_field_check_test(const struct strata_field_filter *filter,
						  uint32_t number,
						  const struct strata_field_test_head *head,
						  const unsigned char *rest,
						  struct strata_field_test *test)
{
	const struct strata_field_operand none = { .bytes = 0 };

	if (head->kind < STRATA_TEST_UNSIGNED || head->kind > STRATA_TEST_TEXTS)
		return "a kind of test is not known";
	if (head->comparison > STRATA_FIELD_GREATER_OR_EQUAL)
		return "a comparison is not known";
	if (!strata_field_goes_forward(number, head->if_true, filter->nr) ||
	    !strata_field_goes_forward(number, head->if_false, filter->nr))
		return "a test does not lead to a later one";
	if (head->left.reserved || head->reserved[0] || head->reserved[1] || head->reserved[2])
		return "a reserved byte is not zero";
	test->kind = head->kind;
	test->comparison = head->comparison;
	test->if_true = head->if_true;
	test->if_false = head->if_false;
	test->left = none;
	test->right = none;
	test->number = 0;
	test->pattern = NULL;
	test->pattern_bytes = 0;
	return strata_field_check_rest(filter, head, rest, test);
}

/*
 * Makes a filter of a program.
 * @filter: OUT, with room for @nr tests
 * @nr: strata_field_program_tests() of the program, and not 0
 * @program: must outlive the filter, unchanged
 * @event: the description of the events that it is for, checked; likewise
 * Returns NULL, or what is wrong with the program; the filter must not run then.
 */
static inline const char *strata_field_filter_check(struct strata_field_filter *filter, uint32_t nr,
						    const unsigned char *program,
						    const struct strata_event_desc *event)
{
	struct strata_field_test_head head;
	uint32_t at = 0, i;

	filter->event = event;
	filter->nr = nr;
	filter->first_variable = strata_event_first_variable(event);
	filter->fixed_bytes = strata_event_payload_bytes(event);
	if (filter->fixed_bytes > STRATA_PAYLOAD_BYTES_MAX)
		return "the event is too long";
	for (i = 0; i < nr; i++) {
		const char *wrong;

		strata_copy(&head, program + at, sizeof(head));
		at += (uint32_t)sizeof(head);
		wrong = strata_field_check_test(filter, i, &head, program + at, &filter->tests[i]);
		if (wrong)
			return wrong;
		at += head.bytes;
	}
	return NULL;
}

#endif /* STRATA_FIELD_FILTER_CHECK_H */
