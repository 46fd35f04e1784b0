/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu_places.h - the physical CPU on which each vCPU ran, from the hypervisor's records. Only
 * moves are kept: of successive runs on one CPU, only the first.
 */
#ifndef STRATA_MERGE_CLOCKS_VCPU_PLACES_H
#define STRATA_MERGE_CLOCKS_VCPU_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_PCPU_NOT_KNOWN UINT32_MAX

/* From a tick of the host on, a vCPU runs on that CPU, or ran there last. */
struct strata_vcpu_move {
	uint64_t ticks;
	uint32_t key; /* domain << 16 | vCPU */
	uint32_t pcpu : 31;
	uint32_t is_state : 1; /* it was already there when recording began */
};

/* Zero-initialised is empty. */
struct strata_vcpu_places {
	struct strata_vcpu_move *moves; /* by vCPU, then time, once settled */
	size_t nr, nr_sorted;
	size_t capacity;
	uint64_t known_until; /* no earlier move will be added */
	bool full;            /* the table is full: no place is known */
	uint64_t settled;     /* counts the calls of settle, which outdate earlier paths */
};

/* The moves of one vCPU, in order. */
struct strata_vcpu_path {
	const struct strata_vcpu_move *moves;
	size_t nr;
};

/* Moves of all vCPUs together: 64 MiB.  A guest can make its vCPUs move, within limits. */
#define STRATA_VCPU_MOVES_MAX (1u << 22)

/*
 * Adds that a vCPU began to run.
 * @is_state: its place when recording began; entries added before are newer
 * False: out of memory.
 */
bool strata_vcpu_places_add(struct strata_vcpu_places *places, uint64_t ticks, uint16_t domain,
			    uint16_t vcpu, uint32_t pcpu, bool is_state);

/*
 * To be called after adding moves and before the next query.
 * @known_until: no earlier move will be added; UINT64_MAX: none at all
 * False: out of memory.
 */
bool strata_vcpu_places_settle(struct strata_vcpu_places *places, uint64_t known_until);

/* The path of one vCPU, valid until places are settled again. */
struct strata_vcpu_path strata_vcpu_places_of(const struct strata_vcpu_places *places,
					      uint16_t domain, uint16_t vcpu);

void strata_vcpu_places_clear(struct strata_vcpu_places *places);

/*
 * The CPU at a tick; STRATA_PCPU_NOT_KNOWN before the first move.
 * @at: IN/OUT, start of the search, 0 at first: successive queries are close together
 */
uint32_t strata_vcpu_path_find(const struct strata_vcpu_path *path, uint64_t ticks, size_t *at);

#endif /* STRATA_MERGE_CLOCKS_VCPU_PLACES_H */
