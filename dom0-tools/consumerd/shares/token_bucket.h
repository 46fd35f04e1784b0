/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * token_bucket.h - limits how often something happens: a burst, then a steady rate.
 */
#ifndef STRATA_CONSUMERD_TOKEN_BUCKET_H
#define STRATA_CONSUMERD_TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct token_bucket {
	uint64_t burst;
	uint64_t per_1000_s;
	uint64_t taken;   /* millionths of tokens; 0: full */
	uint64_t last_ms; /* when @taken was valid */
};

/* Takes a token, if there is one.  @now_ms never goes back. */
static inline bool token_bucket_take(struct token_bucket *bucket, uint64_t now_ms)
{
	uint64_t back = (now_ms - bucket->last_ms) * bucket->per_1000_s;

	bucket->taken -= back < bucket->taken ? back : bucket->taken;
	bucket->last_ms = now_ms;
	if (bucket->taken + 1000000u > bucket->burst * 1000000u)
		return false;
	bucket->taken += 1000000u;
	return true;
}

#endif /* STRATA_CONSUMERD_TOKEN_BUCKET_H */
