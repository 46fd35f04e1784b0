/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_maps.h - every vCPU's clock, as the hypervisor recorded it: one map from
 * when recording started, and another from each change on.
 *
 * Xen records a change while the vCPU cannot read its counter, so a piece holds
 * for exactly the readings from its tick on until the next piece's.
 *
 * A guest decides how often its clock changes.  Xen records a few changes in a window and marks
 * what it leaves out; here the pieces of a vCPU are thinned where they become too many.  Either
 * way a piece is incomplete, and no time of its vCPU is sure.
 */
#ifndef STRATA_MERGE_CLOCK_MAPS_H
#define STRATA_MERGE_CLOCK_MAPS_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>
#include <strata/clock.h>

struct strata_vcpu_clock_piece {
	uint16_t domain;
	uint16_t vcpu;
	bool usable;         /* false: no clock can be like this */
	bool is_hvm;         /* native: an offset applies */
	bool emulated;       /* the map gives the offset only, the rest is below */
	bool incomplete;     /* until the next piece, others held that are not known */
	uint64_t from_ticks; /* host */
	struct strata_clock_map map;
	struct strata_clock_scale vtsc; /* system time less vtsc_offset_ns, to ticks */
	uint64_t vtsc_offset_ns;
	uint64_t vtsc_last_ns;   /* the domain's last answer when this piece began */
	uint32_t guest_khz;      /* 0: unknown */
	uint64_t set_back_ticks; /* host ticks by which the counter was set back here */
	/*
	 * Where counters are set back, readings repeat.  A reading less than doubt_before host
	 * ticks after this piece began may be an earlier piece's, one less than doubt_after before
	 * it ends a later one's; it is then off by that much at most.
	 */
	uint64_t doubt_before;
	uint64_t doubt_after;
};

/* Zero-initialised is empty. */
struct strata_clock_maps {
	struct strata_vcpu_clock_piece *pieces; /* by domain, vCPU and time */
	size_t nr;
	size_t capacity;
	size_t thinned; /* pieces that were dropped because a vCPU had too many */
};

/* A vCPU keeps this many at least while the recording names fewer than a hundred such vCPUs. */
#define STRATA_CLOCK_PIECES_OF_VCPU 4096u

/* Adds what a record at host time @ticks says.  False: out of memory. */
bool strata_clock_maps_add(struct strata_clock_maps *maps, uint64_t ticks,
			   const struct strata_hv_vcpu_clock *clock);

/* To be called after the last add and before the first question. @tsc_khz: the host's */
void strata_clock_maps_sort(struct strata_clock_maps *maps, uint32_t tsc_khz);

void strata_clock_maps_clear(struct strata_clock_maps *maps);

/* The pieces of one vCPU, by time; NULL and 0: its clock was not recorded. */
const struct strata_vcpu_clock_piece *strata_clock_maps_of(const struct strata_clock_maps *maps,
							   uint16_t domain, uint16_t vcpu,
							   size_t *nr);

/* False if any map of the domain is one that cannot be. */
bool strata_clock_maps_usable(const struct strata_clock_maps *maps, uint16_t domain);

/* How many of a domain's vCPUs have a clock that was recorded. */
size_t strata_clock_maps_vcpus(const struct strata_clock_maps *maps, uint16_t domain);

#endif /* STRATA_MERGE_CLOCK_MAPS_H */
