/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines_offsets.h - one offset for the traces of one clock.
 *
 * LTTng's kernel and user space tracers read the same clock, but each measures its offset to 1970
 * by itself.  Readings of clocks with the same UUID are in order as they are, so all get the offset
 * of the machine's first trace.  Offsets that differ by more than a second stay: the time was set,
 * or the machine slept or was copied.
 */
#ifndef STRATA_MERGE_INPUTS_MACHINES_OFFSETS_H
#define STRATA_MERGE_INPUTS_MACHINES_OFFSETS_H

#include "inputs/machines.h"

/* Gives traces of one clock one offset, which preserves the clock's order. */
void strata_machines_share_offsets(const struct strata_machines *machines,
				   struct strata_trace_set *set);

/* Returns by how many ns the offset of a trace's clock differs from that of its machine's first
 * trace. */
uint64_t strata_machines_offset_distance(const struct strata_machines *machines,
					 const struct strata_trace_set *set, size_t at);

#endif /* STRATA_MERGE_INPUTS_MACHINES_OFFSETS_H */
