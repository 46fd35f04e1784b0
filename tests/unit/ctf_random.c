// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_random.c - see ctf_random.h. */
#include "ctf_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/value_hash.h"

#define FIELDS_MAX 6u
#define DEPTH_MAX  4u

enum kind { NUMBER, REAL, STRING, TEXT, STRUCT, ARRAY, SEQUENCE, VARIANT, NR_KINDS };

struct random_type {
	enum kind kind;
	uint64_t align; /* bits; of a structure its own and its fields' */
	uint64_t own_align;
	unsigned int bits;
	bool is_signed, big_endian;
	unsigned int length;                   /* of an array; of a sequence at most */
	bool is_text;                          /* an array's or sequence's elements are */
	unsigned int nr;                       /* fields or options */
	struct random_type *inner[FIELDS_MAX]; /* or the element */
	struct random_type *tag;               /* a sequence's length, a variant's tag */
};

static unsigned int below(uint64_t *seed, unsigned int limit)
{
	return (unsigned int)(maker_random(seed) >> 20) % limit;
}

static struct random_type *make(enum kind kind)
{
	struct random_type *type = calloc(1, sizeof(*type));

	assert_non_null(type);
	type->kind = kind;
	type->align = 1;
	return type;
}

/* Numbers of other than whole bytes are of the one byte order: two of different orders cannot
 * share a byte. */
static struct random_type *make_number(uint64_t *seed, bool big_endian)
{
	struct random_type *type = make(NUMBER);

	type->big_endian = big_endian;
	type->is_signed = below(seed, 2);
	if (below(seed, 3)) {
		type->bits = 8u << below(seed, 4);
		type->align = below(seed, 5) ? 8u : 8u << below(seed, 5);
		if (below(seed, 4) == 0)
			type->big_endian = !big_endian;
	} else {
		type->bits = 1 + below(seed, 64);
		type->align = 1u << below(seed, 6);
	}
	/* The next may share a byte with it. */
	if (type->bits % 8)
		type->big_endian = big_endian;
	return type;
}

static struct random_type *make_any(uint64_t *seed, bool big_endian, unsigned int depth);

/* Describes a field within a structure of its own, with the fields that it refers to. */
static uint64_t align_of(const struct random_type *type)
{
	return type->tag && type->tag->align > type->align ? type->tag->align : type->align;
}

static void take_in(struct random_type *type, struct random_type *inner)
{
	if (type->kind != VARIANT && type->align < align_of(inner))
		type->align = align_of(inner);
	type->inner[type->nr++] = inner;
}

static struct random_type *make_struct(uint64_t *seed, bool big_endian, unsigned int depth)
{
	struct random_type *type = make(STRUCT);
	unsigned int nr = below(seed, FIELDS_MAX + 1);

	if (below(seed, 4) == 0)
		type->own_align = type->align = 1u << below(seed, 8);
	while (nr--)
		take_in(type, make_any(seed, big_endian, depth + 1));
	return type;
}

static bool may_take_no_room(const struct random_type *type)
{
	unsigned int i;

	if (type->kind == ARRAY)
		return type->length == 0 || may_take_no_room(type->inner[0]);
	if (type->kind != STRUCT)
		return false;
	for (i = 0; i < type->nr; i++) {
		if (!may_take_no_room(type->inner[i]))
			return false;
	}
	return true;
}

static struct random_type *make_list(uint64_t *seed, bool big_endian, unsigned int depth,
				     enum kind kind)
{
	struct random_type *type = make(kind), *element = make_any(seed, big_endian, depth + 1);

	/* Readers need not look at elements without room as often as there are said to be. */
	if (may_take_no_room(element)) {
		random_type_free(element);
		element = make_number(seed, big_endian);
	}
	type->length = below(seed, 6);
	take_in(type, element);
	if (kind != SEQUENCE)
		return type;
	type->tag = make_number(seed, big_endian);
	type->tag->is_signed = false;
	if (type->tag->bits < 3)
		type->length = 1;
	return type;
}

static struct random_type *make_text(uint64_t *seed, bool big_endian)
{
	struct random_type *type =
		make_list(seed, big_endian, DEPTH_MAX, below(seed, 2) ? ARRAY : SEQUENCE);
	struct random_type *element = type->inner[0];

	if (type->length == 0)
		type->length = 1;
	type->is_text = true;
	element->bits = 8;
	element->align = type->align = 8;
	element->is_signed = false;
	return type;
}

static struct random_type *make_variant(uint64_t *seed, bool big_endian, unsigned int depth)
{
	struct random_type *type = make(VARIANT);
	unsigned int nr = 1 + below(seed, 3);

	while (nr--)
		take_in(type, make_any(seed, big_endian, depth + 1));
	type->tag = make_number(seed, big_endian);
	if (type->tag->bits < 4)
		type->tag->bits = 4;
	return type;
}

static struct random_type *make_any(uint64_t *seed, bool big_endian, unsigned int depth)
{
	const enum kind kind = depth >= DEPTH_MAX ? NUMBER : (enum kind)below(seed, NR_KINDS + 3);
	struct random_type *type;

	switch (kind) {
	case REAL:
		type = make(REAL);
		type->bits = 32u << below(seed, 2);
		type->align = below(seed, 2) ? 8 : type->bits;
		type->big_endian = big_endian;
		return type;
	case STRING:
		type = make(STRING);
		type->align = 8;
		return type;
	case TEXT:
		return make_text(seed, big_endian);
	case STRUCT:
		return make_struct(seed, big_endian, depth);
	case ARRAY:
	case SEQUENCE:
		return make_list(seed, big_endian, depth, kind);
	case VARIANT:
		return make_variant(seed, big_endian, depth);
	default:
		return make_number(seed, big_endian);
	}
}

struct random_type *random_type_make(uint64_t *seed, bool big_endian)
{
	return make_struct(seed, big_endian, 0);
}

void random_type_free(struct random_type *type)
{
	unsigned int i;

	if (!type)
		return;
	for (i = 0; i < type->nr; i++)
		random_type_free(type->inner[i]);
	random_type_free(type->tag);
	free(type);
}

/* In TSDL ------------------------------------------------------------------------------------- */

struct text {
	char *at;
	size_t left;
	unsigned int names;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->at, text->left, format, args);
	va_end(args);
	assert_true(length >= 0 && (size_t)length < text->left);
	text->at += length;
	text->left -= (size_t)length;
}

static void tell_integer(struct text *text, const struct random_type *type, bool is_text)
{
	say(text, "integer { size = %u; align = %llu; signed = %d; byte_order = %s; %s}",
	    type->bits, (unsigned long long)type->align, type->is_signed,
	    type->big_endian ? "be" : "le", is_text ? "encoding = UTF8; " : "");
}

static void tell_struct(struct text *text, const struct random_type *type);

/* A field, and before it those that it refers to. */
static void tell_field(struct text *text, const struct random_type *type, const char *name)
{
	const unsigned int number = text->names++;
	unsigned int i;
	char own[32];

	snprintf(own, sizeof(own), "f%u", number);
	if (!name)
		name = own;
	switch (type->kind) {
	case NUMBER:
		tell_integer(text, type, false);
		say(text, " %s; ", name);
		break;
	case REAL:
		say(text,
		    "floating_point { exp_dig = %d; mant_dig = %d; align = %llu; byte_order = %s; } "
		    "%s; ",
		    type->bits == 32 ? 8 : 11, type->bits == 32 ? 24 : 53,
		    (unsigned long long)type->align, type->big_endian ? "be" : "le", name);
		break;
	case STRING:
		say(text, "string %s; ", name);
		break;
	case STRUCT:
		tell_struct(text, type);
		say(text, " %s; ", name);
		break;
	case ARRAY:
	case SEQUENCE:
		if (type->kind == SEQUENCE) {
			tell_integer(text, type->tag, false);
			say(text, " n%u; ", number);
		}
		if (type->is_text) {
			tell_integer(text, type->inner[0], true);
		} else {
			/* An element of any type is a structure of one field. */
			say(text, "struct { ");
			tell_field(text, type->inner[0], NULL);
			say(text, "}");
		}
		if (type->kind == SEQUENCE)
			say(text, " %s[n%u]; ", name, number);
		else
			say(text, " %s[%u]; ", name, type->length);
		break;
	case VARIANT:
		say(text, "enum : ");
		tell_integer(text, type->tag, false);
		say(text, " { ");
		for (i = 0; i < type->nr; i++)
			say(text, "o%u = %u ... %u, ", i, i * 2, i * 2 + 1);
		say(text, "} t%u; variant <t%u> { ", number, number);
		for (i = 0; i < type->nr; i++) {
			snprintf(own, sizeof(own), "o%u", i);
			say(text, "struct { ");
			tell_field(text, type->inner[i], NULL);
			say(text, "} %s; ", own);
		}
		snprintf(own, sizeof(own), "f%u", number);
		say(text, "} %s; ", own);
		break;
	default:
		fail();
	}
}

static void tell_struct(struct text *text, const struct random_type *type)
{
	unsigned int i;

	say(text, "struct { ");
	for (i = 0; i < type->nr; i++)
		tell_field(text, type->inner[i], NULL);
	say(text, "}");
	if (type->own_align)
		say(text, " align(%llu)", (unsigned long long)type->own_align);
}

void random_type_tell(const struct random_type *type, char *to, size_t size)
{
	const size_t used = strlen(to);
	struct text text = { to + used, size - used, 0 };

	tell_struct(&text, type);
}

/* In bits ------------------------------------------------------------------------------------- */

static uint64_t put_number(const struct random_type *type, struct bits *bits, uint64_t value,
			   uint64_t hash)
{
	const bool order = bits->big_endian;

	bits_align(bits, type->align);
	bits->big_endian = type->big_endian;
	bits_put(bits, value, type->bits);
	bits->big_endian = order;
	if (type->bits < 64) {
		value &= (1ull << type->bits) - 1;
		if (type->is_signed && value >> (type->bits - 1))
			value |= UINT64_MAX << type->bits;
	}
	return strata_hash_number(hash, value);
}

static uint64_t put_text(struct bits *bits, unsigned int length, uint64_t *seed, uint64_t hash)
{
	char text[16];
	unsigned int i;

	for (i = 0; i < length; i++)
		text[i] = (char)(below(seed, 4) ? 'a' + below(seed, 26) : 0);
	text[length] = '\0';
	bits_put_bytes(bits, text, length);
	return strata_hash_bytes(hash, text, strlen(text));
}

static uint64_t put_list(const struct random_type *type, struct bits *bits, uint64_t *seed,
			 uint64_t hash)
{
	unsigned int length = type->length, i;

	if (type->kind == SEQUENCE) {
		length = below(seed, length + 1);
		hash = put_number(type->tag, bits, length, hash);
	}
	bits_align(bits, type->align);
	if (type->is_text)
		return put_text(bits, length, seed, hash);
	if (type->kind == SEQUENCE)
		hash = strata_hash_number(hash, length);
	for (i = 0; i < length; i++) {
		bits_align(bits, type->align);
		hash = random_type_put(type->inner[0], bits, seed, hash);
	}
	return hash;
}

uint64_t random_type_put(const struct random_type *type, struct bits *bits, uint64_t *seed,
			 uint64_t hash)
{
	char text[24];
	unsigned int i;

	switch (type->kind) {
	case NUMBER:
		return put_number(type, bits, maker_random(seed), hash);
	case REAL:
		/* No NaN: babeltrace2 makes another one of some. */
		return put_number(type, bits, maker_random(seed) & ~(1ull << (type->bits - 2)),
				  hash);
	case STRING:
		for (i = 0; i < 20 && below(seed, 8); i++)
			text[i] = (char)(1 + below(seed, 255));
		text[i] = '\0';
		bits_put_bytes(bits, text, i + 1);
		return strata_hash_bytes(hash, text, i);
	case STRUCT:
		bits_align(bits, type->align);
		for (i = 0; i < type->nr; i++)
			hash = random_type_put(type->inner[i], bits, seed, hash);
		return hash;
	case ARRAY:
	case SEQUENCE:
		return put_list(type, bits, seed, hash);
	case VARIANT:
		i = below(seed, type->nr);
		hash = put_number(type->tag, bits, i * 2 + below(seed, 2), hash);
		bits_align(bits, align_of(type->inner[i]));
		return random_type_put(type->inner[i], bits, seed, hash);
	default:
		fail();
	}
	return 0;
}
