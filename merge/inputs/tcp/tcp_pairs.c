// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp_pairs.c - see tcp_pairs.h.
 *
 * Sightings are a list. When it is full, it is sorted by segment, machine and role; sightings that
 * agree in all three are combined; and while the list is still more than half full, the machine
 * with the most sightings loses half of its segments.  So each sighting is sorted O(log n) times,
 * whatever a hostile trace contains: there is no hash table in which it could cause collisions.
 *
 * A machine with at most its part of half the list loses none, however many the others have.
 * (fair_share.h divides tables whose entries stay; here those who took too much give back.)
 */
#include "inputs/tcp/tcp_pairs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/value_hash.h"

/* Limit of pairs of one segment. Routers and bridges on its way make several; more machines than
 * that are a crowd, most of which lies. */
#define ROLE_MAX  8u
#define PAIRS_MAX (ROLE_MAX * ROLE_MAX)

struct sighting {
	struct strata_tcp_segment segment;
	int64_t reading; /* the first of sendings, the last of receipts */
	uint32_t clock;
	uint8_t role;
	uint8_t level;     /* the number of halvings that its segment survives */
	uint16_t repeated; /* seen more than once, and the sightings cannot be told apart */
	/* One bit for each rule that found it; the last bit for all further rules. */
	uint64_t rules;
};

/* The sightings of one machine. */
struct share {
	size_t nr;
	size_t of_level[65];
	unsigned int halvings; /* sightings of a lower level are dropped */
};

struct strata_tcp_pairs {
	struct sighting *list;
	size_t nr;
	size_t most;
	struct share *shares; /* by clock */
	size_t nr_clocks;
	uint64_t key[2];
	uint64_t added;
};

struct strata_tcp_pairs *strata_tcp_pairs_new(size_t most, size_t nr_clocks)
{
	struct strata_tcp_pairs *pairs = calloc(1, sizeof(*pairs));

	if (!pairs)
		return NULL;
	pairs->most = most;
	pairs->nr_clocks = nr_clocks;
	pairs->key[0] = STRATA_HASH_FACTOR;
	pairs->key[1] = STRATA_CHAIN_FACTOR;
	pairs->list = calloc(most, sizeof(*pairs->list));
	pairs->shares = calloc(nr_clocks, sizeof(*pairs->shares));
	if (!pairs->list || !pairs->shares) {
		strata_tcp_pairs_free(pairs);
		return NULL;
	}
	return pairs;
}

void strata_tcp_pairs_add_key(struct strata_tcp_pairs *pairs, const void *bytes, size_t length)
{
	pairs->key[0] = strata_hash_bytes(pairs->key[0], bytes, length);
	pairs->key[1] = strata_hash_bytes(pairs->key[1] ^ STRATA_CHAIN_FACTOR, bytes, length);
}

void strata_tcp_pairs_free(struct strata_tcp_pairs *pairs)
{
	if (!pairs)
		return;
	free(pairs->list);
	free(pairs->shares);
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

/* Returns a hash of a segment that nobody can foresee without the key. */
static uint64_t hash_of(const struct strata_tcp_pairs *pairs,
			const struct strata_tcp_segment *segment)
{
	uint64_t words[(sizeof(*segment) + 7) / 8] = { 0 }, hash = 0;
	size_t i;

	memcpy(words, segment, sizeof(*segment));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const __uint128_t product =
			(__uint128_t)(hash ^ (pairs->key[0] | 1)) * (words[i] ^ pairs->key[1]);

		/* A product that is 0 leaves the words before it. */
		hash ^= (uint64_t)product ^ (uint64_t)(product >> 64);
	}
	return hash;
}

/*
 * Returns how many halvings a segment survives: the leading zeros of its hash.  Without the key
 * nobody can find segments that survive many, whose sender could crowd out the others of a machine.
 */
static unsigned int level_of(const struct strata_tcp_pairs *pairs,
			     const struct strata_tcp_segment *segment)
{
	const uint64_t hash = hash_of(pairs, segment);

	return hash ? (unsigned int)__builtin_clzll(hash) : 64;
}

static struct share *largest_share(const struct strata_tcp_pairs *pairs)
{
	struct share *largest = &pairs->shares[0];
	size_t i;

	for (i = 1; i < pairs->nr_clocks; i++) {
		if (pairs->shares[i].nr > largest->nr)
			largest = &pairs->shares[i];
	}
	return largest;
}

/* Halves the largest share until the list is at most half full. */
static void thin(struct strata_tcp_pairs *pairs)
{
	size_t i, kept = 0, nr = pairs->nr;

	for (i = 0; i < pairs->nr_clocks; i++) {
		pairs->shares[i].nr = 0;
		memset(pairs->shares[i].of_level, 0, sizeof(pairs->shares[i].of_level));
	}
	for (i = 0; i < nr; i++) {
		struct share *share = &pairs->shares[pairs->list[i].clock];

		share->nr++;
		share->of_level[pairs->list[i].level]++;
	}
	while (nr > pairs->most / 2) {
		struct share *share = largest_share(pairs);
		const size_t dropped = share->of_level[share->halvings++];

		share->nr -= dropped;
		nr -= dropped;
	}
	for (i = 0; i < pairs->nr; i++) {
		const struct sighting *sighting = &pairs->list[i];

		if (sighting->level >= pairs->shares[sighting->clock].halvings)
			pairs->list[kept++] = *sighting;
	}
	pairs->nr = kept;
}

void strata_tcp_pairs_add(struct strata_tcp_pairs *pairs, uint32_t clock, enum strata_tcp_role role,
			  unsigned int rule, const struct strata_tcp_segment *segment,
			  int64_t reading)
{
	const unsigned int level = level_of(pairs, segment);
	const struct share *share = &pairs->shares[clock];

	pairs->added++;
	if (level < share->halvings)
		return;
	if (pairs->nr == pairs->most) {
		sort(pairs);
		thin(pairs);
		if (level < share->halvings)
			return;
	}
	pairs->list[pairs->nr++] = (struct sighting){
		.segment = *segment,
		.reading = reading,
		.clock = clock,
		.role = (uint8_t)role,
		.level = (uint8_t)level,
		.rules = 1ull << (rule < 63 ? rule : 63),
	};
}

/* Whether a machine saw a segment more than once, among @nr sightings of it. */
static bool is_repeated_by(const struct sighting *sightings, size_t nr, uint32_t clock)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (sightings[i].clock == clock && sightings[i].repeated)
			return true;
	}
	return false;
}

/* The sightings of a segment, which are adjacent, and how many of them make pairs. */
struct seen_segment {
	struct sighting *sent, *received; /* one after the other */
	size_t nr_sent, nr_received;
	size_t senders, receivers;
};

/* Moves @nr_drawn of the sightings to the front, each with the same probability. */
static void draw(struct sighting *sightings, size_t nr, size_t nr_drawn, uint64_t *state)
{
	size_t i;

	for (i = 0; i < nr_drawn && nr_drawn < nr; i++) {
		const struct sighting first = sightings[i];
		size_t other;

		*state = *state * STRATA_HASH_FACTOR + STRATA_CHAIN_FACTOR;
		other = i + (size_t)(*state >> 32) % (nr - i);
		sightings[i] = sightings[other];
		sightings[other] = first;
	}
}

/*
 * Limits the pairs of a segment that a crowd claims to have seen.  Any file can claim segments, so
 * a crowd must not cancel those of two others; nor can their number of claims tell who lies.  Each
 * segment's senders and receivers are drawn anew, by the key: of two honest machines among many
 * liars, enough pairs remain.
 */
static void draw_from_crowd(const struct strata_tcp_pairs *pairs, struct seen_segment *segment)
{
	uint64_t state = hash_of(pairs, &segment->sent->segment);
	size_t senders = segment->nr_sent, receivers = segment->nr_received;

	if (senders == 0 || receivers <= PAIRS_MAX / senders)
		return;
	if (senders > ROLE_MAX && senders > PAIRS_MAX / receivers)
		senders = receivers < ROLE_MAX ? PAIRS_MAX / receivers : ROLE_MAX;
	if (receivers > PAIRS_MAX / senders)
		receivers = PAIRS_MAX / senders;
	draw(segment->sent, segment->nr_sent, senders, &state);
	draw(segment->received, segment->nr_received, receivers, &state);
	segment->senders = senders;
	segment->receivers = receivers;
}

/* Passes on the pairs of a segment. */
static int match_segment(const struct seen_segment *segment,
			 int (*take)(void *data, const struct strata_tcp_pair *pair), void *data,
			 struct strata_tcp_tally *tally)
{
	const struct sighting *sent = segment->sent, *received = segment->received;
	const size_t nr = segment->nr_sent + segment->nr_received;
	size_t i, j;

	for (i = 0; i < segment->senders; i++) {
		for (j = 0; j < segment->receivers; j++) {
			const struct strata_tcp_pair pair = {
				.form = sent[i].segment.form,
				.sent_clock = sent[i].clock,
				.received_clock = received[j].clock,
				.sent = sent[i].reading,
				.received = received[j].reading,
			};
			int status;

			if (pair.sent_clock == pair.received_clock ||
			    is_repeated_by(sent, nr, pair.sent_clock) ||
			    is_repeated_by(sent, nr, pair.received_clock))
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
	};
	for (from = 0; from < pairs->nr_clocks; from++) {
		if (pairs->shares[from].halvings > tally->halvings)
			tally->halvings = pairs->shares[from].halvings;
	}
	for (from = 0; from < pairs->nr; from = to) {
		struct sighting *first = &pairs->list[from];
		struct seen_segment segment = { .sent = first };
		bool repeated = false;
		int status;

		for (to = from; to < pairs->nr && is_same_segment(first, &pairs->list[to]); to++) {
			repeated |= pairs->list[to].repeated;
			segment.nr_sent += pairs->list[to].role == STRATA_TCP_SENT;
		}
		tally->repeated += repeated;
		/* Sorted by role: sendings come first. */
		segment.received = first + segment.nr_sent;
		segment.nr_received = to - from - segment.nr_sent;
		segment.senders = segment.nr_sent;
		segment.receivers = segment.nr_received;
		draw_from_crowd(pairs, &segment);
		status = match_segment(&segment, take, data, tally);
		if (status)
			return status;
	}
	return 0;
}
