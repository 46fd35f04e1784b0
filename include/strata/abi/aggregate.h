/* SPDX-License-Identifier: MIT */
/*
 * aggregate.h - what an aggregating channel counts, and the layout of its tables.
 *
 * Such a channel has no rings.  Events are counted where they happen: per event, or as a histogram
 * of the time between two of them; and in either case for each owner apart, on request.  An owner
 * is a domain in the hypervisor, and a process in a kernel.
 *
 * A table is an array of 64-bit words: the counters of enum strata_aggregate_other, then the rows.
 * All CPUs' tables have the same rows, by an array of keys that they share; key 0: the row is free.
 */
#ifndef STRATA_ABI_AGGREGATE_H
#define STRATA_ABI_AGGREGATE_H

#include <strata/platform/types.h>

#define STRATA_AGGREGATE_VERSION 1u

enum strata_aggregate_kind {
	STRATA_AGGREGATE_COUNT = 1, /* a row for each event: STRATA_AGGREGATE_COUNT_WORDS */
	STRATA_AGGREGATE_TIME = 2,  /* a histogram: STRATA_AGGREGATE_TIME_WORDS */
};

/* The two events of STRATA_AGGREGATE_TIME: those with (event & mask) == value.  They may be the
 * same. */
struct strata_aggregate_event {
	uint32_t value;
	uint32_t mask;
};

struct strata_aggregate_spec {
	uint8_t version;
	uint8_t kind;
	uint8_t by_owner; /* 1: rows for each owner apart; 0: one owner, 0 */
	uint8_t row_bits; /* 1 << row_bits rows */
	struct strata_aggregate_event begin, end; /* else 0 */
};

#define STRATA_AGGREGATE_ROW_BITS_MIN       1u
#define STRATA_AGGREGATE_COUNT_ROW_BITS_MAX 14u
#define STRATA_AGGREGATE_TIME_ROW_BITS_MAX  8u

/* What is in no row. */
enum strata_aggregate_other {
	STRATA_AGGREGATE_NO_ROW,    /* events, or times, for which there was no free row */
	STRATA_AGGREGATE_NO_BEGIN,  /* an end, and no begin before it */
	STRATA_AGGREGATE_REPEATED,  /* a begin that another begin has replaced */
	STRATA_AGGREGATE_BACKWARDS, /* an end with an earlier time than its begin */
	STRATA_AGGREGATE_NO_PLACE,  /* a begin that was forgotten, for lack of places */
	STRATA_AGGREGATE_NESTED,    /* events of probes that nest too deep */
	STRATA_AGGREGATE_OTHERS = 8
};

/* The words of a row. */
#define STRATA_AGGREGATE_BUCKETS     64u
#define STRATA_AGGREGATE_COUNT_WORDS 1u

enum strata_aggregate_time_word {
	STRATA_AGGREGATE_SUM,          /* ticks */
	STRATA_AGGREGATE_MAX,          /* ticks */
	STRATA_AGGREGATE_MIN_INVERTED, /* ~ticks of the shortest one */
	/* Times t with 1 << n <= t < 2 << n, and 0 in the first one. */
	STRATA_AGGREGATE_BUCKET,
	STRATA_AGGREGATE_TIME_WORDS = STRATA_AGGREGATE_BUCKET + STRATA_AGGREGATE_BUCKETS
};

/* Whether the fields are within their limits. */
static inline bool strata_aggregate_valid(const struct strata_aggregate_spec *spec)
{
	const bool times = spec->kind == STRATA_AGGREGATE_TIME;

	if (spec->version != STRATA_AGGREGATE_VERSION || spec->by_owner > 1 ||
	    spec->row_bits < STRATA_AGGREGATE_ROW_BITS_MIN)
		return false;
	if (times)
		return spec->row_bits <= STRATA_AGGREGATE_TIME_ROW_BITS_MAX;
	return spec->kind == STRATA_AGGREGATE_COUNT &&
	       spec->row_bits <= STRATA_AGGREGATE_COUNT_ROW_BITS_MAX && !spec->begin.value &&
	       !spec->begin.mask && !spec->end.value && !spec->end.mask;
}

static inline uint32_t strata_aggregate_rows(const struct strata_aggregate_spec *spec)
{
	return 1u << spec->row_bits;
}

static inline uint32_t strata_aggregate_row_words(const struct strata_aggregate_spec *spec)
{
	return spec->kind == STRATA_AGGREGATE_TIME ? (uint32_t)STRATA_AGGREGATE_TIME_WORDS
						   : STRATA_AGGREGATE_COUNT_WORDS;
}

static inline uint32_t strata_aggregate_table_words(const struct strata_aggregate_spec *spec)
{
	return (uint32_t)STRATA_AGGREGATE_OTHERS +
	       strata_aggregate_rows(spec) * strata_aggregate_row_words(spec);
}

/* The key of a row: the event (0 for times) and the owner, below 1 << 31. */
#define STRATA_AGGREGATE_KEY_USED  (1ull << 63)
#define STRATA_AGGREGATE_OWNER_MAX 0x7fffffffu

static inline uint64_t strata_aggregate_key(uint32_t event, uint32_t owner)
{
	return STRATA_AGGREGATE_KEY_USED | (uint64_t)owner << 32 | event;
}

static inline uint32_t strata_aggregate_key_event(uint64_t key)
{
	return (uint32_t)key;
}

static inline uint32_t strata_aggregate_key_owner(uint64_t key)
{
	return (uint32_t)(key >> 32) & STRATA_AGGREGATE_OWNER_MAX;
}

#endif /* STRATA_ABI_AGGREGATE_H */
