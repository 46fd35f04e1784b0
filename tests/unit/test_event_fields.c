// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_event_fields.c - where the fields of an event lie in a payload, and that a payload which
 * may hold anything leads no further than it is long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <strata/event.h>

static const struct strata_event_desc event = {
	.nr_fields = 6,
	.fields = { { "byte", STRATA_FIELD_UNSIGNED, 1, 1 },
		    { "long", STRATA_FIELD_UNSIGNED, 8, 1 },
		    { "name", STRATA_FIELD_STRING, 1, 1 },
		    { "list", STRATA_FIELD_UNSIGNED, 2, 0 },
		    { "array", STRATA_FIELD_UNSIGNED, 4, 3 },
		    { "last", STRATA_FIELD_UNSIGNED, 1, 1 } },
};

/* 1, padding to 4, 8; "ab" and its end, padding to 16; 3 elements of 2; padding; 12; 1 */
static const unsigned char payload[] = { 7, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b',
					 0, 0, 3, 0, 0, 0, 1, 0, 2, 0, 3, 0, 0,   0,
					 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 5 };

static void fields_lie_behind_one_another_aligned_to_four_bytes_at_most(void **state)
{
	static const struct strata_field_place expected[] = { { 0, 1 },  { 4, 1 },  { 12, 2 },
							      { 20, 3 }, { 28, 3 }, { 40, 1 } };
	static const uint32_t ends[] = { 1, 12, 15, 26, 40, 41 };
	struct strata_field_place place;
	uint32_t offset = 0;
	unsigned int i;

	(void)state;
	assert_int_equal(sizeof(payload), 41);
	for (i = 0; i < event.nr_fields; i++) {
		assert_true(strata_field_find(&event.fields[i], payload, sizeof(payload), &offset,
					      &place));
		assert_int_equal(place.offset, expected[i].offset);
		assert_int_equal(place.count, expected[i].count);
		assert_int_equal(offset, ends[i]);
	}
	assert_int_equal(strata_event_first_variable(&event), 2);
	assert_int_equal(strata_event_payload_bytes(&event), 12);
	assert_false(strata_field_is_variable(&event.fields[1]));
	assert_true(strata_field_is_variable(&event.fields[2]));
	assert_true(strata_field_is_variable(&event.fields[3]));
	assert_false(strata_field_is_variable(&event.fields[4]));
}

/* Whether all fields lie within the first bytes of it. */
static bool fits(uint32_t available)
{
	struct strata_field_place place;
	uint32_t offset = 0;
	unsigned int i;

	for (i = 0; i < event.nr_fields; i++)
		if (!strata_field_find(&event.fields[i], payload, available, &offset, &place))
			return false;
	return true;
}

static void a_payload_that_is_cut_anywhere_does_not_fit(void **state)
{
	uint32_t available;

	(void)state;
	for (available = 0; available < sizeof(payload); available++)
		assert_false(fits(available));
	assert_true(fits(sizeof(payload)));
}

static void a_number_of_elements_may_be_any(void **state)
{
	const struct strata_field_desc list = { "list", STRATA_FIELD_UNSIGNED, 8, 0 };
	static const uint32_t counts[] = { 2, 0x20000000u, 0x20000001u, UINT32_MAX };
	struct strata_field_place place;
	unsigned char bytes[12];
	uint32_t offset;
	unsigned int i;

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 1;
	offset = 0;
	assert_true(strata_field_find(&list, bytes, sizeof(bytes), &offset, &place));
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		memcpy(bytes, &counts[i], sizeof(counts[i]));
		offset = 0;
		assert_false(strata_field_find(&list, bytes, sizeof(bytes), &offset, &place));
	}
	/* No room for the number itself, and so it is not read. */
	offset = 1;
	place.count = 99;
	assert_false(strata_field_find(&list, bytes, 7, &offset, &place));
	assert_int_equal(place.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_lie_behind_one_another_aligned_to_four_bytes_at_most),
		cmocka_unit_test(a_payload_that_is_cut_anywhere_does_not_fit),
		cmocka_unit_test(a_number_of_elements_may_be_any),
	};

	return cmocka_run_group_tests_name("event_fields", tests, NULL, NULL);
}
