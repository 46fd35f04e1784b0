/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_plain.h - reads a number at the end of a path of one step: most numbers of most events are
 * little-endian, in whole bytes, and close to the start.
 */
#ifndef STRATA_MERGE_CTF_PLAIN_H
#define STRATA_MERGE_CTF_PLAIN_H

#include <string.h>

#include "ctf/values/ctf_access.h"

/* Zero-initialised: the number is not plain. */
struct strata_ctf_plain {
	uint32_t align, bits; /* of the step */
	uint32_t width;       /* bits of the number, whole bytes; 0: it is not plain */
	uint32_t unused;      /* bits of a word above those */
	bool is_signed;
};

/* Derives it from the path to a number; zeros if the number is not plain. */
static inline struct strata_ctf_plain strata_ctf_plain_of(const struct strata_ctf_access *access)
{
	const struct strata_ctf_type *type = access->type;
	const struct strata_ctf_step none = { .align = 1 };
	const struct strata_ctf_step *step = access->nr_steps ? access->steps : &none;

	if (access->nr_steps > 1 || access->nr_rest || step->skip || type->big_endian ||
	    type->is_reversed || type->slot >= 0 || type->bits == 0 || type->bits > 64 ||
	    type->bits % 8 || step->align % 8 || step->bits % 8 || step->bits > 65536)
		return (struct strata_ctf_plain){ 0 };
	return (struct strata_ctf_plain){
		.align = step->align,
		.bits = (uint32_t)step->bits,
		.width = type->bits,
		.unused = 64 - type->bits,
		.is_signed = type->is_signed,
	};
}

/* Reads the number, a negative one as two's complement.  @cursor: where the way begins.  False: the
 * event ends before it. */
static inline bool strata_ctf_plain_read(const struct strata_ctf_plain *plain,
					 const struct strata_ctf_cursor *cursor, uint64_t *value)
{
	const uint64_t align = plain->align;
	const uint64_t at = ((cursor->at + align - 1) & ~(align - 1)) + plain->bits;
	const uint8_t *bytes = cursor->bytes + at / 8;
	uint64_t word = 0;

	if (at + plain->width > cursor->end)
		return false;
	/* Copies of a constant size are single loads. */
	if (plain->width == 32)
		memcpy(&word, bytes, 4);
	else if (plain->width == 64)
		memcpy(&word, bytes, 8);
	else if (plain->width == 16)
		memcpy(&word, bytes, 2);
	else
		memcpy(&word, bytes, plain->width / 8);
	word <<= plain->unused;
	*value = plain->is_signed ? (uint64_t)((int64_t)word >> plain->unused)
				  : word >> plain->unused;
	return true;
}

#endif /* STRATA_MERGE_CTF_PLAIN_H */
