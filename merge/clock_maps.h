/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_maps.h - every vCPU's clock, as the hypervisor recorded it: one map from
 * when recording started, and another from each change on.
 */
#ifndef STRATA_MERGE_CLOCK_MAPS_H
#define STRATA_MERGE_CLOCK_MAPS_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>
#include <strata/clock.h>

struct strata_clock_piece {
	uint16_t domain;
	uint16_t vcpu;
	bool usable;         /* false: emulated, or a map that cannot be */
	uint64_t from_ticks; /* host */
	struct strata_clock_map map;
};

/* Zero-initialised is empty. */
struct strata_clock_maps {
	struct strata_clock_piece *pieces;
	size_t nr;
	size_t capacity;
};

/* Adds what a record at host time @ticks says.  False: out of memory. */
bool strata_clock_maps_add(struct strata_clock_maps *maps, uint64_t ticks,
			   const struct strata_hv_vcpu_clock *clock);

/* To be called after the last add and before the first question. */
void strata_clock_maps_sort(struct strata_clock_maps *maps);

void strata_clock_maps_clear(struct strata_clock_maps *maps);

/* False if any map of the domain is of a kind that cannot be ordered by arithmetic. */
bool strata_clock_maps_usable(const struct strata_clock_maps *maps, uint16_t domain);

/* The clock of one stream of a kernel: where in its vCPU's pieces it is. */
struct strata_stream_clock {
	const struct strata_clock_piece *pieces; /* by time */
	size_t nr;                               /* 0: unknown, taken as the host's */
	size_t at;
	uint32_t tsc_khz;
	uint64_t last_guest;
};

void strata_stream_clock_init(struct strata_stream_clock *clock,
			      const struct strata_clock_maps *maps, uint16_t domain, uint16_t vcpu,
			      uint32_t tsc_khz);

/* The host tick of a guest tick.  To be called with the stream's ticks in their order. */
uint64_t strata_stream_clock_convert(struct strata_stream_clock *clock, uint64_t guest);

/* The largest bound of the stream's maps, in host ticks; see strata_clock_map_bound_ticks(). */
uint64_t strata_stream_clock_bound_ticks(const struct strata_stream_clock *clock);

#endif /* STRATA_MERGE_CLOCK_MAPS_H */
