// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_scalars.c - field classes of CTF 2 that are numbers: bit arrays and maps,
 * booleans, integers of fixed and variable size, floating point numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf/ctf2/ctf2_parser.h"
#include "base/escape.h"

#define INTEGER " preferred-display-base mappings roles"
#define BITS    " type length byte-order bit-order alignment"

static const struct {
	const char *name;
	enum strata_ctf_role role;
} roles[] = {
	{ "packet-magic-number", STRATA_CTF_ROLE_MAGIC },
	{ "data-stream-class-id", STRATA_CTF_ROLE_STREAM_CLASS },
	{ "data-stream-id", STRATA_CTF_ROLE_STREAM },
	{ "packet-total-length", STRATA_CTF_ROLE_PACKET_SIZE },
	{ "packet-content-length", STRATA_CTF_ROLE_CONTENT_SIZE },
	{ "default-clock-timestamp", STRATA_CTF_ROLE_TIME },
	{ "packet-end-default-clock-timestamp", STRATA_CTF_ROLE_END_TIME },
	{ "discarded-event-record-counter-snapshot", STRATA_CTF_ROLE_DISCARDED },
	{ "packet-sequence-number", STRATA_CTF_ROLE_SEQUENCE },
	{ "event-record-class-id", STRATA_CTF_ROLE_EVENT_CLASS },
};

static int parse_roles(struct strata_ctf2_parser *parser, struct json_object *object,
		       struct strata_tsdl_type *type)
{
	struct json_object *array;
	char shown[128];
	size_t i, j;

	if (strata_ctf2_get(parser, object, "roles", json_type_array, false, &array))
		return -1;
	for (i = 0; array && i < json_object_array_length(array); i++) {
		struct json_object *name = json_object_array_get_idx(array, i);

		if (!json_object_is_type(name, json_type_string))
			return strata_ctf2_fail(parser, "a role must be a string");
		for (j = 0; j < sizeof(roles) / sizeof(roles[0]); j++) {
			if (strcmp(roles[j].name, json_object_get_string(name)) == 0)
				break;
		}
		if (j == sizeof(roles) / sizeof(roles[0]))
			return strata_ctf2_fail(parser, "an integer cannot have the role %s",
						strata_escape_name(shown, sizeof(shown),
								   json_object_get_string(name)));
		type->roles |= (uint16_t)roles[j].role;
	}
	if (type->roles & STRATA_CTF_ROLE_MAGIC &&
	    (type->kind == STRATA_CTF_VARINT || type->bits != 32))
		return strata_ctf2_fail(parser, "a packet-magic-number must be an integer of fixed "
						"length, of 32 bits");
	return 0;
}

static int compare_unsigned(const void *a, const void *b)
{
	const struct strata_ctf_label *left = a, *right = b;

	return (left->low > right->low) - (left->low < right->low);
}

static int compare_signed(const void *a, const void *b)
{
	const int64_t left = (int64_t)((const struct strata_ctf_label *)a)->low;
	const int64_t right = (int64_t)((const struct strata_ctf_label *)b)->low;

	return (left > right) - (left < right);
}

static bool is_above(bool is_signed, uint64_t a, uint64_t b)
{
	return is_signed ? (int64_t)a > (int64_t)b : a > b;
}

/* Sorts the ranges of one name and joins overlapping ones, because a name is shown once. Returns
 * the number of the remaining ranges, or -1. */
static int64_t merge_ranges(struct strata_ctf2_parser *parser, struct strata_ctf_label *ranges,
			    size_t nr, bool is_signed)
{
	size_t i, last = 0;

	for (i = 0; i < nr; i++) {
		if (is_above(is_signed, ranges[i].low, ranges[i].high))
			return strata_ctf2_fail(parser,
						"a range of \"%.100s\" ends before it begins",
						ranges[i].name);
	}
	qsort(ranges, nr, sizeof(*ranges), is_signed ? compare_signed : compare_unsigned);
	for (i = 1; i < nr; i++) {
		if (is_above(is_signed, ranges[i].low, ranges[last].high))
			ranges[++last] = ranges[i];
		else if (is_above(is_signed, ranges[i].high, ranges[last].high))
			ranges[last].high = ranges[i].high;
	}
	return (int64_t)last + 1;
}

/* { "NAME": [[low, high], ...], ... } */
static int parse_labels(struct strata_ctf2_parser *parser, struct json_object *names,
			struct strata_tsdl_type *type)
{
	struct strata_ctf_label *labels = NULL, *all;
	size_t nr_all = 0, nr = 0;

	json_object_object_foreach (names, counted, value) {
		(void)counted;
		if (json_object_is_type(value, json_type_array))
			nr_all += json_object_array_length(value);
	}
	all = strata_tsdl_get(parser->source, nr_all, sizeof(*all));
	if (!all)
		return -1;
	json_object_object_foreach (names, key, array) {
		struct json_object *string = json_object_new_string(key);
		const char *name = string ? strata_ctf2_name(parser, string) : NULL;
		size_t i, nr_ranges;
		int64_t left;

		json_object_put(string);
		if (!name || strata_ctf2_ranges(parser, array, &labels, &nr_ranges))
			return -1;
		for (i = 0; i < nr_ranges; i++)
			labels[i].name = name;
		left = merge_ranges(parser, labels, nr_ranges, type->is_signed);
		if (left < 0)
			return -1;
		memcpy(&all[nr], labels, (size_t)left * sizeof(*all));
		nr += (size_t)left;
	}
	type->label_array = all;
	type->nr_labels = nr;
	return 0;
}

static int parse_integer(struct strata_ctf2_parser *parser, struct json_object *object,
			 struct strata_tsdl_type *type)
{
	struct json_object *mappings;
	uint64_t base = 10;

	if (strata_ctf2_get_uint(parser, object, "preferred-display-base", false, 2, 16, &base))
		return -1;
	if (base != 2 && base != 8 && base != 10 && base != 16)
		return strata_ctf2_fail(parser,
					"\"preferred-display-base\" must be 2, 8, 10 or 16");
	type->base = (uint8_t)base;
	if (strata_ctf2_get(parser, object, "mappings", json_type_object, false, &mappings) ||
	    (mappings && parse_labels(parser, mappings, type)))
		return -1;
	if (type->nr_labels && type->kind == STRATA_CTF_INTEGER)
		type->kind = STRATA_CTF_ENUM;
	if (!type->is_signed)
		return parse_roles(parser, object, type);
	return json_object_object_get_ex(object, "roles", NULL)
		       ? strata_ctf2_fail(parser, "integers with a sign cannot have roles")
		       : 0;
}

static int parse_flags(struct strata_ctf2_parser *parser, struct json_object *object,
		       struct strata_tsdl_type *type)
{
	struct json_object *flags;
	size_t i;

	if (strata_ctf2_get(parser, object, "flags", json_type_object, true, &flags))
		return -1;
	if (!json_object_object_length(flags))
		return strata_ctf2_fail(parser, "a bit map must have one flag or more");
	if (parse_labels(parser, flags, type))
		return -1;
	for (i = 0; i < type->nr_labels; i++) {
		if (type->label_array[i].high >= type->bits)
			return strata_ctf2_fail(parser,
						"the flag \"%.100s\" is of bit %llu, but there are "
						"only %u",
						type->label_array[i].name,
						(unsigned long long)type->label_array[i].high,
						type->bits);
	}
	type->is_bit_map = true;
	return 0;
}

/* Reads the properties that all numbers of fixed size have. */
static int parse_layout(struct strata_ctf2_parser *parser, struct json_object *object,
			struct strata_tsdl_type *type)
{
	static const char *const byte_orders[] = { "little-endian", "big-endian", NULL };
	static const char *const bit_orders[] = { "first-to-last", "last-to-first", NULL };
	unsigned int byte_order = 0, bit_order;
	uint64_t bits = 0;

	if (strata_ctf2_get_uint(parser, object, "length", true, 1, 64, &bits) ||
	    strata_ctf2_get_word(parser, object, "byte-order", true, byte_orders, &byte_order))
		return -1;
	bit_order = byte_order;
	if (strata_ctf2_get_word(parser, object, "bit-order", false, bit_orders, &bit_order) ||
	    strata_ctf2_get_align(parser, object, "alignment", &type->align))
		return -1;
	type->bits = (uint8_t)bits;
	type->order = byte_order ? STRATA_TSDL_BIG_ENDIAN : STRATA_TSDL_LITTLE_ENDIAN;
	type->is_reversed = bit_order != byte_order;
	type->base = 16;
	return 0;
}

int strata_ctf2_parse_bits(struct strata_ctf2_parser *parser, struct json_object *object,
			   struct strata_tsdl_type *type, const char *name)
{
	if (strcmp(name, "integer") == 0)
		return strata_ctf2_check(parser, object, BITS INTEGER " ") ||
				       parse_layout(parser, object, type) ||
				       parse_integer(parser, object, type)
			       ? -1
			       : 0;
	if (strata_ctf2_check(parser, object,
			      strcmp(name, "bit-map") == 0 ? BITS " flags " : BITS " ") ||
	    parse_layout(parser, object, type))
		return -1;
	if (strcmp(name, "bit-map") == 0)
		return parse_flags(parser, object, type);
	if (strcmp(name, "boolean") == 0) {
		type->is_bool = true;
		type->base = 10;
	}
	if (type->kind == STRATA_CTF_FLOAT && type->bits != 32 && type->bits != 64)
		return strata_ctf2_fail(parser,
					"a floating point number of %u bits: only those of 32 and "
					"64 can be read",
					type->bits);
	return 0;
}

int strata_ctf2_parse_varint(struct strata_ctf2_parser *parser, struct json_object *object,
			     struct strata_tsdl_type *type, bool is_signed)
{
	type->align = 8;
	type->bits = 64;
	type->is_signed = is_signed;
	return strata_ctf2_check(parser, object, " type" INTEGER " ") ||
			       parse_integer(parser, object, type)
		       ? -1
		       : 0;
}
