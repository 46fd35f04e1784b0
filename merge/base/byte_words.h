/* SPDX-License-Identifier: GPL-2.0-or-later */
/* byte_words.h - feeds bytes to a hash of 64-bit words: whole words, the rest padded with zeros,
 * and the length, which tells "a" from "a\0". */
#ifndef STRATA_MERGE_BYTE_WORDS_H
#define STRATA_MERGE_BYTE_WORDS_H

#include <stdint.h>
#include <string.h>

/* Returns the hash after the bytes.  @add: adds one word to the hash; inline, so that a constant
 * function costs no call */
static inline uint64_t strata_byte_words(uint64_t hash, const void *bytes, uint64_t length,
					 uint64_t (*add)(uint64_t hash, uint64_t word))
{
	const unsigned char *at = bytes;
	uint64_t left = length, word;

	for (; left >= 8; left -= 8, at += 8) {
		memcpy(&word, at, 8);
		hash = add(hash, word);
	}
	word = 0;
	memcpy(&word, at, left);
	return add(add(hash, word), length);
}

#endif /* STRATA_MERGE_BYTE_WORDS_H */
