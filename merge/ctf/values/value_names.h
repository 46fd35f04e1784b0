/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value_names.h - finds the table of names for a value of a field that has names. */
#ifndef STRATA_MERGE_VALUE_NAMES_H
#define STRATA_MERGE_VALUE_NAMES_H

#include "base/number_names.h"
#include "ctf/types/ctf_types.h"

/* Returns the table for a value of the field, as the values in @slots choose it; NULL: none. */
static inline const struct strata_number_names *
strata_value_names(const struct strata_ctf_names *names, const uint64_t *slots)
{
	return names->slot < 0 ? names->table
			       : strata_names_choose(names->table, slots[names->slot]);
}

#endif /* STRATA_MERGE_VALUE_NAMES_H */
