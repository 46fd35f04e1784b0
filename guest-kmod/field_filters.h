/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field_filters.h - the field filters of a channel: one for each event that has one, verified when
 * domain 0 sends it (strata/field_filter_check.h).
 */
#ifndef STRATA_KMOD_FIELD_FILTERS_H
#define STRATA_KMOD_FIELD_FILTERS_H

#include <strata/abi/guest.h>
#include <strata/field_filter.h>

#include "events.h"

struct strata_field_filters {
	const struct strata_field_filter *of[STRATA_GUEST_EVENTS_MAX]; /* by id; NULL: all pass */
};

/*
 * Adds filters to a channel's.
 * @filters: IN/OUT, made if it is NULL; the caller frees it, also after an error
 * @text: "ENTRIES:PROGRAM" (strata/abi/guest.h), parsed in place
 * Returns 0, or a negative error; of a program that is wrong, after a message.  May sleep.
 */
int strata_field_filters_add(struct strata_field_filters **filters, char *text);

/* No probe uses them.  NULL is fine. */
void strata_field_filters_free(struct strata_field_filters *filters);

#endif /* STRATA_KMOD_FIELD_FILTERS_H */
