/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bits.h - a packet as a test writes it: bit by bit, in either byte order. */
#ifndef STRATA_TESTS_BITS_H
#define STRATA_TESTS_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct bits {
	uint8_t *bytes; /* zeroed */
	uint64_t at;
	bool big_endian;
};

static inline void bits_put(struct bits *bits, uint64_t value, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++, bits->at++) {
		const unsigned int bit = bits->at % 8;

		if (bits->big_endian)
			bits->bytes[bits->at / 8] |=
				(uint8_t)((value >> (nr - 1 - i) & 1) << (7 - bit));
		else
			bits->bytes[bits->at / 8] |= (uint8_t)((value >> i & 1) << bit);
	}
}

static inline void bits_align(struct bits *bits, unsigned int to)
{
	bits->at = (bits->at + to - 1) / to * to;
}

#endif /* STRATA_TESTS_BITS_H */
