// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_packet_headers.c - the headers of records at the limits of their forms: ids beside the
 * escape value, ticks that the short forms can just tell and just not, and the bytes that are
 * left of a packet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <strata/packet.h>

/* Writes a header as a writer does, and reads it back.  Returns its bytes. */
static uint32_t there_and_back(enum strata_header_form form, uint32_t id, uint64_t previous,
			       uint64_t ticks)
{
	uint32_t bytes = strata_header_bytes(form, id, ticks - previous), got_id = 0;
	uint64_t got_ticks = 0;
	unsigned char header[16];

	memset(header, 0xa5, sizeof(header));
	assert_in_range(bytes, 4, sizeof(header));
	strata_header_write(header, bytes, id, ticks);
	assert_int_equal(strata_header_read(form, header, bytes, previous, &got_id, &got_ticks),
			 bytes);
	assert_int_equal(got_id, id);
	assert_int_equal(got_ticks, ticks);
	return bytes;
}

static void the_escape_value_is_no_id_of_a_compact_header(void **state)
{
	(void)state;
	assert_int_equal(there_and_back(STRATA_HEADER_COMPACT, 0, 1000, 1007), 4);
	assert_int_equal(there_and_back(STRATA_HEADER_COMPACT, 30, 1000, 1007), 4);
	assert_int_equal(there_and_back(STRATA_HEADER_COMPACT, 31, 1000, 1007), 16);
	assert_int_equal(there_and_back(STRATA_HEADER_COMPACT, 32, 1000, 1007), 16);
	assert_int_equal(there_and_back(STRATA_HEADER_COMPACT, UINT32_MAX, 1000, 1007), 16);
}

static void the_escape_value_is_no_id_of_a_large_header(void **state)
{
	(void)state;
	assert_int_equal(there_and_back(STRATA_HEADER_LARGE, 0, 1000, 1007), 8);
	assert_int_equal(there_and_back(STRATA_HEADER_LARGE, 65534, 1000, 1007), 8);
	assert_int_equal(there_and_back(STRATA_HEADER_LARGE, 65535, 1000, 1007), 16);
	assert_int_equal(there_and_back(STRATA_HEADER_LARGE, 65536, 1000, 1007), 16);
	assert_int_equal(there_and_back(STRATA_HEADER_LARGE, UINT32_MAX, 1000, 1007), 16);
}

static void a_full_header_tells_any_id_and_any_time(void **state)
{
	(void)state;
	assert_int_equal(there_and_back(STRATA_HEADER_FULL, 31, 5, 5), 12);
	assert_int_equal(there_and_back(STRATA_HEADER_FULL, 65535, 0, UINT64_MAX), 12);
	assert_int_equal(there_and_back(STRATA_HEADER_FULL, UINT32_MAX, 7, 1ull << 63), 12);
}

/* Whatever the low bits are when the time before stands: the short form tells less than 2^@bits. */
static void assert_elapsed(enum strata_header_form form, unsigned int bits, uint32_t short_bytes)
{
	const uint64_t range = 1ull << bits;
	const uint64_t before[] = { 0, 1, range - 1, range, 5 * range + 100, (1ull << 60) - 1 };
	unsigned int i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		assert_int_equal(there_and_back(form, 7, before[i], before[i]), short_bytes);
		assert_int_equal(there_and_back(form, 7, before[i], before[i] + range - 1),
				 short_bytes);
		assert_int_equal(there_and_back(form, 7, before[i], before[i] + range), 16);
		assert_int_equal(there_and_back(form, 7, before[i], before[i] + range + 1), 16);
		assert_int_equal(there_and_back(form, 7, before[i], before[i] + 64 * range), 16);
	}
}

static void what_the_low_bits_cannot_tell_is_told_whole(void **state)
{
	(void)state;
	assert_elapsed(STRATA_HEADER_COMPACT, 27, 4);
	assert_elapsed(STRATA_HEADER_LARGE, 32, 8);
}

/* A header that is cut off is invalid, and ignored. */
static void a_header_is_read_of_the_bytes_that_are_left(void **state)
{
	static const struct {
		enum strata_header_form form;
		uint32_t id, bytes;
	} headers[] = { { STRATA_HEADER_FULL, 7, 12 },
			{ STRATA_HEADER_COMPACT, 7, 4 },
			{ STRATA_HEADER_COMPACT, 31, 16 },
			{ STRATA_HEADER_LARGE, 7, 8 },
			{ STRATA_HEADER_LARGE, 65535, 16 } };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		unsigned char header[16] = { 0 };
		uint64_t ticks = 77;
		uint32_t id = 99, left;

		strata_header_write(header, headers[i].bytes, headers[i].id, 1007);
		for (left = 0; left < headers[i].bytes; left++)
			assert_int_equal(strata_header_read(headers[i].form, header, left, 1000,
							    &id, &ticks),
					 0);
		assert_int_equal(id, 99);
		assert_int_equal(ticks, 77);
		assert_int_equal(
			strata_header_read(headers[i].form, header, left, 1000, &id, &ticks),
			headers[i].bytes);
	}
}

static void a_form_that_the_writer_does_not_know_is_not_asked_for(void **state)
{
	const uint32_t compact = STRATA_HEADER_FORM_BIT(STRATA_HEADER_COMPACT);

	(void)state;
	assert_int_equal(strata_header_form_among(0, STRATA_HEADER_COMPACT), STRATA_HEADER_FULL);
	assert_int_equal(strata_header_form_among(compact, STRATA_HEADER_COMPACT),
			 STRATA_HEADER_COMPACT);
	assert_int_equal(strata_header_form_among(compact, STRATA_HEADER_LARGE),
			 STRATA_HEADER_FULL);
	assert_int_equal(strata_header_form_among(STRATA_HEADER_FORMS_ALL, STRATA_HEADER_LARGE),
			 STRATA_HEADER_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_escape_value_is_no_id_of_a_compact_header),
		cmocka_unit_test(the_escape_value_is_no_id_of_a_large_header),
		cmocka_unit_test(a_full_header_tells_any_id_and_any_time),
		cmocka_unit_test(what_the_low_bits_cannot_tell_is_told_whole),
		cmocka_unit_test(a_header_is_read_of_the_bytes_that_are_left),
		cmocka_unit_test(a_form_that_the_writer_does_not_know_is_not_asked_for),
	};

	return cmocka_run_group_tests_name("packet_headers", tests, NULL, NULL);
}
