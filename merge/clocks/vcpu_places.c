// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpu_places.c - see vcpu_places.h; xen_scan.c fills it. */
#include "clocks/vcpu_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/partition.h"
#include "xen/domain_numbers.h"

#define LEAST_CAPACITY 4096u

static int compare(const void *left, const void *right)
{
	const struct strata_vcpu_move *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return a->pcpu < b->pcpu ? -1 : a->pcpu > b->pcpu;
}

/* Sorts the moves that were added since the last time, and puts them among the others.  False: out
 * of memory. */
static bool sort(struct strata_vcpu_places *places)
{
	const size_t nr_new = places->nr - places->nr_sorted;
	struct strata_vcpu_move *added;
	size_t old = places->nr_sorted, left = nr_new, to = places->nr;

	if (nr_new == 0)
		return true;
	added = malloc(nr_new * sizeof(*added));
	if (!added)
		return false;
	memcpy(added, places->moves + old, nr_new * sizeof(*added));
	qsort(added, nr_new, sizeof(*added), compare);
	while (left) {
		const bool is_old = old && compare(&places->moves[old - 1], &added[left - 1]) > 0;

		places->moves[--to] = is_old ? places->moves[--old] : added[--left];
	}
	free(added);
	return true;
}

bool strata_vcpu_places_settle(struct strata_vcpu_places *places, uint64_t known_until)
{
	size_t i, kept = 0;

	if (!sort(places))
		return false;
	for (i = 0; i < places->nr; i++) {
		const struct strata_vcpu_move *move = &places->moves[i];
		const struct strata_vcpu_move *last = kept ? &places->moves[kept - 1] : NULL;

		if (!last || last->key != move->key || move->ticks >= known_until ||
		    (!move->is_state && last->pcpu != move->pcpu))
			places->moves[kept++] = *move;
	}
	places->nr = places->nr_sorted = kept;
	places->known_until = known_until;
	places->settled++;
	return true;
}

/* Makes room for one more.  False: out of memory. */
static bool make_room(struct strata_vcpu_places *places)
{
	const size_t capacity = places->capacity ? places->capacity * 2 : LEAST_CAPACITY;
	struct strata_vcpu_move *moves;

	if (!strata_vcpu_places_settle(places, places->known_until))
		return false;
	/* Leaves half of it free, so that sorting stays rare. */
	if (places->nr < places->capacity / 2)
		return true;
	if (capacity > STRATA_VCPU_MOVES_MAX) {
		const uint64_t settled = places->settled;

		strata_vcpu_places_clear(places);
		places->settled = settled + 1;
		places->full = true;
		return true;
	}
	moves = reallocarray(places->moves, capacity, sizeof(*moves));
	if (!moves)
		return false;
	places->moves = moves;
	places->capacity = capacity;
	return true;
}

bool strata_vcpu_places_add(struct strata_vcpu_places *places, uint64_t ticks, uint16_t domain,
			    uint16_t vcpu, uint32_t pcpu, bool is_state)
{
	if (places->nr == places->capacity && !places->full && !make_room(places))
		return false;
	if (!places->full)
		places->moves[places->nr++] = (struct strata_vcpu_move){
			.ticks = ticks,
			.key = strata_vcpu_key(domain, vcpu),
			.pcpu = pcpu & ((1u << 31) - 1),
			.is_state = is_state,
		};
	return true;
}

/* The first move that is not before (@key, @ticks). */
static size_t first_from(const struct strata_vcpu_places *places, uint32_t key, uint64_t ticks)
{
	const struct strata_vcpu_move wanted = { .ticks = ticks, .key = key };

	return STRATA_PARTITION(i, 0, places->nr, compare(&places->moves[i], &wanted) < 0);
}

struct strata_vcpu_path strata_vcpu_places_of(const struct strata_vcpu_places *places,
					      uint16_t domain, uint16_t vcpu)
{
	const uint32_t key = strata_vcpu_key(domain, vcpu);
	const size_t first = first_from(places, key, 0);
	const size_t end = key == UINT32_MAX ? places->nr : first_from(places, key + 1, 0);

	return (struct strata_vcpu_path){ places->moves + first, end - first };
}

void strata_vcpu_places_clear(struct strata_vcpu_places *places)
{
	free(places->moves);
	memset(places, 0, sizeof(*places));
}

uint32_t strata_vcpu_path_find(const struct strata_vcpu_path *path, uint64_t ticks, size_t *at)
{
	size_t low = 0, high = path->nr;

	/* The first *@at moves are not after the last query's tick. */
	if (*at <= path->nr && (*at == 0 || path->moves[*at - 1].ticks <= ticks)) {
		low = *at;
		if (low == path->nr || path->moves[low].ticks > ticks)
			high = low;
	}
	*at = STRATA_PARTITION(i, low, high, path->moves[i].ticks <= ticks);
	return *at ? path->moves[*at - 1].pcpu : STRATA_PCPU_NOT_KNOWN;
}
