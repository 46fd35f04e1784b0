/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_aggregate.h - parses what to count: `count`, `count:domain`, `count:process`,
 * `time:vm_exit..vm_entry`, `time:vm_exit..vm_entry:domain`, `time:begin..end:process`.
 */
#ifndef STRATA_STRATAD_SELECT_AGGREGATE_H
#define STRATA_STRATAD_SELECT_AGGREGATE_H

#include <strata/abi/aggregate.h>
#include <strata/event.h>

#include "base/error.h"
#include "stratad/select/select_xen.h"

struct aggregate_choice {
	enum strata_aggregate_kind kind;
	bool by_domain;
	bool by_process;                                                   /* of applications */
	char begin[STRATA_EVENT_NAME_BYTES], end[STRATA_EVENT_NAME_BYTES]; /* of times */
};

/* 0, or -1: @text is not such a specification. */
int select_aggregate(const char *text, struct aggregate_choice *choice, struct strata_error *error);

/*
 * Specifies the tables of the hypervisor, and for times selects their two events.
 * @selection: for counts as the user chose; for times empty
 * 0, or -1: Xen has no such events.
 */
int select_aggregate_xen(const struct aggregate_choice *choice, struct xen_selection *selection,
			 struct strata_aggregate_spec *spec, struct strata_error *error);

/* The fewest bits for that many rows, within the limits of what @spec counts. */
uint8_t select_aggregate_row_bits(const struct strata_aggregate_spec *spec, uint32_t rows);

/* Specifies the tables of a kernel; of times, all but which events these are. */
void select_aggregate_kernel(const struct aggregate_choice *choice,
			     struct strata_aggregate_spec *spec);

#endif /* STRATA_STRATAD_SELECT_AGGREGATE_H */
