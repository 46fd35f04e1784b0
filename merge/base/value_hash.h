/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_hash.h - a hash over events and their values, which tells whether two readers saw the same
 * events in the same order.  It does not resist deliberate collisions.
 *
 * Each event is hashed on its own, so that the processor works on several at once. The chain H' = H
 * * P + h, over events in order, keeps their order. strata_chain_join() joins chains of adjacent
 * parts of a timeline.
 */
#ifndef STRATA_MERGE_VALUE_HASH_H
#define STRATA_MERGE_VALUE_HASH_H

#include <stdint.h>
#include <string.h>

#include "base/byte_words.h"

#define STRATA_HASH_FACTOR  0x9e3779b97f4a7c15ull /* 2^64 over the golden ratio; odd */
#define STRATA_CHAIN_FACTOR 0xd1342543de82ef95ull

/* A polynomial with an odd factor, so that a change of any single value changes the hash. */
static inline uint64_t strata_hash_number(uint64_t hash, uint64_t value)
{
	return (hash + value) * STRATA_HASH_FACTOR;
}

static inline uint64_t strata_hash_bytes(uint64_t hash, const void *bytes, uint64_t length)
{
	return strata_byte_words(hash, bytes, length, strata_hash_number);
}

/* Begins an event's hash.  @class: number of the stream's classes with a lower id, because
 * converting a trace renumbers ids */
static inline uint64_t strata_hash_event(uint64_t ns, uint64_t stream, uint64_t class)
{
	return strata_hash_number(strata_hash_number(strata_hash_number(0, ns), stream), class);
}

/* Hash of events in time order.  Events of equal time have no order: their hashes are summed. */
struct strata_chain {
	uint64_t events;
	uint64_t links; /* different times */
	uint64_t last_ns;
	uint64_t hash;
};

static inline void strata_chain_add(struct strata_chain *chain, uint64_t ns, uint64_t event_hash)
{
	if (ns != chain->last_ns || chain->events == 0) {
		chain->hash *= STRATA_CHAIN_FACTOR;
		chain->links++;
		chain->last_ns = ns;
	}
	chain->hash += event_hash;
	chain->events++;
}

/* Appends the events of @next, which are all later. */
static inline void strata_chain_join(struct strata_chain *chain, const struct strata_chain *next)
{
	uint64_t power = 1, base = STRATA_CHAIN_FACTOR, exponent;

	for (exponent = next->links; exponent; exponent >>= 1, base *= base) {
		if (exponent & 1)
			power *= base;
	}
	chain->hash = chain->hash * power + next->hash;
	chain->events += next->events;
	chain->links += next->links;
	if (next->events)
		chain->last_ns = next->last_ns;
}

#endif /* STRATA_MERGE_VALUE_HASH_H */
