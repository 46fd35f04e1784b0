/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_cursor.h - reads fields of a CTF packet one after the other, whatever their
 * size, alignment and byte order.
 *
 * The general method, somewhat slower than ctf_program.h.  The bytes are hostile: nothing beyond
 * @end is read, and a field that exceeds it is refused.  At least STRATA_CTF_PADDING bytes after
 * the last one must be readable, with any values.
 */
#ifndef STRATA_MERGE_CTF_CURSOR_H
#define STRATA_MERGE_CTF_CURSOR_H

#include <string.h>

#include "ctf/types/ctf_types.h"

#define STRATA_CTF_PADDING 16u

/* Alignment counts from bytes[0], or equivalently from a multiple of STRATA_CTF_ALIGN_MAX bits
 * before it. */
struct strata_ctf_cursor {
	const uint8_t *bytes;
	uint64_t at;  /* bits */
	uint64_t end; /* bits: of the packet's content */
	uint64_t *slots;
};

/* Moves to the next multiple of @align bits.  False: that is beyond the end. */
static inline bool strata_ctf_align(struct strata_ctf_cursor *cursor, uint32_t align)
{
	uint64_t at = (cursor->at + align - 1) & ~(uint64_t)(align - 1);

	if (at > cursor->end)
		return false;
	cursor->at = at;
	return true;
}

static inline uint64_t strata_ctf_sign_extend(uint64_t value, unsigned int bits)
{
	const unsigned int shift = 64 - bits;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

/* @bits (1 to 64) of little-endian bit order from bit @at on. */
static inline uint64_t strata_ctf_bits_le(const uint8_t *bytes, uint64_t at, unsigned int bits)
{
	const uint8_t *from = bytes + at / 8;
	const unsigned int skip = at % 8;
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	value >>= skip;
	if (skip + bits > 64)
		value |= (uint64_t)from[8] << (64 - skip);
	return bits == 64 ? value : value & ((1ull << bits) - 1);
}

/* The same of big-endian bit order: the first bit is a byte's highest, and the number's. */
static inline uint64_t strata_ctf_bits_be(const uint8_t *bytes, uint64_t at, unsigned int bits)
{
	const uint8_t *from = bytes + at / 8;
	const unsigned int skip = at % 8;
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	value = __builtin_bswap64(value) << skip;
	if (skip + bits > 64)
		value |= from[8] >> (8 - skip);
	return value >> (64 - bits);
}

static inline uint64_t strata_ctf_reverse(uint64_t value, unsigned int bits)
{
	uint64_t reversed = 0;
	unsigned int i;

	for (i = 0; i < bits; i++)
		reversed |= (value >> i & 1) << (bits - 1 - i);
	return reversed;
}

/*
 * Reads an integer of fixed size, an enumeration's, or a float's bits; stores it in its slot.
 * Signed values are sign-extended to 64 bits. False: it reaches beyond the end.
 */
static inline bool strata_ctf_read_number(struct strata_ctf_cursor *cursor,
					  const struct strata_ctf_type *type, uint64_t *value)
{
	if (!strata_ctf_align(cursor, type->align) || cursor->end - cursor->at < type->bits)
		return false;
	if (__builtin_expect(type->needs_byte, 0) && cursor->at % 8)
		return false;
	*value = type->big_endian ? strata_ctf_bits_be(cursor->bytes, cursor->at, type->bits)
				  : strata_ctf_bits_le(cursor->bytes, cursor->at, type->bits);
	if (__builtin_expect(type->is_reversed, 0))
		*value = strata_ctf_reverse(*value, type->bits);
	if (type->is_signed)
		*value = strata_ctf_sign_extend(*value, type->bits);
	cursor->at += type->bits;
	if (type->slot >= 0)
		cursor->slots[type->slot] = *value;
	return true;
}

/* The same of an integer of variable size (STRATA_CTF_VARINT).  False also: of more than 64
 * bits. */
bool strata_ctf_read_varint(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *value);

/*
 * Reads an integer of either kind: see strata_ctf_is_integer().
 * @bits: OUT, size of the value in the packet
 */
static inline bool strata_ctf_read_integer(struct strata_ctf_cursor *cursor,
					   const struct strata_ctf_type *type, uint64_t *value,
					   unsigned int *bits)
{
	uint64_t from;

	if (type->kind != STRATA_CTF_VARINT) {
		*bits = type->bits;
		return strata_ctf_read_number(cursor, type, value);
	}
	if (!strata_ctf_align(cursor, type->align))
		return false;
	from = cursor->at;
	if (!strata_ctf_read_varint(cursor, type, value))
		return false;
	*bits = (unsigned int)(cursor->at - from) / 8 * 7;
	if (*bits > 64)
		*bits = 64;
	return true;
}

/*
 * Reads a string.
 * @text, @length: OUT, its bytes in its encoding, without the zero character behind them
 * False: no zero character ends it.
 */
bool strata_ctf_read_string(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    const char **text, uint64_t *length);

/*
 * The number of elements of an array or sequence whose fields follow.  False: more elements than
 * fit. There is no limit for structures, variants and arrays, because they may have size zero:
 * readers stop after one of size zero, so the bits limit their number.
 */
bool strata_ctf_read_length(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *length);

/* Returns the option of a variant, or of an optional field, that its tag selects; NULL: no option
 * for that value, which is valid only for an optional field. */
const struct strata_ctf_field *strata_ctf_chosen(const struct strata_ctf_cursor *cursor,
						 const struct strata_ctf_type *type);

/* Skips a field of any type, and fills its slots.  False: it exceeds the end, or a tag matches no
 * option. */
bool strata_ctf_skip(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type);

#endif /* STRATA_MERGE_CTF_CURSOR_H */
