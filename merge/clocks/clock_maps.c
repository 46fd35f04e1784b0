// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_maps.c - see clock_maps.h.  xen_scan.c fills the maps, stream_clock.c
 * converts a kernel's readings with them.
 */
#include "clocks/clock_maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/partition.h"

/*
 * Of all guests together; more only if the recording names more vCPUs than this.
 *
 * The owner of a map is its domain.  Xen records numbers of domains and not their UUIDs, so a guest
 * that reboots counts as several domains.  base/fair_share.h does not fit, because maps are never
 * given back: of guests that come one after the other, each would take half of the rest.  So the
 * domains with the most maps are thinned instead, until all others have room (max-min fairness).
 */
#define PIECES_MAX (1u << 19)

/* A vCPU retains at least its first and its last piece. */
#define LEAST_OF_VCPU 2u

static int compare_pieces(const void *left, const void *right)
{
	const struct strata_vcpu_clock_piece *a = left, *b = right;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->vcpu != b->vcpu)
		return a->vcpu < b->vcpu ? -1 : 1;
	if (a->from_ticks != b->from_ticks)
		return a->from_ticks < b->from_ticks ? -1 : 1;
	return 0;
}

static bool of_one_vcpu(const struct strata_vcpu_clock_piece *a,
			const struct strata_vcpu_clock_piece *b)
{
	return a->domain == b->domain && a->vcpu == b->vcpu;
}

static bool of_one_domain(const struct strata_vcpu_clock_piece *a,
			  const struct strata_vcpu_clock_piece *b)
{
	return a->domain == b->domain;
}

typedef bool group_fn(const struct strata_vcpu_clock_piece *a,
		      const struct strata_vcpu_clock_piece *b);

/* Returns the length of the group at the begin of sorted pieces. */
static size_t group_length(const struct strata_vcpu_clock_piece *pieces, size_t nr,
			   group_fn *of_one_group)
{
	size_t length = 1;

	while (length < nr && of_one_group(&pieces[0], &pieces[length]))
		length++;
	return length;
}

/* Returns how many of the sorted pieces remain if no group keeps more than @most. */
static size_t remaining(const struct strata_vcpu_clock_piece *pieces, size_t nr,
			group_fn *of_one_group, size_t most)
{
	size_t first = 0, sum = 0, length;

	for (; first < nr; first += length) {
		length = group_length(&pieces[first], nr - first, of_one_group);
		sum += length < most ? length : most;
	}
	return sum;
}

/* Returns how many pieces each group may keep so that all fit into @room. */
static size_t share_of_group(const struct strata_vcpu_clock_piece *pieces, size_t nr,
			     group_fn *of_one_group, size_t room)
{
	if (nr <= room)
		return nr;
	return STRATA_PARTITION(most, 0, nr, remaining(pieces, nr, of_one_group, most + 1) <= room);
}

static bool same_map(const struct strata_vcpu_clock_piece *a,
		     const struct strata_vcpu_clock_piece *b)
{
	return a->domain == b->domain && a->vcpu == b->vcpu && a->usable == b->usable &&
	       a->emulated == b->emulated && a->map.offset == b->map.offset &&
	       a->map.ratio == b->map.ratio && a->map.frac_bits == b->map.frac_bits &&
	       a->vtsc.mul_frac == b->vtsc.mul_frac && a->vtsc.shift == b->vtsc.shift &&
	       a->vtsc_offset_ns == b->vtsc_offset_ns;
}

/*
 * Drops the sorted pieces that repeat the map of the previous one.  If another CPU's stream later
 * has a change from before such a repetition, the first map applied again after that change: the
 * changed piece is incomplete.
 * Returns the number of remaining pieces.
 */
static size_t drop_repeats(struct strata_vcpu_clock_piece *pieces, size_t nr)
{
	size_t i, kept = 0;

	for (i = 1; i < nr; i++) {
		struct strata_vcpu_clock_piece *last = &pieces[kept], *piece = &pieces[i];

		if (same_map(piece, last)) {
			last->incomplete |= piece->incomplete;
			if (piece->repeated_ticks > last->repeated_ticks)
				last->repeated_ticks = piece->repeated_ticks;
		} else {
			if (of_one_vcpu(piece, last) && piece->from_ticks < last->repeated_ticks)
				piece->incomplete = true;
			pieces[++kept] = *piece;
		}
	}
	return nr ? kept + 1 : 0;
}

/* Reduces each vCPU of sorted pieces to @most.  Returns the number of remaining pieces. */
static size_t thin_vcpus(struct strata_vcpu_clock_piece *pieces, size_t nr, size_t most)
{
	size_t first = 0, kept = 0, next, stride, i;

	for (; first < nr; first = next) {
		next = first + group_length(&pieces[first], nr - first, of_one_vcpu);
		stride = next - first > most ? (next - first - 1) / (most - 1) + 1 : 1;
		for (i = first; i < next; i++) {
			if ((i - first) % stride == 0 || i + 1 == next)
				pieces[kept++] = pieces[i];
			else
				pieces[kept - 1].incomplete = true;
		}
	}
	return kept;
}

/* Reduces a domain with @nr sorted pieces to its share.  Returns the number of remaining pieces. */
static size_t thin_domain(struct strata_clock_maps *maps, struct strata_vcpu_clock_piece *pieces,
			  size_t nr, size_t share)
{
	size_t most, kept;

	if (nr <= share && nr <= STRATA_CLOCK_PIECES_OF_VCPU)
		return nr;
	nr = drop_repeats(pieces, nr);
	most = share_of_group(pieces, nr, of_one_vcpu, share);
	if (most > STRATA_CLOCK_PIECES_OF_VCPU)
		most = STRATA_CLOCK_PIECES_OF_VCPU;
	kept = thin_vcpus(pieces, nr, most > LEAST_OF_VCPU ? most : LEAST_OF_VCPU);
	maps->thinned += nr - kept;
	return kept;
}

/* Thins the domains with the most pieces, so that all fit into @room. */
static void thin(struct strata_clock_maps *maps, size_t room)
{
	struct strata_vcpu_clock_piece *pieces = maps->pieces;
	size_t first = 0, kept = 0, share, length, left;

	qsort(pieces, maps->nr, sizeof(*pieces), compare_pieces);
	share = share_of_group(pieces, maps->nr, of_one_domain, room);
	for (; first < maps->nr; first += length) {
		length = group_length(&pieces[first], maps->nr - first, of_one_domain);
		left = thin_domain(maps, &pieces[first], length, share);
		memmove(&pieces[kept], &pieces[first], left * sizeof(*pieces));
		kept += left;
	}
	maps->nr = kept;
}

/* Makes room for one more piece. */
static bool make_room(struct strata_clock_maps *maps)
{
	size_t capacity = maps->capacity ? maps->capacity * 2 : 64;
	struct strata_vcpu_clock_piece *pieces;

	if (maps->nr < maps->capacity)
		return true;
	/* Leaves half of it free, so that thinning stays rare. */
	if (maps->capacity > STRATA_CLOCK_PIECES_OF_VCPU)
		thin(maps, SIZE_MAX);
	if (maps->capacity >= PIECES_MAX && maps->nr > maps->capacity / 2)
		thin(maps, maps->capacity / 2);
	if (maps->nr <= maps->capacity / 2 && maps->capacity)
		return true;
	pieces = reallocarray(maps->pieces, capacity, sizeof(*pieces));
	if (!pieces)
		return false;
	maps->pieces = pieces;
	maps->capacity = capacity;
	return true;
}

bool strata_clock_maps_add(struct strata_clock_maps *maps, uint64_t ticks,
			   const struct strata_hv_vcpu_clock *clock)
{
	struct strata_vcpu_clock_piece *piece;

	if (!make_room(maps))
		return false;
	piece = &maps->pieces[maps->nr++];
	memset(piece, 0, sizeof(*piece));
	piece->domain = clock->domain;
	piece->vcpu = clock->vcpu;
	piece->from_ticks = piece->repeated_ticks = ticks;
	piece->is_hvm = clock->is_hvm;
	piece->emulated = clock->emulated;
	piece->guest_khz = clock->guest_khz;
	piece->incomplete = clock->incomplete;
	if (clock->is_hvm)
		piece->map.offset = clock->offset;
	if (clock->emulated) {
		piece->vtsc.mul_frac = clock->vtsc_mul_frac;
		piece->vtsc.shift = clock->vtsc_shift;
		piece->vtsc_offset_ns = clock->vtsc_offset_ns;
		piece->vtsc_last_ns = clock->vtsc_last_ns;
		piece->usable = strata_clock_scale_valid(&piece->vtsc);
		return true;
	}
	if (clock->is_hvm) {
		piece->map.ratio = clock->ratio;
		piece->map.frac_bits = clock->ratio_frac_bits;
	}
	piece->usable = strata_clock_map_valid(&piece->map);
	return true;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Host ticks by which the counter was set back from @old to @piece, rounded up; 0: not set back.
 * Emulation of a counter begins or ends before its guest can read it.
 */
static uint64_t set_back(const struct strata_vcpu_clock_piece *old,
			 const struct strata_vcpu_clock_piece *piece, uint32_t tsc_khz)
{
	uint64_t host = piece->from_ticks;
	int64_t back;
	strata_uint128_t ticks;

	if (!old->usable || !piece->usable || old->emulated != piece->emulated)
		return 0;
	if (!piece->emulated) {
		back = (int64_t)(strata_guest_from_host(&old->map, host) -
				 strata_guest_from_host(&piece->map, host));
		if (back <= 0)
			return 0;
		return strata_host_from_guest(
			&(struct strata_clock_map){ 0, old->map.ratio, old->map.frac_bits },
			(uint64_t)back);
	}
	back = (int64_t)(piece->vtsc_offset_ns - old->vtsc_offset_ns);
	back = back < 0 ? -(int64_t)strata_clock_scale(&piece->vtsc, 0 - (uint64_t)back)
			: (int64_t)strata_clock_scale(&piece->vtsc, (uint64_t)back);
	back += (int64_t)(old->map.offset - piece->map.offset);
	if (back <= 0)
		return 0;
	/* During a correction, system time may run up to twice as fast as the counter. */
	ticks = (strata_uint128_t)back * tsc_khz * 2 /
			(piece->guest_khz ? piece->guest_khz : tsc_khz) +
		1;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* Doubt extends across pieces that are shorter. */
static uint64_t reach(uint64_t back, uint64_t length, uint64_t beyond)
{
	uint64_t both = add_held(back, beyond);

	return both > length ? both : back;
}

static void find_doubts(struct strata_clock_maps *maps, uint32_t tsc_khz)
{
	struct strata_vcpu_clock_piece *pieces = maps->pieces;
	size_t i;

	for (i = 1; i < maps->nr; i++) {
		if (!of_one_vcpu(&pieces[i - 1], &pieces[i]))
			continue;
		pieces[i].set_back_ticks = set_back(&pieces[i - 1], &pieces[i], tsc_khz);
		pieces[i].doubt_before = reach(pieces[i].set_back_ticks,
					       pieces[i].from_ticks - pieces[i - 1].from_ticks,
					       pieces[i - 1].doubt_before);
	}
	for (i = maps->nr; i-- > 1;) {
		uint64_t length = UINT64_MAX;

		if (!of_one_vcpu(&pieces[i - 1], &pieces[i]))
			continue;
		if (i + 1 < maps->nr && of_one_vcpu(&pieces[i], &pieces[i + 1]))
			length = pieces[i + 1].from_ticks - pieces[i].from_ticks;
		pieces[i - 1].doubt_after =
			reach(pieces[i].set_back_ticks, length, pieces[i].doubt_after);
	}
}

void strata_clock_maps_sort(struct strata_clock_maps *maps, uint32_t tsc_khz)
{
	if (maps->nr == 0)
		return;
	qsort(maps->pieces, maps->nr, sizeof(*maps->pieces), compare_pieces);
	maps->nr = drop_repeats(maps->pieces, maps->nr);
	find_doubts(maps, tsc_khz);
}

void strata_clock_maps_clear(struct strata_clock_maps *maps)
{
	free(maps->pieces);
	memset(maps, 0, sizeof(*maps));
}

/* Index of the first piece of that vCPU or a later one. */
static size_t first_piece(const struct strata_clock_maps *maps, uint16_t domain, uint16_t vcpu)
{
	const struct strata_vcpu_clock_piece *pieces = maps->pieces;

	return STRATA_PARTITION(i, 0, maps->nr,
				pieces[i].domain != domain ? pieces[i].domain < domain
							   : pieces[i].vcpu < vcpu);
}

const struct strata_vcpu_clock_piece *strata_clock_maps_of(const struct strata_clock_maps *maps,
							   uint16_t domain, uint16_t vcpu,
							   size_t *nr)
{
	size_t first = first_piece(maps, domain, vcpu), i = first;

	while (i < maps->nr && maps->pieces[i].domain == domain && maps->pieces[i].vcpu == vcpu)
		i++;
	*nr = i - first;
	return *nr ? &maps->pieces[first] : NULL;
}

bool strata_clock_maps_usable(const struct strata_clock_maps *maps, uint16_t domain)
{
	size_t i;

	for (i = first_piece(maps, domain, 0); i < maps->nr && maps->pieces[i].domain == domain;
	     i++) {
		if (!maps->pieces[i].usable)
			return false;
	}
	return true;
}

size_t strata_clock_maps_vcpus(const struct strata_clock_maps *maps, uint16_t domain)
{
	size_t first = first_piece(maps, domain, 0), i, nr = 0;

	for (i = first; i < maps->nr && maps->pieces[i].domain == domain; i++)
		nr += i == first || maps->pieces[i].vcpu != maps->pieces[i - 1].vcpu;
	return nr;
}
