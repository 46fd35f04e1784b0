/* SPDX-License-Identifier: MIT */
/*
 * clock.h - converts between a guest's time stamp counter and the host's, and host
 * ticks to nanoseconds.  Pure functions in 128-bit arithmetic; nothing here
 * estimates.
 *
 * The hardware gives a guest
 *
 *     guest = (host * ratio >> frac_bits) + offset        (modulo 2^64)
 *
 * and the hypervisor records offset, ratio and frac_bits.  The map is exact; its
 * inverse is exact up to the host ticks that share a guest tick: see
 * strata_clock_map_bound_ticks().
 */
#ifndef STRATA_CLOCK_H
#define STRATA_CLOCK_H

#include <strata/platform/platform.h>

__extension__ typedef unsigned __int128 strata_uint128_t;

struct strata_clock_map {
	uint64_t offset;
	uint64_t ratio;     /* ignored where frac_bits is 0 */
	uint32_t frac_bits; /* 0: the ratio is one */
};

/* Whether the functions below accept @map.  Check each map that comes from outside. */
static inline bool strata_clock_map_valid(const struct strata_clock_map *map)
{
	return map->frac_bits == 0 || (map->frac_bits < 64 && map->ratio != 0);
}

/* What the guest reads when the host's counter is @host. */
static inline uint64_t strata_guest_from_host(const struct strata_clock_map *map, uint64_t host)
{
	if (map->frac_bits == 0)
		return host + map->offset;
	return (uint64_t)(((strata_uint128_t)host * map->ratio) >> map->frac_bits) + map->offset;
}

/*
 * The first host tick at which the guest reads @guest, or more where the ratio
 * steps over it.  UINT64_MAX if that is beyond 64 bits (only a map that is no
 * guest's gives that).
 *
 * For every host tick h:  strata_host_from_guest(map, strata_guest_from_host(map, h))
 * lies in (h - strata_clock_map_bound_ticks(map), h].
 */
static inline uint64_t strata_host_from_guest(const struct strata_clock_map *map, uint64_t guest)
{
	uint64_t scaled = guest - map->offset;
	strata_uint128_t host;

	if (map->frac_bits == 0)
		return scaled;
	/* The smallest h with h * ratio >= scaled * 2^frac_bits; the sum stays below 2^128. */
	host = (((strata_uint128_t)scaled << map->frac_bits) + (map->ratio - 1)) / map->ratio;
	return host > UINT64_MAX ? UINT64_MAX : (uint64_t)host;
}

/*
 * Host ticks that share one guest tick: the error of an instant is less than this. 1 for
 * offset and identity, and where the guest's counter is the faster one: no counter is
 * read more finely.
 */
static inline uint64_t strata_clock_map_bound_ticks(const struct strata_clock_map *map)
{
	uint64_t one;

	if (map->frac_bits == 0)
		return 1;
	one = 1ull << map->frac_bits;
	return map->ratio >= one ? 1 : (one - 1) / map->ratio + 1;
}

/*
 * Xen's way to scale one clock into another: shifted left (right, where shift is
 * negative), times mul_frac / 2^32, rounded down.
 */
struct strata_clock_scale {
	uint32_t mul_frac;
	int32_t shift;
};

/* Whether the functions below accept @scale.  Check each scale that comes from outside. */
static inline bool strata_clock_scale_valid(const struct strata_clock_scale *scale)
{
	return scale->mul_frac != 0 && scale->shift > -32 && scale->shift < 32;
}

/* Exact where Xen's calculation is: as long as the left shift loses no bit.  At most UINT64_MAX. */
static inline uint64_t strata_clock_scale(const struct strata_clock_scale *scale, uint64_t delta)
{
	strata_uint128_t shifted = delta;

	shifted = scale->shift < 0 ? shifted >> -scale->shift : shifted << scale->shift;
	/* Less than 2^95 times less than 2^32. */
	shifted = (shifted * scale->mul_frac) >> 32;
	return shifted > UINT64_MAX ? UINT64_MAX : (uint64_t)shifted;
}

/* The least delta that is scaled to @value or more; UINT64_MAX if that is beyond 64 bits. */
static inline uint64_t strata_clock_unscale_first(const struct strata_clock_scale *scale,
						  uint64_t value)
{
	strata_uint128_t delta =
		(((strata_uint128_t)value << 32) + (scale->mul_frac - 1u)) / scale->mul_frac;

	if (scale->shift < 0)
		delta = delta > UINT64_MAX ? delta : delta << -scale->shift;
	else
		delta = (delta + ((1ull << scale->shift) - 1)) >> scale->shift;
	return delta > UINT64_MAX ? UINT64_MAX : (uint64_t)delta;
}

/* The greatest delta that is scaled to @value or less. */
static inline uint64_t strata_clock_unscale_last(const struct strata_clock_scale *scale,
						 uint64_t value)
{
	uint64_t next;

	if (value == UINT64_MAX)
		return UINT64_MAX;
	next = strata_clock_unscale_first(scale, value + 1);
	/* Scaled to less than value + 1 if it is beyond 64 bits, and so are all below it. */
	return next == UINT64_MAX ? next : next - 1;
}

/* Where host ticks lie in real time: @anchor_ns nanoseconds since 1970 at @anchor_ticks. */
struct strata_timebase {
	uint64_t anchor_ticks;
	uint64_t anchor_ns; /* at most INT64_MAX */
	uint32_t tsc_khz;   /* not 0 */
};

/* A time of INT64_MAX itself makes babeltrace2 2.0 refuse the whole trace. */
#define STRATA_NS_MAX ((uint64_t)INT64_MAX - 1)

/* Ticks as nanoseconds, rounded down; at most STRATA_NS_MAX. */
static inline uint64_t strata_ticks_to_ns(uint32_t tsc_khz, uint64_t ticks)
{
	strata_uint128_t ns;

	/* The 64-bit division is several times faster, and enough for an hour and more. */
	if (ticks <= UINT64_MAX / 1000000u)
		return ticks * 1000000u / tsc_khz;
	ns = (strata_uint128_t)ticks * 1000000u / tsc_khz;
	return ns > STRATA_NS_MAX ? STRATA_NS_MAX : (uint64_t)ns;
}

/* The same, rounded up: for bounds. */
static inline uint64_t strata_ticks_to_ns_up(uint32_t tsc_khz, uint64_t ticks)
{
	strata_uint128_t ns = ((strata_uint128_t)ticks * 1000000u + (tsc_khz - 1)) / tsc_khz;

	return ns > STRATA_NS_MAX ? STRATA_NS_MAX : (uint64_t)ns;
}

/*
 * Nanoseconds since 1970 at a host tick: floor of the exact value, so it never
 * decreases as ticks grow and cannot reorder two events. Clamped to 0 .. STRATA_NS_MAX,
 * which every CTF reader can represent.
 */
static inline uint64_t strata_realtime_ns(const struct strata_timebase *base, uint64_t ticks)
{
	uint64_t ns;

	if (ticks >= base->anchor_ticks) {
		ns = strata_ticks_to_ns(base->tsc_khz, ticks - base->anchor_ticks);
		return ns > STRATA_NS_MAX - base->anchor_ns ? STRATA_NS_MAX : base->anchor_ns + ns;
	}
	/* Before the anchor the distance is rounded up: down in time, as above. */
	ns = strata_ticks_to_ns_up(base->tsc_khz, base->anchor_ticks - ticks);
	return ns > base->anchor_ns ? 0 : base->anchor_ns - ns;
}

/*
 * Several host ticks share a nanosecond where the counter runs at more than 1 GHz.  A time is then
 * a nanosecond and the number of its tick within it, counted from 0: such pairs have the
 * order of ticks, and identify the tick.
 */
#define STRATA_TICK_BITS 4u
#define STRATA_TICK_MAX  ((1u << STRATA_TICK_BITS) - 1) /* counters of less than 16 GHz */

/* Ticks at a distance of @ticks from the anchor take @ns and a rest: the number of the tick. */
static inline uint32_t strata_tick_of_rest(uint64_t rest)
{
	/* A tick is as long as a million of these units. */
	if (rest < 1000000u)
		return 0;
	rest /= 1000000u;
	return rest > STRATA_TICK_MAX ? STRATA_TICK_MAX : (uint32_t)rest;
}

/*
 * The same as strata_realtime_ns().
 * @tick: OUT, the number of the tick within that nanosecond; 0 where the time was clamped
 */
static inline uint64_t strata_realtime_tick(const struct strata_timebase *base, uint64_t ticks,
					    uint32_t *tick)
{
	const uint64_t ns = strata_realtime_ns(base, ticks);
	uint64_t whole;

	*tick = 0;
	if (base->tsc_khz <= 1000000u || ns == 0 || ns == STRATA_NS_MAX)
		return ns;
	/* Modulo 2^64 is enough: the rest is less than the frequency. */
	if (ticks >= base->anchor_ticks) {
		whole = (ns - base->anchor_ns) * base->tsc_khz;
		*tick = strata_tick_of_rest((ticks - base->anchor_ticks) * 1000000u - whole);
	} else {
		whole = (base->anchor_ns - ns) * base->tsc_khz;
		*tick = strata_tick_of_rest(whole - (base->anchor_ticks - ticks) * 1000000u);
	}
	return ns;
}

/* The inverse: the host tick with that number within a nanosecond. */
static inline uint64_t strata_realtime_to_ticks(const struct strata_timebase *base, uint64_t ns,
						uint32_t tick)
{
	strata_uint128_t ticks;
	uint64_t distance;

	if (ns < base->anchor_ns) {
		ticks = (strata_uint128_t)(base->anchor_ns - ns) * base->tsc_khz / 1000000u;
		ticks = ticks > base->anchor_ticks ? 0 : base->anchor_ticks - ticks;
	} else {
		distance = ns - base->anchor_ns;
		/* As in strata_ticks_to_ns(). */
		if (distance <= (UINT64_MAX - 999999u) / base->tsc_khz)
			ticks = (distance * base->tsc_khz + 999999u) / 1000000u;
		else
			ticks = ((strata_uint128_t)distance * base->tsc_khz + 999999u) / 1000000u;
		ticks += base->anchor_ticks;
	}
	ticks += tick;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

#endif /* STRATA_CLOCK_H */
