/* SPDX-License-Identifier: MIT */
/*
 * field_filter.h - the form of a field filter: a program of tests of an event's fields, which dom0
 * sends to a kernel, and which decides there whether the event is recorded.
 *
 * A program is a decision graph: each test names the test to go on with if it holds, and if it does
 * not; both come later in the program, or end it with a verdict.  So a program needs no stack, has
 * no loop, and ends after at most as many steps as it has tests.
 *
 * It is a string of bytes, test after test, without padding: a struct strata_field_test_head, and
 * `bytes` more, by its kind:
 *
 *   STRATA_TEST_UNSIGNED  8: a number from 0 to 2^64 - 1, with which the field is compared
 *   STRATA_TEST_NEGATIVE  8: a number below 0, in two's complement, likewise
 *   STRATA_TEST_FIELDS    4: a struct strata_field_name: another number of the event, likewise
 *   STRATA_TEST_PATTERN   0 to STRATA_FIELD_PATTERN_BYTES_MAX: a pattern (glob.h) that text matches
 *   STRATA_TEST_TEXTS     4: a struct strata_field_name: other text of the event, likewise
 *
 * Numbers are compared by value, whatever their sizes and signs.  Text has STRATA_FIELD_EQUAL and
 * STRATA_FIELD_NOT_EQUAL only.  Fields are named by their place in the event's description, so no
 * program holds an offset: the kernel computes them (field_filter_check.h).
 */
#ifndef STRATA_ABI_FIELD_FILTER_H
#define STRATA_ABI_FIELD_FILTER_H

#include <strata/platform/platform.h>

#define STRATA_FIELD_TESTS_MAX         64u
#define STRATA_FIELD_PROGRAM_BYTES_MAX 1536u
#define STRATA_FIELD_PATTERN_BYTES_MAX 64u

enum strata_field_test_kind {
	STRATA_TEST_UNSIGNED = 1,
	STRATA_TEST_NEGATIVE = 2,
	STRATA_TEST_FIELDS = 3,
	STRATA_TEST_PATTERN = 4,
	STRATA_TEST_TEXTS = 5,
};

enum strata_field_comparison {
	STRATA_FIELD_EQUAL = 0,
	STRATA_FIELD_NOT_EQUAL = 1,
	STRATA_FIELD_LESS = 2,
	STRATA_FIELD_LESS_OR_EQUAL = 3,
	STRATA_FIELD_GREATER = 4,
	STRATA_FIELD_GREATER_OR_EQUAL = 5,
};

/* The verdicts, in place of a later test. */
#define STRATA_FIELD_PASS   0xfeu
#define STRATA_FIELD_REJECT 0xffu

/* In place of a field: the thread that ran on the CPU (struct strata_guest_context), a number. */
#define STRATA_FIELD_TID 0xffu

struct strata_field_name {
	uint8_t field; /* index in the event's description, or STRATA_FIELD_TID */
	uint8_t reserved;
	uint16_t element; /* of an array of numbers; else 0 */
};

struct strata_field_test_head {
	uint8_t kind;
	uint8_t comparison;
	uint8_t if_true; /* index of a later test, or a verdict */
	uint8_t if_false;
	struct strata_field_name left;
	uint8_t bytes; /* of what follows */
	uint8_t reserved[3];
};

#endif /* STRATA_ABI_FIELD_FILTER_H */
