// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_value.c - see filter_value.h. */
#include "filter/filter_value.h"

#include <string.h>

#include <strata/glob.h>

#include "ctf/values/fields.h"
#include "symbols/symbols.h"

enum order { BEFORE, SAME, BEHIND, NO_ORDER };

static enum order order_integers(const struct strata_value *left, const struct strata_value *right)
{
	if (left->is_negative != right->is_negative)
		return left->is_negative ? BEFORE : BEHIND;
	/* Two negative numbers also compare like their bits. */
	if (left->number == right->number)
		return SAME;
	return left->number < right->number ? BEFORE : BEHIND;
}

static enum order order_reals(double left, double right)
{
	if (left < right)
		return BEFORE;
	if (left > right)
		return BEHIND;
	return left == right ? SAME : NO_ORDER;
}

/* Compares exactly: a real number in the range of integers truncates to an integer without loss. */
static enum order order_mixed(const struct strata_value *integer, double real)
{
	__extension__ __int128 exact = integer->number, whole;

	if (real >= 0x1p64)
		return BEFORE;
	if (real < -0x1p63)
		return BEHIND;
	if (real != real)
		return NO_ORDER;
	if (integer->is_negative)
		exact = (int64_t)integer->number;
	whole = (__int128)real;
	if (exact != whole)
		return exact < whole ? BEFORE : BEHIND;
	return order_reals((double)whole, real);
}

static enum order mirrored(enum order order)
{
	return order == BEFORE ? BEHIND : order == BEHIND ? BEFORE : order;
}

static enum order order_numbers(const struct strata_value *left, const struct strata_value *right)
{
	if (left->kind == STRATA_VALUE_INTEGER && right->kind == STRATA_VALUE_INTEGER)
		return order_integers(left, right);
	if (left->kind == STRATA_VALUE_INTEGER)
		return order_mixed(left, right->real);
	if (right->kind == STRATA_VALUE_INTEGER)
		return mirrored(order_mixed(right, left->real));
	return order_reals(left->real, right->real);
}

static bool has_comparison(enum order order, enum strata_comparison comparison)
{
	switch (comparison) {
	case STRATA_EQUAL:
		return order == SAME;
	case STRATA_NOT_EQUAL:
		return order != SAME;
	case STRATA_LESS:
		return order == BEFORE;
	case STRATA_LESS_OR_EQUAL:
		return order == BEFORE || order == SAME;
	case STRATA_GREATER:
		return order == BEHIND;
	case STRATA_GREATER_OR_EQUAL:
		return order == BEHIND || order == SAME;
	}
	return false;
}

static bool is_number(enum strata_value_kind kind)
{
	return kind == STRATA_VALUE_INTEGER || kind == STRATA_VALUE_REAL;
}

/* With or without its offset. */
static bool symbol_fits(const char *symbol, const struct strata_value *pattern)
{
	return strata_glob_fits(pattern->text, pattern->bytes, symbol, strlen(symbol)) ||
	       strata_glob_fits(pattern->text, pattern->bytes, symbol, strcspn(symbol, "+"));
}

static bool label_fits(const struct strata_value *integer, const struct strata_value *pattern)
{
	const char *label;
	char symbol[STRATA_SYMBOL_BYTES];
	size_t at = 0;

	while (integer->labels &&
	       (label = strata_enum_next_label(integer->labels, integer->number, &at))) {
		if (strata_glob_fits(pattern->text, pattern->bytes, label, strlen(label)))
			return true;
	}
	if (integer->symbols && strata_symbols_name(integer->symbols, integer->number, symbol) &&
	    symbol_fits(symbol, pattern))
		return true;
	at = 0;
	while (integer->names &&
	       (label = strata_number_names_at(integer->names, integer->number, &at))) {
		if (strata_glob_fits(pattern->text, pattern->bytes, label, strlen(label)))
			return true;
	}
	return false;
}

static bool texts_are_equal(const struct strata_value *left, const struct strata_value *right)
{
	if (left->kind == STRATA_VALUE_PATTERN)
		return strata_glob_fits(left->text, left->bytes, right->text, right->bytes);
	if (right->kind == STRATA_VALUE_PATTERN)
		return strata_glob_fits(right->text, right->bytes, left->text, left->bytes);
	return left->bytes == right->bytes && memcmp(left->text, right->text, left->bytes) == 0;
}

bool strata_value_kinds_fit(enum strata_value_kind left, enum strata_comparison comparison,
			    enum strata_value_kind right, bool labels)
{
	const bool is_text = !is_number(left) && !is_number(right);

	if (left == STRATA_VALUE_NONE || right == STRATA_VALUE_NONE)
		return false;
	if (is_number(left) && is_number(right))
		return true;
	if (comparison != STRATA_EQUAL && comparison != STRATA_NOT_EQUAL)
		return false;
	if (is_text)
		return left != STRATA_VALUE_PATTERN || right != STRATA_VALUE_PATTERN;
	return labels && (left == STRATA_VALUE_PATTERN || right == STRATA_VALUE_PATTERN);
}

enum strata_verdict strata_value_compare(const struct strata_value *left,
					 enum strata_comparison comparison,
					 const struct strata_value *right)
{
	bool is_equal;

	/* The most common case. */
	if (left->kind == STRATA_VALUE_INTEGER && right->kind == STRATA_VALUE_INTEGER)
		return has_comparison(order_integers(left, right), comparison) ? STRATA_YES
									       : STRATA_NO;
	if (!strata_value_kinds_fit(left->kind, comparison, right->kind,
				    left->labels || left->names || left->symbols || right->labels ||
					    right->names || right->symbols))
		return STRATA_UNKNOWN;
	if (is_number(left->kind) && is_number(right->kind))
		return has_comparison(order_numbers(left, right), comparison) ? STRATA_YES
									      : STRATA_NO;
	if (is_number(left->kind))
		is_equal = label_fits(left, right);
	else if (is_number(right->kind))
		is_equal = label_fits(right, left);
	else
		is_equal = texts_are_equal(left, right);
	return is_equal == (comparison == STRATA_EQUAL) ? STRATA_YES : STRATA_NO;
}

enum strata_verdict strata_value_truth(const struct strata_value *value)
{
	if (value->kind == STRATA_VALUE_INTEGER)
		return value->number ? STRATA_YES : STRATA_NO;
	if (value->kind == STRATA_VALUE_REAL)
		return value->real != 0 ? STRATA_YES : STRATA_NO;
	return STRATA_UNKNOWN;
}
