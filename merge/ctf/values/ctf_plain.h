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
	uint32_t bits;  /* of the step, */
	uint8_t align;  /* and its alignment */
	uint8_t width;  /* bits of the number, whole bytes; 0: it is not plain */
	uint8_t unused; /* bits of a word above those */
	bool is_signed;
};

/* Whether a path is a single step over whole bytes; sets @plain's step. */
static inline bool strata_ctf_plain_step(struct strata_ctf_plain *plain,
					 const struct strata_ctf_access *access)
{
	const struct strata_ctf_step none = { .align = 1 };
	const struct strata_ctf_step *step = access->nr_steps ? access->steps : &none;

	if (access->nr_steps > 1 || access->nr_rest || step->skip || step->align % 8 ||
	    step->align > 128 || step->bits % 8 || step->bits > 65536)
		return false;
	plain->bits = (uint32_t)step->bits;
	plain->align = (uint8_t)step->align;
	return true;
}

/* Derives it from the path to a number; zeros if the number is not plain. */
static inline struct strata_ctf_plain strata_ctf_plain_of(const struct strata_ctf_access *access)
{
	const struct strata_ctf_type *type = access->type;
	struct strata_ctf_plain plain = {
		.width = type->bits,
		.unused = (uint8_t)(64 - type->bits),
		.is_signed = type->is_signed,
	};

	if (type->big_endian || type->is_reversed || type->slot >= 0 || type->bits == 0 ||
	    type->bits > 64 || type->bits % 8 || !strata_ctf_plain_step(&plain, access))
		return (struct strata_ctf_plain){ 0 };
	return plain;
}

/* Where the target of the step begins, in bits. */
static inline uint64_t strata_ctf_plain_at(const struct strata_ctf_plain *plain,
					   const struct strata_ctf_cursor *cursor)
{
	const uint64_t align = plain->align;

	return ((cursor->at + align - 1) & ~(align - 1)) + plain->bits;
}

/* Reads the number, a negative one as two's complement. @cursor: at the start of the path. False:
 * the event ends before it. */
static inline bool strata_ctf_plain_read(const struct strata_ctf_plain *plain,
					 const struct strata_ctf_cursor *cursor, uint64_t *value)
{
	const uint64_t at = strata_ctf_plain_at(plain, cursor);
	const uint8_t *bytes = cursor->bytes + at / 8;
	uint64_t word, part = 0;
	uint32_t word32;
	uint16_t word16;

	if (at + plain->width > cursor->end)
		return false;
	/* Copies of constant size become single loads. Each has its own variable, because a word
	 * stored in parts cannot be forwarded to a load of the whole. */
	if (plain->width == 32) {
		memcpy(&word32, bytes, 4);
		word = word32;
	} else if (plain->width == 64) {
		memcpy(&word, bytes, 8);
	} else if (plain->width == 16) {
		memcpy(&word16, bytes, 2);
		word = word16;
	} else {
		memcpy(&part, bytes, plain->width / 8);
		word = part;
	}
	word <<= plain->unused;
	*value = plain->is_signed ? (uint64_t)((int64_t)word >> plain->unused)
				  : word >> plain->unused;
	return true;
}

#endif /* STRATA_MERGE_CTF_PLAIN_H */
