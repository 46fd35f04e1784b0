// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_escape.c - strings of guests as they are shown: nothing of them reaches
 * a terminal or a format as more than text, and no room is overrun.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"

static void assert_escaped(const char *text, const char *expected)
{
	char shown[256], name[256];

	*strata_escape(shown, text, strlen(text) + 1) = '\0';
	assert_string_equal(shown, expected);
	assert_ptr_equal(strata_escape_name(name, sizeof(name), text), name);
	assert_string_equal(name, expected);
}

static void printable_ascii_stays_as_it_is(void **state)
{
	(void)state;
	assert_escaped("", "");
	assert_escaped("qemu-system-x86 (64) ~'%", "qemu-system-x86 (64) ~'%");
}

static void quotes_and_backslashes_are_escaped(void **state)
{
	(void)state;
	assert_escaped("a\\x41\\", "a\\\\x41\\\\");
	assert_escaped("\"; trace {", "\\\"; trace {");
}

static void all_other_bytes_become_numbers(void **state)
{
	(void)state;
	assert_escaped("\x1b[31mred", "\\x1b[31mred");
	assert_escaped("a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f");
	assert_escaped("\xc2\x9b"
		       "31m",
		       "\\xc2\\x9b31m");                   /* the C1 form of ESC [ */
	assert_escaped("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	assert_escaped("\x80\xff", "\\x80\\xff");
}

static void only_the_bytes_that_were_given_are_read(void **state)
{
	size_t bytes;

	(void)state;
	for (bytes = 0; bytes <= 8; bytes++) {
		/* On the heap: a checker of memory sees the byte after the end. */
		char *text = malloc(bytes ? bytes : 1);
		char shown[STRATA_ESCAPED_BYTES(8)];

		assert_non_null(text);
		memset(text, 'x', bytes);
		assert_int_equal(strata_escape(shown, text, bytes) - shown, bytes);
		free(text);
	}
}

static void the_room_that_is_announced_always_suffices(void **state)
{
	char text[64], *shown, *end;
	uint32_t random = 1;
	unsigned int turn, i;

	(void)state;
	for (turn = 0; turn < 20000; turn++) {
		size_t length = 1 + turn % sizeof(text), used;

		for (i = 0; i < length; i++) {
			random = random * 1103515245u + 12345u;
			text[i] = turn < 64 ? '\x01' : (char)(random >> 16);
			if (!text[i])
				text[i] = '\\';
		}
		shown = malloc(STRATA_ESCAPED_BYTES(length));
		assert_non_null(shown);
		end = strata_escape(shown, text, length);
		used = (size_t)(end - shown);
		assert_in_range(used, length, STRATA_ESCAPED_BYTES(length));
		for (i = 0; i < used; i++)
			assert_in_range(shown[i], 0x20, 0x7e);
		free(shown);
	}
}

static void a_name_that_is_too_long_is_cut_between_characters(void **state)
{
	static const size_t ends[] = { 0, 1, 5, 7, 8 }; /* where a\x1b\\z may be cut */
	size_t size, i;

	(void)state;
	for (size = 1; size <= 12; size++) {
		char *name = malloc(size);
		size_t expected = 0;

		assert_non_null(name);
		for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			if (ends[i] < size)
				expected = ends[i];
		strata_escape_name(name, size, "a\x1b\\z");
		assert_int_equal(strlen(name), expected);
		free(name);
	}
}

static void assert_copied(const char *text, const char *expected)
{
	/* On the heap, because a sequence may end where the text does. */
	char *from = strdup(text);
	char copy[64];

	assert_non_null(from);
	strata_valid_utf8_copy(copy, sizeof(copy), from);
	assert_string_equal(copy, expected);
	free(from);
}

static void characters_that_viewers_obey_are_not_copied(void **state)
{
	(void)state;
	assert_copied("a\xc2\x9b"
		      "31m",
		      "a?31m");
	assert_copied("\xe2\x80\xaetxt\xe2\x81\xa6", "?txt?");
}

static void valid_utf8_is_copied(void **state)
{
	static const char *const valid[] = {
		"",
		"plain",
		"\xc2\xa0\xdf\xbf",
		"\xe0\xa0\x80\xef\xbf\xbf",
		"\xed\x9f\xbf\xee\x80\x80",
		"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		assert_copied(valid[i], valid[i]);
}

static void a_byte_that_is_no_utf8_becomes_a_question_mark(void **state)
{
	(void)state;
	assert_copied("a\x80z", "a?z");
	assert_copied("\xc0\xaf", "??");           /* overlong, 2 bytes */
	assert_copied("\xe0\x80\xaf", "???");      /* overlong, 3 */
	assert_copied("\xf0\x80\x80\xaf", "????"); /* overlong, 4 */
	assert_copied("\xed\xa0\x80", "???");      /* surrogate */
	assert_copied("\xf4\x90\x80\x80", "????"); /* beyond Unicode */
	assert_copied("\xf5\xff", "??");
	assert_copied("\xe2\x82", "??"); /* the text ends too early */
	assert_copied("\xf0\x9f\x90", "???");
	assert_copied("\xc3", "?");
	assert_copied("\xe2\x41\xac", "?A?");
}

static void a_copy_that_is_too_long_is_cut_between_characters(void **state)
{
	size_t size;

	(void)state;
	for (size = 1; size <= 8; size++) {
		char *copy = malloc(size);

		assert_non_null(copy);
		strata_valid_utf8_copy(copy, size, "\xe2\x82\xac\xe2\x82\xac");
		assert_int_equal(strlen(copy), size > 6 ? 6 : size > 3 ? 3 : 0);
		free(copy);
	}
}

static void assert_safe(const char *text, const char *expected)
{
	char *safe = strata_safe_json(text);

	assert_non_null(safe);
	assert_string_equal(safe, expected);
	free(safe);
}

static void json_is_copied_with_what_viewers_obey_as_escapes(void **state)
{
	(void)state;
	assert_safe("{\"a\": \"b\\u001b\"}\n", "{\"a\": \"b\\u001b\"}\n");
	assert_safe("a\x7f", "a\\u007f");
	assert_safe("\xc2\x9b"
		    "31m",
		    "\\u009b31m");
	assert_safe("\xe2\x80\xae\xe2\x82\xac", "\\u202e\xe2\x82\xac");
	assert_safe("\x9b\xc2", "??");
	assert_safe("", "");
}

static void a_uuid_survives_its_text(void **state)
{
	uint8_t uuid[16], parsed[16];
	char text[STRATA_UUID_TEXT_BYTES];
	unsigned int i;

	(void)state;
	for (i = 0; i < 16; i++)
		uuid[i] = (uint8_t)(0x10 * i + 15 - i);
	strata_uuid_text(text, uuid);
	assert_string_equal(text, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
	assert_true(strata_uuid_parse(parsed, text));
	assert_memory_equal(parsed, uuid, sizeof(uuid));
}

static void a_text_that_is_no_uuid_is_refused(void **state)
{
	static const char whole[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
	uint8_t uuid[16];
	size_t length;

	(void)state;
	for (length = 0; length < sizeof(whole) - 1; length++) {
		char *cut = strndup(whole, length);

		assert_non_null(cut);
		assert_false(strata_uuid_parse(uuid, cut));
		free(cut);
	}
	assert_false(strata_uuid_parse(uuid, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f00"));
	assert_false(strata_uuid_parse(uuid, "0f1e2d3c14b5a-6978-8796-a5b4c3d2e1f0"));
	assert_false(strata_uuid_parse(uuid, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1fg"));
}

/* Though the bytes that would complete it lie behind. */
static void a_character_is_read_of_the_bytes_that_are_left(void **state)
{
	static const char *const characters[] = { "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	size_t i, left;
	uint32_t code;

	(void)state;
	for (i = 0; i < 3; i++) {
		for (left = 1; left < i + 2; left++)
			assert_int_equal(strata_utf8_read(characters[i], left, &code), 0);
		assert_int_equal(strata_utf8_read(characters[i], left, &code), i + 2);
		assert_int_equal(strata_utf8_read(characters[i], left + 1, &code), i + 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_character_is_read_of_the_bytes_that_are_left),
		cmocka_unit_test(printable_ascii_stays_as_it_is),
		cmocka_unit_test(quotes_and_backslashes_are_escaped),
		cmocka_unit_test(all_other_bytes_become_numbers),
		cmocka_unit_test(only_the_bytes_that_were_given_are_read),
		cmocka_unit_test(the_room_that_is_announced_always_suffices),
		cmocka_unit_test(a_name_that_is_too_long_is_cut_between_characters),
		cmocka_unit_test(valid_utf8_is_copied),
		cmocka_unit_test(characters_that_viewers_obey_are_not_copied),
		cmocka_unit_test(a_byte_that_is_no_utf8_becomes_a_question_mark),
		cmocka_unit_test(a_copy_that_is_too_long_is_cut_between_characters),
		cmocka_unit_test(json_is_copied_with_what_viewers_obey_as_escapes),
		cmocka_unit_test(a_uuid_survives_its_text),
		cmocka_unit_test(a_text_that_is_no_uuid_is_refused),
	};

	return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
