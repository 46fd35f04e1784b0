// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_field_filter.c - the programs of field filters: which ones are refused, and what those that
 * are not let pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/field_filter_check.h>

enum field { BYTE, LONG, ARRAY, COMM, REAL, NAME, LIST, TITLE, NR_FIELDS };

static const struct strata_event_desc event = {
	.name = "e",
	.nr_fields = NR_FIELDS,
	.fields = { { "byte", STRATA_FIELD_SIGNED, 1, 1 },
		    { "long", STRATA_FIELD_UNSIGNED, 8, 1 },
		    { "array", STRATA_FIELD_SIGNED, 2, 3 },
		    { "comm", STRATA_FIELD_TEXT, 1, 6 },
		    { "real", STRATA_FIELD_FLOAT, 8, 1 },
		    { "name", STRATA_FIELD_STRING, 1, 1 },
		    { "list", STRATA_FIELD_UNSIGNED, 2, 0 },
		    { "title", STRATA_FIELD_STRING, 1, 1 } },
};

static const unsigned char payload[] = {
	0xfe, 0, 0, 0, 0x10, 0,    0,   0,   0,   0,   0,   0x80, /* -2; 2^63 + 16 */
	1,    0, 2, 0, 0xff, 0xff, 's', 'h', 0,   'x', 0,   0, /* 1, 2, -1; "sh" and what is behind
								*/
	0,    0, 0, 0, 0,    0,    0,   0,   'l', 'o', 'n', 'g',  0, 0, 0, 0, /* 0.0; "long" */
	2,    0, 0, 0, 7,    0,    8,   0,   's', 'h', 0                      /* 7, 8; "sh" */
};

static unsigned char program[STRATA_FIELD_PROGRAM_BYTES_MAX + 64];
static uint32_t program_bytes;

/* Appends a test. */
static void add(enum strata_field_test_kind kind, enum strata_field_comparison comparison,
		uint8_t if_true, uint8_t if_false, uint8_t field, uint16_t element,
		const void *rest, uint8_t bytes)
{
	const struct strata_field_test_head head = { .kind = (uint8_t)kind,
						     .comparison = (uint8_t)comparison,
						     .if_true = if_true,
						     .if_false = if_false,
						     .left = { field, 0, element },
						     .bytes = bytes };

	memcpy(program + program_bytes, &head, sizeof(head));
	memcpy(program + program_bytes + sizeof(head), rest, bytes);
	program_bytes += (uint32_t)sizeof(head) + bytes;
}

static void add_number(enum strata_field_comparison comparison, uint8_t if_true, uint8_t if_false,
		       uint8_t field, uint16_t element, int64_t number)
{
	add(number < 0 ? STRATA_TEST_NEGATIVE : STRATA_TEST_UNSIGNED, comparison, if_true, if_false,
	    field, element, &number, sizeof(number));
}

static void add_pattern(enum strata_field_comparison comparison, uint8_t field, const char *pattern)
{
	add(STRATA_TEST_PATTERN, comparison, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, field, 0,
	    pattern, (uint8_t)strlen(pattern));
}

static void add_fields(enum strata_field_test_kind kind, enum strata_field_comparison comparison,
		       uint8_t field, uint8_t other, uint16_t element)
{
	const struct strata_field_name name = { other, 0, element };

	add(kind, comparison, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, field, 0, &name,
	    sizeof(name));
}

/* Makes a filter of the program, in memory of exactly its size.  NULL with the reason. */
static struct strata_field_filter *make(const char **wrong)
{
	const uint32_t nr = strata_field_program_tests(program, program_bytes);
	struct strata_field_filter *filter =
		test_malloc(sizeof(*filter) + nr * sizeof(filter->tests[0]));

	*wrong = nr ? strata_field_filter_check(filter, nr, program, &event) : "it is cut";
	if (!*wrong)
		return filter;
	test_free(filter);
	return NULL;
}

static void refused(const char *why)
{
	const char *wrong;

	assert_null(make(&wrong));
	assert_string_equal(wrong, why);
	program_bytes = 0;
}

/* Whether the event passes the program, of which the next test starts anew. */
static bool passes_of(uint32_t bytes)
{
	unsigned char *copy = test_malloc(bytes + 1);
	const char *wrong = NULL;
	struct strata_field_filter *filter = make(&wrong);
	bool passes;

	if (!filter)
		fail_msg("%s", wrong);
	memcpy(copy, payload, bytes);
	passes = strata_field_filter_passes(filter, copy, bytes, 417);
	test_free(copy);
	test_free(filter);
	program_bytes = 0;
	return passes;
}

static bool passes(void)
{
	return passes_of(sizeof(payload));
}

static void a_program_that_is_cut_or_too_long_is_refused(void **state)
{
	unsigned int i;

	(void)state;
	refused("it is cut");
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, BYTE, 0, 1);
	for (i = 1; i <= 8; i++) {
		program_bytes -= i;
		assert_int_equal(strata_field_program_tests(program, program_bytes), 0);
		program_bytes += i;
	}
	program_bytes += 3;
	refused("it is cut");
	for (i = 0; i < STRATA_FIELD_TESTS_MAX; i++)
		add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, BYTE, 0, 1);
	assert_int_equal(strata_field_program_tests(program, program_bytes),
			 STRATA_FIELD_TESTS_MAX);
	assert_false(passes());
	for (i = 0; i < STRATA_FIELD_TESTS_MAX + 1; i++)
		add_pattern(STRATA_FIELD_EQUAL, COMM, "");
	refused("it is cut");
	while (program_bytes <= STRATA_FIELD_PROGRAM_BYTES_MAX)
		add_pattern(STRATA_FIELD_EQUAL, COMM,
			    "0123456789012345678901234567890123456789012345678901234567890123");
	refused("it is cut");
}

static void a_program_goes_forward_only(void **state)
{
	(void)state;
	add_number(STRATA_FIELD_EQUAL, 0, STRATA_FIELD_REJECT, BYTE, 0, 1);
	refused("a test does not lead to a later one");
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, 0, BYTE, 0, 1);
	refused("a test does not lead to a later one");
	add_number(STRATA_FIELD_EQUAL, 1, STRATA_FIELD_REJECT, BYTE, 0, 1);
	refused("a test does not lead to a later one");
	add_number(STRATA_FIELD_EQUAL, 1, STRATA_FIELD_REJECT, BYTE, 0, 1);
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, 0, BYTE, 0, 1);
	refused("a test does not lead to a later one");
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, 0xfd, BYTE, 0, 1);
	refused("a test does not lead to a later one");
}

static void kinds_comparisons_and_reserved_bytes_are_known(void **state)
{
	const uint32_t number = 1;

	(void)state;
	add(0, STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, &number, 4);
	refused("a kind of test is not known");
	add(STRATA_TEST_TEXTS + 1, STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, &number, 4);
	refused("a kind of test is not known");
	add_number(STRATA_FIELD_GREATER_OR_EQUAL + 1, 0xfe, 0xff, BYTE, 0, 1);
	refused("a comparison is not known");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, 1);
	program[offsetof(struct strata_field_test_head, left.reserved)] = 1;
	refused("a reserved byte is not zero");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, 1);
	program[offsetof(struct strata_field_test_head, reserved) + 2] = 1;
	refused("a reserved byte is not zero");
	add_fields(STRATA_TEST_FIELDS, STRATA_FIELD_EQUAL, BYTE, LONG, 0);
	program[sizeof(struct strata_field_test_head) +
		offsetof(struct strata_field_name, reserved)] = 1;
	refused("a reserved byte is not zero");
	add(STRATA_TEST_UNSIGNED, STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, &number, 4);
	refused("an operand has another size");
	add(STRATA_TEST_FIELDS, STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, &number, 2);
	refused("an operand has another size");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 0, 1);
	program[0] = STRATA_TEST_NEGATIVE;
	refused("a negative number is none");
}

static void fields_are_the_events_and_of_the_right_type(void **state)
{
	(void)state;
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, NR_FIELDS, 0, 1);
	refused("the event has fewer fields");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, 0xfe, 0, 1);
	refused("the event has fewer fields");
	add_fields(STRATA_TEST_FIELDS, STRATA_FIELD_EQUAL, BYTE, NR_FIELDS, 0);
	refused("the event has fewer fields");
	add_pattern(STRATA_FIELD_EQUAL, STRATA_FIELD_TID, "x");
	refused("the event has fewer fields");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, BYTE, 1, 1);
	refused("the array has fewer elements");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, ARRAY, 3, 1);
	refused("the array has fewer elements");
	add_fields(STRATA_TEST_FIELDS, STRATA_FIELD_EQUAL, BYTE, ARRAY, 3);
	refused("the array has fewer elements");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, STRATA_FIELD_TID, 1, 1);
	refused("the thread has no elements");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, COMM, 0, 1);
	refused("a number is expected, and the field is text");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, REAL, 0, 1);
	refused("the field is no integer");
	add_number(STRATA_FIELD_EQUAL, 0xfe, 0xff, LIST, 0, 1);
	refused("the number has no fixed place");
	add_pattern(STRATA_FIELD_EQUAL, LONG, "x");
	refused("text is expected, and the field is a number");
	add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_EQUAL, COMM, LIST, 0);
	refused("text is expected, and the field is a number");
	add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_EQUAL, COMM, NAME, 1);
	refused("text has no elements");
	add_pattern(STRATA_FIELD_LESS, COMM, "x");
	refused("text has no order");
}

static void patterns_take_little_time(void **state)
{
	char pattern[STRATA_FIELD_PATTERN_BYTES_MAX + 2];

	(void)state;
	memset(pattern, 'x', sizeof(pattern));
	pattern[STRATA_FIELD_PATTERN_BYTES_MAX + 1] = '\0';
	add_pattern(STRATA_FIELD_EQUAL, COMM, pattern);
	refused("a pattern is too long");
	pattern[STRATA_FIELD_PATTERN_BYTES_MAX] = '\0';
	add_pattern(STRATA_FIELD_EQUAL, COMM, pattern);
	assert_false(passes());
	add_pattern(STRATA_FIELD_EQUAL, COMM, "s[h");
	refused("a [ of a pattern is not closed");
	add_pattern(STRATA_FIELD_NOT_EQUAL, COMM, "\\[[a]]");
	assert_true(passes());
}

static bool compares(uint8_t field, uint16_t element, enum strata_field_comparison comparison,
		     int64_t number)
{
	add_number(comparison, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, field, element, number);
	return passes();
}

static void numbers_are_compared_by_value(void **state)
{
	(void)state;
	assert_true(compares(BYTE, 0, STRATA_FIELD_EQUAL, -2));
	assert_false(compares(BYTE, 0, STRATA_FIELD_NOT_EQUAL, -2));
	assert_true(compares(BYTE, 0, STRATA_FIELD_LESS, -1));
	assert_false(compares(BYTE, 0, STRATA_FIELD_LESS, -2));
	assert_true(compares(BYTE, 0, STRATA_FIELD_LESS_OR_EQUAL, -2));
	assert_false(compares(BYTE, 0, STRATA_FIELD_GREATER, 0));
	assert_true(compares(LONG, 0, STRATA_FIELD_GREATER, 0));
	assert_true(compares(LONG, 0, STRATA_FIELD_GREATER, -1));
	assert_false(compares(LONG, 0, STRATA_FIELD_EQUAL, INT64_MIN + 16));
	assert_true(compares(LONG, 0, STRATA_FIELD_GREATER_OR_EQUAL, INT64_MAX));
	assert_true(compares(ARRAY, 1, STRATA_FIELD_EQUAL, 2));
	assert_true(compares(ARRAY, 2, STRATA_FIELD_EQUAL, -1));
	assert_false(compares(ARRAY, 2, STRATA_FIELD_EQUAL, 0xffff));
	assert_true(compares(STRATA_FIELD_TID, 0, STRATA_FIELD_EQUAL, 417));
	add_fields(STRATA_TEST_FIELDS, STRATA_FIELD_LESS, BYTE, LONG, 0);
	assert_true(passes());
	add_fields(STRATA_TEST_FIELDS, STRATA_FIELD_GREATER, BYTE, ARRAY, 2);
	assert_false(passes());
}

static void text_is_found_behind_other_text(void **state)
{
	(void)state;
	add_pattern(STRATA_FIELD_EQUAL, COMM, "sh");
	assert_true(passes());
	add_pattern(STRATA_FIELD_EQUAL, NAME, "l*g");
	assert_true(passes());
	add_pattern(STRATA_FIELD_NOT_EQUAL, TITLE, "[a-r]h");
	assert_true(passes());
	add_pattern(STRATA_FIELD_EQUAL, TITLE, "sh");
	assert_true(passes());
	add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_EQUAL, COMM, TITLE, 0);
	assert_true(passes());
	add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_EQUAL, NAME, TITLE, 0);
	assert_false(passes());
	add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_NOT_EQUAL, NAME, TITLE, 0);
	assert_true(passes());
}

static void a_payload_that_ends_before_a_field_is_rejected(void **state)
{
	uint32_t bytes;

	(void)state;
	for (bytes = 0; bytes <= sizeof(payload); bytes++) {
		add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, STRATA_FIELD_PASS, BYTE, 0, 0);
		assert_int_equal(passes_of(bytes), bytes >= 32);
		add_pattern(STRATA_FIELD_NOT_EQUAL, NAME, "");
		assert_int_equal(passes_of(bytes), bytes >= 37);
		add_pattern(STRATA_FIELD_NOT_EQUAL, TITLE, "");
		assert_int_equal(passes_of(bytes), bytes >= sizeof(payload));
		add_fields(STRATA_TEST_TEXTS, STRATA_FIELD_EQUAL, COMM, TITLE, 0);
		assert_int_equal(passes_of(bytes), bytes >= sizeof(payload));
	}
}

static void tests_lead_to_later_ones(void **state)
{
	(void)state;
	/* byte == 1 || (byte == -2 && long != 0) */
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, 1, BYTE, 0, 1);
	add_number(STRATA_FIELD_EQUAL, 2, STRATA_FIELD_REJECT, BYTE, 0, -2);
	add_number(STRATA_FIELD_NOT_EQUAL, STRATA_FIELD_PASS, STRATA_FIELD_REJECT, LONG, 0, 0);
	assert_true(passes());
	add_number(STRATA_FIELD_EQUAL, 2, STRATA_FIELD_PASS, BYTE, 0, -2);
	add_number(STRATA_FIELD_EQUAL, STRATA_FIELD_PASS, STRATA_FIELD_PASS, BYTE, 0, 0);
	add_number(STRATA_FIELD_NOT_EQUAL, STRATA_FIELD_REJECT, STRATA_FIELD_PASS, LONG, 0, 0);
	assert_false(passes());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_cut_or_too_long_is_refused),
		cmocka_unit_test(a_program_goes_forward_only),
		cmocka_unit_test(kinds_comparisons_and_reserved_bytes_are_known),
		cmocka_unit_test(fields_are_the_events_and_of_the_right_type),
		cmocka_unit_test(patterns_take_little_time),
		cmocka_unit_test(numbers_are_compared_by_value),
		cmocka_unit_test(text_is_found_behind_other_text),
		cmocka_unit_test(a_payload_that_ends_before_a_field_is_rejected),
		cmocka_unit_test(tests_lead_to_later_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
