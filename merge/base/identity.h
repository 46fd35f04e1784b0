/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h - 64-bit ids for things that are identified by several values: numbers, names,
 * pointers.
 *
 * The values come from traces, whose writers may want two things to have the same id, so that one
 * is taken for the other. The ids depend on a secret of this process: a writer that does not know
 * it cannot make two ids collide on purpose, and among a million things two collide by chance in
 * one of some 10^7 runs. Ids differ from run to run, so no output may depend on an id, nor on the
 * order of a table by ids. The hashes of value_hash.h do not differ, and do not resist.
 */
#ifndef STRATA_MERGE_IDENTITY_H
#define STRATA_MERGE_IDENTITY_H

#include <stdint.h>

#include "base/byte_words.h"

/* Random, from the kernel, constant for the life of the process; set before main(). */
extern uint64_t strata_identity_secret[2];

/* Returns the id of a thing that had @id so far, extended by @value.  An id begins with 0. */
static inline uint64_t strata_identity_add(uint64_t id, uint64_t value)
{
	const __uint128_t product =
		(__uint128_t)(id ^ strata_identity_secret[0]) * (value ^ strata_identity_secret[1]);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The same with @length bytes of text. */
static inline uint64_t strata_identity_add_text(uint64_t id, const void *text, uint64_t length)
{
	return strata_byte_words(id, text, length, strata_identity_add);
}

#endif /* STRATA_MERGE_IDENTITY_H */
