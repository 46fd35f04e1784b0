/* SPDX-License-Identifier: MIT */
/*
 * field_filter.h - runs a field filter: decides from an event's fields whether it is recorded.
 * Written once for kernels, unit tests and the fuzzer.
 *
 *   strata_field_filter_check()    makes it from a program (field_filter_check.h); once
 *   strata_field_filter_passes()   any context, NMIs included; it only reads, and takes at most
 *                                  STRATA_FIELD_TESTS_MAX steps
 *
 * A test that cannot be made, because the payload ends before the field, rejects the event: so does
 * `strata merge --filter` with what it cannot read.
 */
#ifndef STRATA_FIELD_FILTER_H
#define STRATA_FIELD_FILTER_H

#include <strata/abi/field_filter.h>
#include <strata/event.h>
#include <strata/glob.h>

/* A field or an element of one, found in the event's description. */
struct strata_field_operand {
	uint16_t offset; /* in the payload; of text behind others of variable length: not known */
	uint16_t count;  /* bytes of text, if the offset is known */
	uint8_t field;   /* its index, or STRATA_FIELD_TID */
	uint8_t bytes;   /* of a number */
	bool is_signed;
	bool is_variable; /* text without a fixed offset and length */
};

struct strata_field_test {
	uint8_t kind, comparison, if_true, if_false;
	struct strata_field_operand left, right;
	uint64_t number;     /* with which it is compared */
	const char *pattern; /* in the program */
	uint32_t pattern_bytes;
};

struct strata_field_filter {
	const struct strata_event_desc *event;
	uint32_t fixed_bytes;    /* of its payload, at least */
	uint32_t first_variable; /* index of its first field of variable length */
	uint32_t nr;             /* tests */
	struct strata_field_test tests[];
};

struct strata_field_value {
	uint64_t number;
	bool is_negative; /* then in two's complement */
};

static inline struct strata_field_value strata_field_number(const unsigned char *from,
							    uint32_t bytes, bool is_signed)
{
	struct strata_field_value value = { 0, false };
	uint8_t number8;
	uint16_t number16;
	uint32_t number32;

	switch (bytes) {
	case 1:
		number8 = *from;
		value.number = is_signed ? (uint64_t)(int8_t)number8 : number8;
		break;
	case 2:
		strata_copy(&number16, from, sizeof(number16));
		value.number = is_signed ? (uint64_t)(int16_t)number16 : number16;
		break;
	case 4:
		strata_copy(&number32, from, sizeof(number32));
		value.number = is_signed ? (uint64_t)(int32_t)number32 : number32;
		break;
	default:
		strata_copy(&value.number, from, sizeof(value.number));
		break;
	}
	value.is_negative = is_signed && value.number >> 63;
	return value;
}

static inline struct strata_field_value
strata_field_load(const struct strata_field_operand *operand, const unsigned char *payload,
		  int32_t tid)
{
	if (operand->field == STRATA_FIELD_TID)
		return strata_field_number((const unsigned char *)&tid, sizeof(tid), true);
	return strata_field_number(payload + operand->offset, operand->bytes, operand->is_signed);
}

static inline bool strata_field_compare(struct strata_field_value left, uint32_t comparison,
					struct strata_field_value right)
{
	/* Two negative numbers also compare like their bits. */
	const bool is_less = left.is_negative != right.is_negative ? left.is_negative
								   : left.number < right.number;
	const bool is_equal = left.is_negative == right.is_negative && left.number == right.number;

	switch (comparison) {
	case STRATA_FIELD_EQUAL:
		return is_equal;
	case STRATA_FIELD_NOT_EQUAL:
		return !is_equal;
	case STRATA_FIELD_LESS:
		return is_less;
	case STRATA_FIELD_LESS_OR_EQUAL:
		return is_less || is_equal;
	case STRATA_FIELD_GREATER:
		return !is_less && !is_equal;
	default:
		return !is_less;
	}
}

/* Finds text in a payload of @available bytes.  False: it is not whole. */
static inline bool strata_field_text(const struct strata_field_filter *filter,
				     const struct strata_field_operand *operand,
				     const unsigned char *payload, uint32_t available,
				     struct strata_field_place *place)
{
	uint32_t offset = filter->fixed_bytes, i;

	place->offset = operand->offset;
	place->count = operand->count;
	for (i = filter->first_variable; operand->is_variable && i <= operand->field; i++)
		if (!strata_field_find(&filter->event->fields[i], payload, available, &offset,
				       place))
			return false;
	/* It ends at the first zero byte. */
	for (i = 0; i < place->count && payload[place->offset + i];)
		i++;
	place->count = i;
	return true;
}

static inline bool strata_field_same_text(const char *one, uint32_t bytes, const char *other,
					  uint32_t other_bytes)
{
	uint32_t i;

	if (bytes != other_bytes)
		return false;
	for (i = 0; i < bytes; i++)
		if (one[i] != other[i])
			return false;
	return true;
}

/* Tests text.  1: it holds, 0: it does not, -1: the payload ends before. */
static inline int strata_field_test_text(const struct strata_field_filter *filter,
					 const struct strata_field_test *test,
					 const unsigned char *payload, uint32_t available)
{
	const char *texts = (const char *)payload;
	struct strata_field_place left, right;
	bool is_equal;

	if (!strata_field_text(filter, &test->left, payload, available, &left))
		return -1;
	if (test->kind == STRATA_TEST_PATTERN) {
		is_equal = strata_glob_fits(test->pattern, test->pattern_bytes, texts + left.offset,
					    left.count);
	} else {
		if (!strata_field_text(filter, &test->right, payload, available, &right))
			return -1;
		is_equal = strata_field_same_text(texts + left.offset, left.count,
						  texts + right.offset, right.count);
	}
	return is_equal == (test->comparison == STRATA_FIELD_EQUAL);
}

static inline int strata_field_holds(const struct strata_field_filter *filter,
				     const struct strata_field_test *test,
				     const unsigned char *payload, uint32_t available, int32_t tid)
{
	struct strata_field_value right = { test->number, test->kind == STRATA_TEST_NEGATIVE };

	if (test->kind == STRATA_TEST_PATTERN || test->kind == STRATA_TEST_TEXTS)
		return strata_field_test_text(filter, test, payload, available);
	if (test->kind == STRATA_TEST_FIELDS)
		right = strata_field_load(&test->right, payload, tid);
	return strata_field_compare(strata_field_load(&test->left, payload, tid), test->comparison,
				    right);
}

/*
 * Whether an event passes.
 * @payload: its fields, without the context: @bytes
 * @tid: the thread that runs on the CPU
 */
static inline bool strata_field_filter_passes(const struct strata_field_filter *filter,
					      const unsigned char *payload, uint32_t bytes,
					      int32_t tid)
{
	uint32_t at = 0;

	if (bytes < filter->fixed_bytes)
		return false;
	while (at < filter->nr) {
		const struct strata_field_test *test = &filter->tests[at];
		const int holds = strata_field_holds(filter, test, payload, bytes, tid);

		if (holds < 0)
			return false;
		at = holds ? test->if_true : test->if_false;
	}
	return at == STRATA_FIELD_PASS;
}

#endif /* STRATA_FIELD_FILTER_H */
