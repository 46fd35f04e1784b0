// SPDX-License-Identifier: GPL-2.0-or-later
/* number_names.c - see number_names.h. */
#include "base/number_names.h"

const char *strata_number_names_at(const struct strata_number_names *names, uint64_t number,
				   size_t *at)
{
	if (names->is_negated)
		number = 0 - number;
	if (names->mask)
		number &= names->mask;
	while (*at < names->nr_ranges) {
		const struct strata_name_range *range = &names->ranges[(*at)++];

		if (number - range->first < range->nr && range->names[number - range->first])
			return range->names[number - range->first];
	}
	return NULL;
}

const char *strata_number_name(const struct strata_number_names *names, uint64_t number)
{
	size_t at = 0;

	return strata_number_names_at(names, number, &at);
}

const struct strata_number_names *strata_names_choose(const struct strata_number_names *names,
						      uint64_t value)
{
	size_t i;

	for (i = 0; i < names->nr_choices; i++) {
		if (names->choices[i].value == value)
			return names->choices[i].names;
	}
	return names->nr_ranges ? names : NULL;
}

/* Returns the name at a position among all of a table's names, after skipping the first @skip of
 * them; NULL: the table has no more.  @skip: IN/OUT */
static const char *name_at(const struct strata_number_names *names, size_t *skip)
{
	size_t i, j;

	for (i = 0; i < names->nr_ranges; i++) {
		for (j = 0; j < names->ranges[i].nr; j++) {
			if (names->ranges[i].names[j] && (*skip)-- == 0)
				return names->ranges[i].names[j];
		}
	}
	return NULL;
}

const char *strata_number_names_next(const struct strata_number_names *names, size_t *at)
{
	size_t i, skip = (*at)++;
	const char *name = name_at(names, &skip);

	/* Choices have ranges, but no choices of their own. */
	for (i = 0; i < names->nr_choices && !name; i++)
		name = name_at(names->choices[i].names, &skip);
	return name;
}
