// SPDX-License-Identifier: GPL-2.0-or-later
/* message_value.c - see message_value.h. */
#include "outputs/message_value.h"

#include <stdio.h>

#include "outputs/message.h"

#define FLOAT_PRECISION_MAX 64
#define FLOAT_BYTES         512u /* 1e308 has 309 digits before the point */
#define FLOAT_FREE_BYTES    64u  /* of a number; what is longer counts as padding */
#define INT_BITS            32u  /* what smaller integers become as arguments */

/* Reading ------------------------------------------------------------------------------------- */

static const char *read_flags(const char *at, struct strata_conversion *conversion)
{
	for (;; at++) {
		switch (*at) {
		case '-':
			conversion->left = true;
			break;
		case '+':
			conversion->plus = true;
			break;
		case ' ':
			conversion->space = true;
			break;
		case '#':
			conversion->alternative = true;
			break;
		case '0':
			conversion->zeros = true;
			break;
		case '\'':
		case 'I':
			break;
		default:
			return at;
		}
	}
}

/* Digits, or a star. */
static const char *read_number(const char *at, unsigned int *number, bool *is_taken)
{
	if (*at == '*') {
		*is_taken = true;
		return at + 1;
	}
	for (; *at >= '0' && *at <= '9'; at++) {
		*number = *number * 10 + (unsigned int)(*at - '0');
		if (*number > STRATA_MESSAGE_WIDTH_MAX)
			*number = STRATA_MESSAGE_WIDTH_MAX;
	}
	return at;
}

static const char *read_size(const char *at, struct strata_conversion *conversion)
{
	for (; *at && strchr("hlLqjzt", *at); at++) {
		if (*at == 'h')
			conversion->bits = conversion->bits == 16 ? 8 : 16;
		conversion->is_wide |= *at == 'l';
	}
	return at;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *strata_conversion_read(const char *text, struct strata_conversion *conversion)
{
	const char *at;

	memset(conversion, 0, sizeof(*conversion));
	at = read_flags(text + 1, conversion);
	at = read_number(at, &conversion->width, &conversion->takes_width);
	if (*at == '.') {
		conversion->has_precision = true;
		at = read_number(at + 1, &conversion->precision, &conversion->takes_precision);
	}
	at = read_size(at, conversion);
	if (!is_letter(*at) && *at != '%')
		return NULL;
	conversion->letter = *at++;
	conversion->text = text;
	conversion->bytes = (size_t)(at - text);
	return at;
}

bool strata_conversion_is_complete(const struct strata_conversion *conversion)
{
	return !conversion->takes_width && !conversion->takes_precision &&
	       (conversion->letter == '%' || conversion->letter == 'm');
}

static bool is_integer(const struct strata_message_value *value)
{
	return value->type && value->type->kind != STRATA_CTF_FLOAT;
}

bool strata_conversion_take_star(struct strata_conversion *conversion,
				 const struct strata_message_value *value)
{
	const int64_t number = is_integer(value) ? (int64_t)value->number : 0;
	const bool is_negative = number < 0 && value->type->is_signed;
	const uint64_t size = is_negative ? 0 - (uint64_t)number : (uint64_t)number;
	const unsigned int bounded = size < STRATA_MESSAGE_WIDTH_MAX ? (unsigned int)size
								     : STRATA_MESSAGE_WIDTH_MAX;

	if (conversion->takes_width) {
		conversion->takes_width = false;
		conversion->left |= is_negative;
		conversion->width = bounded;
		return true;
	}
	if (conversion->takes_precision) {
		conversion->takes_precision = false;
		conversion->has_precision = !is_negative && is_integer(value);
		conversion->precision = bounded;
		return true;
	}
	return false;
}

/* Writing ------------------------------------------------------------------------------------- */

/* Takes up to @wanted characters of what the message may still have of padding. */
static size_t take_padding(struct strata_message_text *out, size_t wanted)
{
	const size_t taken = wanted < out->padding ? wanted : out->padding;

	out->padding -= taken;
	return taken;
}

/* Writes a text, @zeros of the digit zero behind its first @prefix bytes, in a column of the
 * conversion's width. */
static void put_padded(struct strata_message_text *out, const struct strata_conversion *conversion,
		       const char *text, size_t length, size_t prefix, size_t zeros)
{
	const size_t all = length + zeros;
	const size_t spaces =
		take_padding(out, conversion->width > all ? conversion->width - all : 0);
	char *at = strata_buffer_room(out->buffer, all + spaces);

	if (!at)
		return;
	if (!conversion->left) {
		memset(at, ' ', spaces);
		at += spaces;
	}
	at = strata_put_bytes(at, text, prefix);
	memset(at, '0', zeros);
	at = strata_put_bytes(at + zeros, text + prefix, length - prefix);
	if (conversion->left) {
		memset(at, ' ', spaces);
		at += spaces;
	}
	strata_buffer_advance(out->buffer, at);
}

/* Digits in base 8, 10 or 16; none for 0.  Returns their end. */
static char *put_digits(char *out, uint64_t number, unsigned int base, bool capital)
{
	const char *digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
	char reversed[24];
	size_t nr = 0;

	for (; number; number /= base)
		reversed[nr++] = digits[number % base];
	while (nr)
		*out++ = reversed[--nr];
	return out;
}

static unsigned int base_of(char letter)
{
	if (letter == 'o')
		return 8;
	return letter == 'x' || letter == 'X' || letter == 'p' ? 16 : 10;
}

/* Sign, prefix and digits.  @prefix: OUT, bytes before the digits.  Returns the end. */
static char *put_integer_text(char *out, const struct strata_conversion *conversion,
			      uint64_t number, bool is_signed, size_t *prefix)
{
	const bool is_negative = is_signed && (int64_t)number < 0;
	const unsigned int base = base_of(conversion->letter);
	const char *start = out;

	if (is_negative)
		*out++ = '-';
	else if (is_signed && (conversion->plus || conversion->space))
		*out++ = conversion->plus ? '+' : ' ';
	if (base == 16 && number && (conversion->alternative || conversion->letter == 'p')) {
		*out++ = '0';
		*out++ = conversion->letter == 'X' ? 'X' : 'x';
	}
	*prefix = (size_t)(out - start);
	return put_digits(out, is_negative ? 0 - number : number, base, conversion->letter == 'X');
}

/* An integer as C passes it: smaller ones become an int, and h and hh cut it. */
static uint64_t as_argument(const struct strata_conversion *conversion,
			    const struct strata_message_value *value, bool is_signed)
{
	unsigned int bits = value->type->bits < INT_BITS ? INT_BITS : value->type->bits;

	if (conversion->bits)
		bits = conversion->bits;
	if (is_signed)
		return strata_ctf_sign_extend(value->number, bits);
	return value->number & (UINT64_MAX >> (64 - bits));
}

static void put_integer(struct strata_message_text *out, const struct strata_conversion *conversion,
			const struct strata_message_value *value)
{
	const bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
	size_t prefix, digits, zeros, own;
	size_t wanted = conversion->has_precision ? conversion->precision : 1;
	char text[2 * STRATA_PUT_BYTES];
	const char *end = put_integer_text(
		text, conversion, as_argument(conversion, value, is_signed), is_signed, &prefix);
	const size_t length = (size_t)(end - text);

	digits = length - prefix;
	if (conversion->letter == 'o' && conversion->alternative && wanted <= digits)
		wanted = digits + 1;
	if (conversion->zeros && !conversion->left && !conversion->has_precision &&
	    conversion->width > prefix + wanted)
		wanted = conversion->width - prefix;
	zeros = wanted > digits ? wanted - digits : 0;
	/* The digit of 0 and the mark of octal are no padding. */
	own = zeros && (!digits || (conversion->letter == 'o' && conversion->alternative));
	zeros = own + take_padding(out, zeros - own);
	put_padded(out, conversion, text, length, prefix, zeros);
}

static void put_text(struct strata_message_text *out, const struct strata_conversion *conversion,
		     const struct strata_message_value *value)
{
	size_t length = value->length;

	if (conversion->has_precision && length > conversion->precision)
		length = conversion->precision;
	put_padded(out, conversion, value->text, length, 0, 0);
}

/* UTF-8 of a wide character that is one.  Returns its end. */
static char *put_wide(char *out, uint64_t code)
{
	if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*out++ = (char)(0xe0 | code >> 12);
		} else {
			*out++ = (char)(0xf0 | code >> 18);
			*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (code & 0x3f));
	return out;
}

/* A zero byte ends a text: it is left out. */
static void put_character(struct strata_message_text *out,
			  const struct strata_conversion *conversion,
			  const struct strata_message_value *value)
{
	const bool is_wide = conversion->is_wide || conversion->letter == 'C';
	char text[4], *end = text;

	if (is_wide && value->number >= 0x80 && value->number < 0x110000)
		end = put_wide(end, value->number);
	else if ((uint8_t)value->number)
		*end++ = (char)value->number;
	put_padded(out, conversion, text, (size_t)(end - text), 0, 0);
}

static void put_pointer(struct strata_message_text *out, const struct strata_conversion *conversion,
			const struct strata_message_value *value)
{
	char text[STRATA_PUT_BYTES];
	const char *end = value->number ? strata_put_hex(text, value->number)
					: strata_put_text(text, "(nil)");

	put_padded(out, conversion, text, (size_t)(end - text), 0, 0);
}

/* A value that the conversion cannot show, by its own type. */
static void put_by_type(struct strata_message_text *out, const struct strata_conversion *conversion,
			const struct strata_message_value *value)
{
	const struct strata_ctf_type *type = value->type;
	char text[2 * STRATA_PUT_BYTES];
	const char *end;

	if (!type) {
		put_padded(out, conversion, value->text, value->length, 0, 0);
		return;
	}
	if (type->kind == STRATA_CTF_FLOAT)
		end = strata_put_float(text, strata_float_of_bits(value->number, type->bits == 32),
				       type->bits == 32);
	else if (type->base == 16)
		end = strata_put_hex(text, value->number & (UINT64_MAX >> (64 - type->bits)));
	else
		end = type->is_signed ? strata_put_signed(text, (int64_t)value->number)
				      : strata_put_decimal(text, value->number);
	put_padded(out, conversion, text, (size_t)(end - text), 0, 0);
}

/* The C library writes it, by a format of our own from the conversion's checked parts.
 * Returns the length. */
static size_t put_float_text(char *text, size_t size, const struct strata_conversion *conversion,
			     size_t width, const struct strata_message_value *value)
{
	char format[16], *out = format;
	/* A negative one counts as none. */
	int precision = -1, length;

	if (conversion->has_precision)
		precision = conversion->precision < FLOAT_PRECISION_MAX ? (int)conversion->precision
									: FLOAT_PRECISION_MAX;
	*out++ = '%';
	if (conversion->left)
		*out++ = '-';
	if (conversion->plus)
		*out++ = '+';
	if (conversion->space)
		*out++ = ' ';
	if (conversion->alternative)
		*out++ = '#';
	if (conversion->zeros)
		*out++ = '0';
	out = strata_put_bytes(out, "*.*", 3);
	*out++ = conversion->letter;
	*out = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	length = snprintf(text, size, format, (int)width, precision,
			  strata_float_of_bits(value->number, value->type->bits == 32));
#pragma GCC diagnostic pop
	return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

/* A number of many digits takes from the message's padding; what does not fit appears by its own
 * type, which is short. */
static void put_float(struct strata_message_text *out, const struct strata_conversion *conversion,
		      const struct strata_message_value *value)
{
	char text[FLOAT_BYTES + STRATA_MESSAGE_WIDTH_MAX];
	size_t length = put_float_text(text, sizeof(text), conversion, 0, value);
	const size_t counted = length > FLOAT_FREE_BYTES ? length - FLOAT_FREE_BYTES : 0;

	if (counted > out->padding) {
		put_by_type(out, conversion, value);
		return;
	}
	take_padding(out, counted);
	if (conversion->width > length) {
		length += take_padding(out, conversion->width - length);
		length = put_float_text(text, sizeof(text), conversion, length, value);
	}
	strata_buffer_put(out->buffer, text, length);
}

void strata_message_value_put(struct strata_message_text *out,
			      const struct strata_conversion *conversion,
			      const struct strata_message_value *value)
{
	const char letter = conversion->letter;
	const bool has_integer = is_integer(value);

	if (letter == 'n')
		return;
	if (has_integer && strchr("diuoxX", letter))
		put_integer(out, conversion, value);
	else if (has_integer && (letter == 'c' || letter == 'C'))
		put_character(out, conversion, value);
	else if (has_integer && letter == 'p')
		put_pointer(out, conversion, value);
	else if (!value->type && (letter == 's' || letter == 'S'))
		put_text(out, conversion, value);
	else if (value->type && !has_integer && strchr("fFeEgGaA", letter))
		put_float(out, conversion, value);
	else
		put_by_type(out, conversion, value);
}
