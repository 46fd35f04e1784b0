/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hypervisor_aggregate.h - a channel of the hypervisor that counts events and records none
 * (strata/abi/aggregate.h): makes its tables and reads them.  Selection, start and stop are those
 * of hypervisor.h.
 */
#ifndef STRATA_CONSUMERD_HYPERVISOR_AGGREGATE_H
#define STRATA_CONSUMERD_HYPERVISOR_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/aggregate.h>

#include "base/error.h"

struct hypervisor;

/* The contents of a channel's tables, summed over all CPUs. */
struct aggregate_rows {
	/* Of each row its key, then its words. */
	uint64_t *words;
	size_t nr, room; /* rows */
	uint64_t others[STRATA_AGGREGATE_OTHERS];
	uint32_t bad;   /* rows that a guest has written and no event of its can have */
	uint64_t ticks; /* when they were read; 0: never */
};

void aggregate_rows_clear(struct aggregate_rows *rows);

/*
 * Makes the channel's tables.
 * @owner: as for hypervisor_create()
 * The caller holds the lock of the channel's number: what the channel has belongs to a process that
 * died, and is freed.  0 or -1.
 */
int hypervisor_aggregate(struct hypervisor *hypervisor, const struct strata_aggregate_spec *spec,
			 const char *owner, struct strata_error *error);

/*
 * Has the channel count in new tables from here on, with the rows of @spec; it misses no event.
 * 0, or -1: it counts on in those of before.
 */
int hypervisor_renew_aggregate(struct hypervisor *hypervisor,
			       const struct strata_aggregate_spec *spec,
			       struct strata_error *error);

/*
 * Replaces @rows by the current ones.
 * @spec: of the tables
 * @previous: reads those that the last renewal has replaced
 * 0 or -1.
 */
int hypervisor_read_aggregate(struct hypervisor *hypervisor,
			      const struct strata_aggregate_spec *spec, bool previous,
			      struct aggregate_rows *rows, struct strata_error *error);

#endif /* STRATA_CONSUMERD_HYPERVISOR_AGGREGATE_H */
