/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_filter.h - filters of kernels' events by their fields, `--kernel-filter DOMAIN:EVENTS:
 * EXPRESSION`: compiles them for the events of a kernel's table (filter/filter_program.h), and
 * writes them as words of its start command (strata/abi/guest.h).
 */
#ifndef STRATA_STRATAD_SELECT_FILTER_H
#define STRATA_STRATAD_SELECT_FILTER_H

#include "stratad/select/select_kernel.h"

/* The expression in the text of a selection, "EVENTS: EXPRESSION"; NULL: there is none. */
const char *select_filter_expression(const char *text);

/* Checks the expression of a selection, which no kernel is known for yet.  0 or -1. */
int select_filter_check(const struct kernel_selection *selection, struct strata_error *error);

/* The filters of one kernel.  Zero-initialised is empty. */
struct select_filters {
	struct event_set events; /* that have a filter */
	char *words;             /* each after a space; NULL: no filter */
};

/*
 * Compiles all filters of a list of selections that match a domain; see select_filter_add().
 * @name: of the domain, as xenstore has it
 */
int select_filters_choose(struct select_filters *filters, const struct kernel_selection *selections,
			  size_t nr_selections, uint32_t domain, const char *name,
			  const struct strata_event_desc *table, size_t nr,
			  const struct event_set *recorded, struct strata_error *error);

/*
 * Adds the filter of a selection for those of its events that the kernel records.
 * @table: the kernel's @nr events
 * The expression 1 adds nothing, also for events that are not recorded.
 * Returns 0, or -1 with what the kernel cannot do; the caller clears the filters then, too.
 */
int select_filter_add(struct select_filters *filters, const struct kernel_selection *selection,
		      const struct strata_event_desc *table, size_t nr,
		      const struct event_set *recorded, struct strata_error *error);

void select_filters_clear(struct select_filters *filters);

#endif /* STRATA_STRATAD_SELECT_FILTER_H */
