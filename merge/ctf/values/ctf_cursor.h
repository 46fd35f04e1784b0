/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_cursor.h - reads fields of a CTF packet one after the other, whatever their
 * size, alignment and byte order.
 *
 * The general way, a bit slower than ctf_program.h's.  The bytes may hold
 * anything: nothing beyond @end is read, and a field that would reach beyond it is
 * refused.  At least STRATA_CTF_PADDING bytes behind the last one must be readable;
 * their values do not matter.
 */
#ifndef STRATA_MERGE_CTF_CURSOR_H
#define STRATA_MERGE_CTF_CURSOR_H

#include <string.h>

#include "ctf/types/ctf_types.h"

#define STRATA_CTF_PADDING 16u

/* What a packet's fields are aligned to begins where bytes[0] is, or a multiple of
 * STRATA_CTF_ALIGN_MAX bits before it. */
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
 * A signed one is extended to 64 bits.  False: it reaches beyond the end.
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

/* The same of an integer of variable size (STRATA_CTF_VARINT).  False also: of more than 64 bits.
 */
bool strata_ctf_read_varint(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *value);

/*
 * Reads an integer of either kind: see strata_ctf_is_integer().
 * @bits: OUT, how many of the value's bits were written
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
 * The number of elements of an array or sequence whose fields follow.
 * False: more than can be there.  Of structures, variants and arrays there may be any number, for
 * they may take no room: who reads them stops behind one that took none, and is bounded by the
 * bits that way, whatever end the cursor has.
 */
bool strata_ctf_read_length(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type,
			    uint64_t *length);

/* The option of a variant that its tag chooses, or an optional field's; NULL: there is none for
 * that value, of which only an optional field may have some. */
const struct strata_ctf_field *strata_ctf_chosen(const struct strata_ctf_cursor *cursor,
						 const struct strata_ctf_type *type);

/* Moves over a field of any type, and fills the slots in it.  False: it reaches beyond the end, or
 * a tag chooses nothing. */
bool strata_ctf_skip(struct strata_ctf_cursor *cursor, const struct strata_ctf_type *type);

#endif /* STRATA_MERGE_CTF_CURSOR_H */
