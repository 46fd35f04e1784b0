// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp_pairs.c - see tcp_pairs.h.
 *
 * Sightings are a list. When it is full, it is sorted by segment, machine and role; sightings that
 * agree in all three are combined; and if the list is still more than half full, half of the
 * segments are dropped. So each sighting is sorted O(log n) times, whatever a hostile trace
 * contains: there is no hash table in which it could cause collisions.
 */
#include "inputs/tcp/tcp_pairs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/value_hash.h"

/* Limit of machines that see a segment in one role, including routers and bridges on its way. */
#define MACHINES_MAX 8u

struct sighting {
	struct strata_tcp_segment segment;
	int64_t reading; /* the first of sendings, the last of receipts */
	uint32_t clock;
	uint16_t role;
	uint16_t repeated; /* seen more than once, and the sightings cannot be told apart */
	/* One bit for each rule that found it; the last bit for all further rules. */
	uint64_t rules;
};

struct strata_tcp_pairs {
	struct sighting *list;
	size_t nr;
	size_t most;
	uint64_t added;
	unsigned int halvings;
};

struct strata_tcp_pairs *strata_tcp_pairs_new(size_t most)
{
	struct strata_tcp_pairs *pairs = calloc(1, sizeof(*pairs));

	if (!pairs)
		return NULL;
	pairs->most = most;
	pairs->list = calloc(most, sizeof(*pairs->list));
	if (!pairs->list) {
		free(pairs);
		return NULL;
	}
	return pairs;
}

void strata_tcp_pairs_free(struct strata_tcp_pairs *pairs)
{
	if (!pairs)
		return;
	free(pairs->list);
	free(pairs);
}

static int compare(const void *left, const void *right)
{
	const struct sighting *a = left, *b = right;
	const int segments = memcmp(&a->segment, &b->segment, sizeof(a->segment));

	if (segments)
		return segments;
	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->clock != b->clock)
		return a->clock < b->clock ? -1 : 1;
	return (a->reading > b->reading) - (a->reading < b->reading);
}

static bool is_same_segment(const struct sighting *a, const struct sighting *b)
{
	return !memcmp(&a->segment, &b->segment, sizeof(a->segment));
}

/* Combines @next with @sighting, of the same segment, machine and role and not later. */
static void put_together(struct sighting *sighting, const struct sighting *next)
{
	const bool is_state = sighting->segment.form & STRATA_TCP_HAS_STATE;

	/* A state lasts from the segment on: its first sighting is the nearest to the segment. */
	if (sighting->role == STRATA_TCP_RECEIVED && !is_state)
		sighting->reading = next->reading;
	if (!sighting->segment.id && !is_state && (sighting->rules & next->rules))
		sighting->repeated = 1;
	sighting->repeated |= next->repeated;
	sighting->rules |= next->rules;
}

static void sort(struct strata_tcp_pairs *pairs)
{
	struct sighting *list = pairs->list;
	size_t i, kept = 0;

	qsort(list, pairs->nr, sizeof(*list), compare);
	for (i = 0; i < pairs->nr; i++) {
		struct sighting *last = kept ? &list[kept - 1] : NULL;

		if (last && last->clock == list[i].clock && last->role == list[i].role &&
		    is_same_segment(last, &list[i]))
			put_together(last, &list[i]);
		else
			list[kept++] = list[i];
	}
	pairs->nr = kept;
}

/* Whether a segment belongs to the sample. */
static bool is_chosen(const struct strata_tcp_segment *segment, unsigned int halvings)
{
	uint64_t hash = strata_hash_bytes(0, segment, sizeof(*segment));

	/* The high bits of a product depend on all bits of the factors; the low bits do not. */
	hash ^= hash >> 32;
	hash *= STRATA_HASH_FACTOR;
	return halvings < 64 && !(hash >> (64 - halvings));
}

static void halve(struct strata_tcp_pairs *pairs)
{
	size_t i, kept = 0;

	pairs->halvings++;
	for (i = 0; i < pairs->nr; i++) {
		if (is_chosen(&pairs->list[i].segment, pairs->halvings))
			pairs->list[kept++] = pairs->list[i];
	}
	pairs->nr = kept;
}

void strata_tcp_pairs_add(struct strata_tcp_pairs *pairs, uint32_t clock, enum strata_tcp_role role,
			  unsigned int rule, const struct strata_tcp_segment *segment,
			  int64_t reading)
{
	pairs->added++;
	if (pairs->halvings && !is_chosen(segment, pairs->halvings))
		return;
	if (pairs->nr == pairs->most) {
		sort(pairs);
		while (pairs->nr > pairs->most / 2)
			halve(pairs);
		if (pairs->halvings && !is_chosen(segment, pairs->halvings))
			return;
	}
	pairs->list[pairs->nr++] = (struct sighting){
		.segment = *segment,
		.reading = reading,
		.clock = clock,
		.role = (uint16_t)role,
		.rules = 1ull << (rule < 63 ? rule : 63),
	};
}

/* Passes on the pairs of a segment that was sent @nr_sent times and received @nr_received times. */
static int match_segment(const struct sighting *sent, size_t nr_sent,
			 const struct sighting *received, size_t nr_received,
			 int (*take)(void *data, const struct strata_tcp_pair *pair), void *data,
			 struct strata_tcp_tally *tally)
{
	size_t i, j;

	for (i = 0; i < nr_sent; i++) {
		for (j = 0; j < nr_received; j++) {
			const struct strata_tcp_pair pair = {
				.form = sent[i].segment.form,
				.sent_clock = sent[i].clock,
				.received_clock = received[j].clock,
				.sent = sent[i].reading,
				.received = received[j].reading,
			};
			int status;

			if (pair.sent_clock == pair.received_clock)
				continue;
			status = take(data, &pair);
			if (status < 0)
				return -1;
			tally->pairs += status > 0;
		}
	}
	return 0;
}

int strata_tcp_pairs_match(struct strata_tcp_pairs *pairs,
			   int (*take)(void *data, const struct strata_tcp_pair *pair), void *data,
			   struct strata_tcp_tally *tally)
{
	size_t from, to;

	sort(pairs);
	*tally = (struct strata_tcp_tally){
		.sightings = pairs->added,
		.kept = pairs->nr,
		.halvings = pairs->halvings,
	};
	for (from = 0; from < pairs->nr; from = to) {
		const struct sighting *first = &pairs->list[from];
		size_t nr_sent = 0;
		bool repeated = false;
		int status;

		for (to = from; to < pairs->nr && is_same_segment(first, &pairs->list[to]); to++) {
			repeated |= pairs->list[to].repeated;
			nr_sent += pairs->list[to].role == STRATA_TCP_SENT;
		}
		tally->repeated += repeated;
		if (repeated || nr_sent > MACHINES_MAX || to - from - nr_sent > MACHINES_MAX)
			continue;
		/* Sorted by role: sendings come first. */
		status = match_segment(first, nr_sent, first + nr_sent, to - from - nr_sent, take,
				       data, tally);
		if (status)
			return status;
	}
	return 0;
}
