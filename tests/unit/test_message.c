// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_message.c - messages from a format and recorded fields: what printf() writes of the same
 * arguments, and something bounded and harmless where a hostile program gave them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf/types/ctf_event_types.h"
#include "outputs/message.h"

static struct strata_event_desc event;
static unsigned char payload[4 * STRATA_MESSAGE_BYTES_MAX];
static uint32_t used;
static struct strata_buffer buffer;

static int begin(void **state)
{
	(void)state;
	memset(&event, 0, sizeof(event));
	memset(payload, 0, sizeof(payload));
	used = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	strata_buffer_free(&buffer);
	memset(&buffer, 0, sizeof(buffer));
	return 0;
}

static void add(uint8_t kind, uint8_t bytes, const void *value, size_t value_bytes)
{
	struct strata_field_desc *field = &event.fields[event.nr_fields];

	snprintf(field->name, sizeof(field->name), "arg%u", ++event.nr_fields);
	field->kind = kind;
	field->bytes = bytes;
	field->count = 1;
	used = strata_field_align(used, bytes);
	memcpy(payload + used, value, value_bytes);
	used += (uint32_t)value_bytes;
}

static void add_int(int value)
{
	add(STRATA_FIELD_SIGNED, sizeof(value), &value, sizeof(value));
}

static void add_long(long value)
{
	add(STRATA_FIELD_SIGNED, sizeof(value), &value, sizeof(value));
}

static void add_hex(uint64_t value)
{
	add(STRATA_FIELD_HEX, sizeof(value), &value, sizeof(value));
}

static void add_double(double value)
{
	add(STRATA_FIELD_FLOAT, sizeof(value), &value, sizeof(value));
}

static void add_text(const char *text)
{
	add(STRATA_FIELD_STRING, 1, text, strlen(text) + 1);
}

static char *as_it_is(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

/* The message of the fields that were added, behind what the buffer holds. */
static const char *message_by(const char *format, strata_message_escape_fn *escape)
{
	struct strata_ctf_event_types types;
	uint64_t slots[STRATA_EVENT_FIELDS_MAX] = { 0 };
	struct strata_ctf_cursor cursor = { .bytes = payload, .end = used * 8ull, .slots = slots };

	strata_ctf_event_types(&types, &event);
	buffer.used = 0;
	strata_buffer_text(&buffer, "> ");
	strata_message_put(&buffer, format, &types.structure, cursor, escape);
	strata_buffer_put(&buffer, "", 1);
	assert_memory_equal(buffer.bytes, "> ", 2);
	return buffer.bytes + 2;
}

static const char *message(const char *format)
{
	return message_by(format, as_it_is);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void integers_appear_as_printf_writes_them(void **state)
{
	static const char *const formats[] = {
		"%d",    "%i",   "%u",    "%x",    "%X",   "%o",     "%c|",     "%5d",
		"%-5d|", "%05d", "%+d",   "% d",   "%.3d", "%8.3d",  "%-8.3d|", "%+.3d",
		"%#x",   "%#X",  "%#o",   "%#08x", "%08x", "%hhd",   "%hhu",    "%hd",
		"%hx",   "%.0d", "%#.0o", "%2d%%", "a%db", "%-+5d|",
	};
	static const int values[] = { 0, 1, -1, 8, 42, -300, 200, 65536, INT_MAX, INT_MIN };
	char wanted[64];
	size_t i, j;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		for (j = 0; j < sizeof(values) / sizeof(*values); j++) {
			/* A message has no zero bytes. */
			if (strstr(formats[i], "%c") && !(char)values[j])
				continue;
			snprintf(wanted, sizeof(wanted), formats[i], values[j]);
			begin(state);
			add_int(values[j]);
			assert_string_equal(message(formats[i]), wanted);
		}
	}
}

static void longs_keep_their_size(void **state)
{
	static const char *const formats[] = { "%ld", "%lu", "%lx", "%#lo", "%20ld", "%p" };
	static const long values[] = { 1, -1, LONG_MAX, LONG_MIN };
	char wanted[64];
	size_t i, j;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		for (j = 0; j < sizeof(values) / sizeof(*values); j++) {
			snprintf(wanted, sizeof(wanted), formats[i], values[j]);
			begin(state);
			add_long(values[j]);
			assert_string_equal(message(formats[i]), wanted);
		}
	}
}

static void small_integers_become_an_int(void **state)
{
	const int8_t tiny = -1;
	const uint8_t byte = 255;

	(void)state;
	add(STRATA_FIELD_SIGNED, 1, &tiny, 1);
	add(STRATA_FIELD_UNSIGNED, 1, &byte, 1);
	assert_string_equal(message("%x %x"), "ffffffff ff");
}

static void floats_appear_as_printf_writes_them(void **state)
{
	static const char *const formats[] = { "%f",  "%.3f",  "%10.2e", "%-12g|", "%a",
					       "%+G", "%#.0f", "%08.3f", "%E",     "% f" };
	static const double values[] = { 0, -0.0, 1.5, -2.25, 1e100, 1e-10, INFINITY, NAN, 1e308 };
	char wanted[512];
	size_t i, j;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		for (j = 0; j < sizeof(values) / sizeof(*values); j++) {
			snprintf(wanted, sizeof(wanted), formats[i], values[j]);
			begin(state);
			add_double(values[j]);
			assert_string_equal(message(formats[i]), wanted);
		}
	}
}

static void texts_appear_as_printf_writes_them(void **state)
{
	static const char *const formats[] = { "%s", "%10s", "%-10s|", "%.3s", "%.0s|", "%6.2s" };
	static const char *const values[] = { "", "a", "hello world" };
	char wanted[64];
	size_t i, j;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		for (j = 0; j < sizeof(values) / sizeof(*values); j++) {
			snprintf(wanted, sizeof(wanted), formats[i], values[j]);
			begin(state);
			add_text(values[j]);
			assert_string_equal(message(formats[i]), wanted);
		}
	}
}

static void stars_take_the_fields_before(void **state)
{
	(void)state;
	add_int(5);
	add_int(42);
	add_int(-5);
	add_int(43);
	add_int(2);
	add_text("hello");
	add_int(-1);
	add_text("whole");
	assert_string_equal(message("%*d|%*d|%.*s|%.*s"), "   42|43   |he|whole");
}

static void a_value_of_another_type_appears_by_its_own(void **state)
{
	(void)state;
	add_text("text");
	add_double(1.5);
	add_int(-7);
	add_hex(255);
	add_int(3);
	assert_string_equal(message("%d %d %s %s %f"), "text 1.5 -7 0xff 3");
}

static void pointers_have_their_form(void **state)
{
	(void)state;
	add_hex(0x1234);
	add_hex(0);
	add_text("no address");
	assert_string_equal(message("%p %p %p"), "0x1234 (nil) no address");
}

static void characters_beyond_ascii_are_utf_8(void **state)
{
	(void)state;
	add_int(0xe9);
	add_int(0x20ac);
	add_int(0x1f600);
	add_int(0x41);
	add_int(0);
	assert_string_equal(message("%lc%lc%lc%C%c."), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
						       "A.");
}

static void n_writes_nothing(void **state)
{
	(void)state;
	add_hex(0x1234);
	add_int(5);
	assert_string_equal(message("a%nb%d"), "ab5");
}

static void what_is_no_conversion_appears_as_it_is(void **state)
{
	(void)state;
	add_int(5);
	add_int(6);
	assert_string_equal(message("%m %1$d %% %d %l %"), "%m %1$d % 5 %l %");
}

static void letters_without_a_meaning_take_their_fields(void **state)
{
	(void)state;
	add_int(5);
	add_text("text");
	add_hex(6);
	add_int(7);
	add_int(8);
	assert_string_equal(message("%b %B %8y| %Id %d"), "5 text      0x6| 7 8");
}

static void flags_width_and_precision_may_precede_m_and_percent(void **state)
{
	(void)state;
	add_int(3);
	add_text("abcd");
	assert_string_equal(message("%-20m %5% %.*s"), "%-20m % abc");
	begin(state);
	add_int(1);
	add_int(2);
	add_int(3);
	add_int(4);
	assert_string_equal(message("%*m %*.*% %d"), "%*m % 4");
	begin(state);
	add_int(1);
	assert_string_equal(message("%*.*%"), "%*.*%");
}

static void conversions_without_a_field_appear_as_they_are(void **state)
{
	(void)state;
	add_int(5);
	assert_string_equal(message("%d %08.3lx and %s, 100%%"), "5 %08.3lx and %s, 100%");
	begin(state);
	assert_string_equal(message("%*d|"), "%*d|");
}

static void fields_without_a_conversion_are_left_out(void **state)
{
	(void)state;
	add_int(5);
	add_int(6);
	assert_string_equal(message("only %d"), "only 5");
	assert_string_equal(message(""), "");
}

static void width_and_precision_are_bounded(void **state)
{
	static const char *const formats[] = { "%99999999999999999999d", "%.99999999999999999999d",
					       "%-4294967297d" };
	size_t i;

	(void)state;
	add_int(5);
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		assert_int_equal(strlen(message(formats[i])), STRATA_MESSAGE_WIDTH_MAX);
	begin(state);
	add_int(INT_MIN);
	add_int(INT_MAX);
	add_double(1e308);
	assert_true(strlen(message("%*.*f")) <= 309 + 1 + STRATA_MESSAGE_WIDTH_MAX);
}

/* The length of a message that has a conversion twelve times. */
static size_t length_of_twelve(const char *conversion)
{
	char format[256] = "";
	int i;

	for (i = 0; i < 12; i++)
		strcat(format, conversion);
	return strlen(message(format));
}

static void the_padding_of_a_message_is_bounded(void **state)
{
	static const char *const formats[] = { "%255d", "%-255d", "%0255d", "%.255d" };
	size_t f, i;

	for (f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
		begin(state);
		for (i = 0; i < 12; i++)
			add_int(5);
		assert_int_equal(length_of_twelve(formats[f]), 12 + STRATA_MESSAGE_PADDING_MAX);
	}
	begin(state);
	for (i = 0; i < 12; i++)
		add_text("x");
	assert_int_equal(length_of_twelve("%255s"), 12 + STRATA_MESSAGE_PADDING_MAX);
	begin(state);
	for (i = 0; i < 12; i++)
		add_double(1.5);
	assert_int_equal(length_of_twelve("%0255.1f"), 12 * 3 + STRATA_MESSAGE_PADDING_MAX);
}

static void values_behind_the_padding_are_whole(void **state)
{
	const char *text;

	(void)state;
	add_int(1);
	add_int(2);
	add_int(0);
	add_int(8);
	add_text("text");
	text = message("%255d%9d|%9d|%#9o|%9s");
	assert_string_equal(text + 255, "  2|0|010|text");
}

static void the_digits_of_floats_are_bounded(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		add_double(2e200);
	/* The first has all its digits, the others their shortest form. */
	assert_int_equal(length_of_twelve("%f"), 201 + 7 + 11 * strlen("2e+200"));
}

static void a_text_instead_of_a_width_is_none(void **state)
{
	(void)state;
	add_text("wide");
	add_int(5);
	assert_string_equal(message("%*d|"), "5|");
}

static void a_long_message_is_cut(void **state)
{
	char format[3 * STRATA_MESSAGE_BYTES_MAX + 1];
	const char *text;

	(void)state;
	memset(format, 'x', sizeof(format) - 1);
	format[sizeof(format) - 1] = '\0';
	format[sizeof(format) / 2] = '%';
	text = message(format);
	assert_int_equal(strlen(text), STRATA_MESSAGE_BYTES_MAX + 3);
	assert_string_equal(text + STRATA_MESSAGE_BYTES_MAX - 1, "x...");
}

static void a_long_text_is_cut_before_the_character_that_crosses_the_limit(void **state)
{
	char long_text[2 * STRATA_MESSAGE_BYTES_MAX];
	const size_t limit = STRATA_MESSAGE_BYTES_MAX;
	const char *text;

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	/* Of a euro sign, two bytes are below the limit. */
	memcpy(long_text + limit - 2, "\xe2\x82\xac", 3);
	add_text(long_text);
	text = message("%s, %s");
	assert_int_equal(strlen(text), limit - 2 + 3);
	assert_string_equal(text + limit - 3, "x...");
}

static void a_message_of_the_limits_length_is_whole(void **state)
{
	char long_text[STRATA_MESSAGE_BYTES_MAX + 1];

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	add_text(long_text);
	assert_string_equal(message("%s"), long_text);
}

static void an_event_that_is_cut_short_shows_the_fields_it_has(void **state)
{
	(void)state;
	add_int(5);
	add_text("gone");
	used -= 2;
	assert_string_equal(message("%d %s"), "5 %s");
}

static void control_characters_are_escaped_in_format_and_fields(void **state)
{
	(void)state;
	add_text("\x1b[31m\n");
	assert_string_equal(message_by("\x1b]0;%s\a \"%%\" \\", strata_message_escape),
			    "\\x1b]0;\\x1b[31m\\x0a\\x07 \"%\" \\\\");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		T(integers_appear_as_printf_writes_them),
		T(longs_keep_their_size),
		T(small_integers_become_an_int),
		T(floats_appear_as_printf_writes_them),
		T(texts_appear_as_printf_writes_them),
		T(stars_take_the_fields_before),
		T(a_value_of_another_type_appears_by_its_own),
		T(pointers_have_their_form),
		T(characters_beyond_ascii_are_utf_8),
		T(n_writes_nothing),
		T(what_is_no_conversion_appears_as_it_is),
		T(letters_without_a_meaning_take_their_fields),
		T(flags_width_and_precision_may_precede_m_and_percent),
		T(conversions_without_a_field_appear_as_they_are),
		T(fields_without_a_conversion_are_left_out),
		T(width_and_precision_are_bounded),
		T(the_padding_of_a_message_is_bounded),
		T(values_behind_the_padding_are_whole),
		T(the_digits_of_floats_are_bounded),
		T(a_text_instead_of_a_width_is_none),
		T(a_long_message_is_cut),
		T(a_long_text_is_cut_before_the_character_that_crosses_the_limit),
		T(a_message_of_the_limits_length_is_whole),
		T(an_event_that_is_cut_short_shows_the_fields_it_has),
		T(control_characters_are_escaped_in_format_and_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
