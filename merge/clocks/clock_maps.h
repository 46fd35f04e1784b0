/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_maps.h - the clock of every vCPU, from the hypervisor's records: one map from the start of
 * the recording, and another from each change.
 *
 * Xen records a change while the vCPU cannot read its counter, so a piece is valid exactly from its
 * tick to the next piece's.
 *
 * A guest decides how often its clock changes. Xen records a few changes in each window and marks
 * omissions; here, too many pieces of a vCPU or of a domain are thinned. In both cases a piece is
 * incomplete, and no time of its vCPU has a proven bound. Domains with fewer pieces than others
 * keep all of theirs.
 */
#ifndef STRATA_MERGE_CLOCK_MAPS_H
#define STRATA_MERGE_CLOCK_MAPS_H

#include <stddef.h>

#include <strata/abi/hypervisor.h>
#include <strata/clock.h>

struct strata_vcpu_clock_piece {
	uint16_t domain;
	uint16_t vcpu;
	bool usable;         /* false: the map is impossible */
	bool is_hvm;         /* native: an offset applies */
	bool emulated;       /* the map has only the offset; the fields below have the rest */
	bool incomplete;     /* until the next piece, other maps applied that were not recorded */
	uint64_t from_ticks; /* host ticks */
	uint64_t repeated_ticks; /* of the last record of the same map before another one */
	struct strata_clock_map map;
	struct strata_clock_scale vtsc; /* system time less vtsc_offset_ns, to ticks */
	uint64_t vtsc_offset_ns;
	uint64_t vtsc_last_ns;   /* the last time returned to the domain when this piece began */
	uint32_t guest_khz;      /* 0: unknown */
	uint64_t set_back_ticks; /* host ticks by which the counter was set back here */
	/*
	 * When counters are set back, readings repeat.  A reading less than doubt_before host ticks
	 * after this piece began may belong to an earlier piece; one less than doubt_after before
	 * its end to a later one.  The error is at most that much.
	 */
	uint64_t doubt_before;
	uint64_t doubt_after;
};

/* Zero-initialised is empty. */
struct strata_clock_maps {
	struct strata_vcpu_clock_piece *pieces; /* by domain, vCPU and time */
	size_t nr;
	size_t capacity;
	size_t thinned; /* dropped pieces, because a vCPU or a domain had too many */
};

/* Pieces of a vCPU beyond this are thinned.  All domains together have 524,288: when these are used
 * up, the domains with the most are thinned until half are free. */
#define STRATA_CLOCK_PIECES_OF_VCPU 4096u

/* Adds a record of host time @ticks.  False: out of memory. */
bool strata_clock_maps_add(struct strata_clock_maps *maps, uint64_t ticks,
			   const struct strata_hv_vcpu_clock *clock);

/* To be called after the last add and before the first query. @tsc_khz: the host's */
void strata_clock_maps_sort(struct strata_clock_maps *maps, uint32_t tsc_khz);

void strata_clock_maps_clear(struct strata_clock_maps *maps);

/* Returns the pieces of one vCPU, in order of time; NULL and 0: its clock was not recorded. */
const struct strata_vcpu_clock_piece *strata_clock_maps_of(const struct strata_clock_maps *maps,
							   uint16_t domain, uint16_t vcpu,
							   size_t *nr);

/* Returns false if any map of the domain is impossible. */
bool strata_clock_maps_usable(const struct strata_clock_maps *maps, uint16_t domain);

/* Returns the number of a domain's vCPUs whose clock was recorded. */
size_t strata_clock_maps_vcpus(const struct strata_clock_maps *maps, uint16_t domain);

#endif /* STRATA_MERGE_CLOCK_MAPS_H */
