/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - which events of kernels a user asks for: `--kernel
 * g1:sched_*,irq_*`.  Those of Xen: select_xen.h.
 */
#ifndef STRATA_STRATA_SELECT_H
#define STRATA_STRATA_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <strata/event.h>

#include "error.h"

/* One --kernel argument. */
struct kernel_selection {
	char domain[80];    /* a name, a number, or `*` */
	const char *events; /* comma-separated patterns, `all` */
	bool found;         /* a domain matched */
};

/* Splits DOMAIN:EVENTS (EVENTS may be missing: all).  0 or -1. */
int select_parse_kernel(const char *argument, struct kernel_selection *selection,
			struct strata_error *error);

bool select_matches_domain(const struct kernel_selection *selection, uint32_t domain,
			   const char *name);

/*
 * The mask of the events in a guest's table that the patterns name.  Names in
 * the table are hostile, but zero-terminated.  0, or -1 when a pattern names none.
 */
int select_kernel_events(const char *patterns, const struct strata_event_desc *events, size_t nr,
			 uint64_t *mask, struct strata_error *error);

#endif /* STRATA_STRATA_SELECT_H */
