/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value_names.h - finds the table of names for a value of a field that has names. */
#ifndef STRATA_MERGE_VALUE_NAMES_H
#define STRATA_MERGE_VALUE_NAMES_H

#include "base/number_names.h"
#include "ctf/types/ctf_types.h"

/* Returns the table for a value of the field, selected by the values in @slots; NULL: none. */
static inline const struct strata_number_names *
strata_value_names(const struct strata_ctf_names *names, const uint64_t *slots)
{
	return names->slot < 0 || !names->table
		       ? names->table
		       : strata_names_choose(names->table, slots[names->slot]);
}

/* Returns the symbols for an address; NULL: not an address, or unknown. */
static inline const struct strata_symbols *
strata_value_symbols(const struct strata_ctf_names *names, const uint64_t *slots)
{
	const struct strata_ctf_symbols *symbols = names->symbols;
	size_t i;

	if (!symbols || names->slot < 0)
		return symbols ? symbols->own : NULL;
	for (i = 0; i < symbols->nr_domains; i++) {
		if (symbols->of_domains[i].domain == slots[names->slot])
			return symbols->of_domains[i].symbols;
	}
	return NULL;
}

/* Whether values of an integer may have names from outside of its trace. */
static inline bool strata_has_names(const struct strata_ctf_type *type)
{
	const struct strata_ctf_symbols *symbols = type->names ? type->names->symbols : NULL;

	return type->names && (!symbols || symbols->own || symbols->nr_domains);
}

#endif /* STRATA_MERGE_VALUE_NAMES_H */
