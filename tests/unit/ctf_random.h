/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_random.h - random fields of a CTF event: what TSDL says of them, and random
 * values for them, written and hashed as value_hash.h has it, without a reader.
 */
#ifndef STRATA_TESTS_CTF_RANDOM_H
#define STRATA_TESTS_CTF_RANDOM_H

#include "ctf_maker.h"

struct random_type;

/* A structure of up to a few fields, which hold others; numbers mostly in that byte order. */
struct random_type *random_type_make(uint64_t *seed, bool big_endian);

void random_type_free(struct random_type *type);

/* "struct { ... } align(...)", appended to @text, of @size. */
void random_type_tell(const struct random_type *type, char *text, size_t size);

/* Appends random values.  Returns the hash, made on from @hash. */
uint64_t random_type_put(const struct random_type *type, struct bits *bits, uint64_t *seed,
			 uint64_t hash);

#endif /* STRATA_TESTS_CTF_RANDOM_H */
