// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_nearest.c - see filter_nearest.h. */
#include "filter/filter_nearest.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Wagner-Fischer, one row of the table at a time: row[j] is the distance of the part of @wanted
 * seen so far to the first j bytes of @name. */
static uint32_t distance(const char *wanted, size_t wanted_bytes, bool is_pattern, const char *name,
			 size_t bytes)
{
	uint32_t row[STRATA_NEAREST_BYTES_MAX + 1];
	size_t i, j;

	for (j = 0; j <= bytes; j++)
		row[j] = (uint32_t)j;
	for (i = 0; i < wanted_bytes; i++) {
		const bool any_bytes = is_pattern && wanted[i] == '*';
		const bool any_byte = is_pattern && wanted[i] == '?';
		uint32_t diagonal = row[0];

		row[0] += !any_bytes;
		for (j = 1; j <= bytes; j++) {
			const uint32_t above = row[j];

			if (any_bytes)
				row[j] = above < row[j - 1] ? above : row[j - 1];
			else
				row[j] = least(above + 1, row[j - 1] + 1,
					       diagonal + !(any_byte || wanted[i] == name[j - 1]));
			diagonal = above;
		}
	}
	return row[bytes];
}

void strata_nearest_name(struct strata_nearest *nearest, const char *wanted, size_t wanted_bytes,
			 bool is_pattern, const char *name, size_t bytes)
{
	uint32_t found;

	if (wanted_bytes > STRATA_NEAREST_BYTES_MAX || bytes > STRATA_NEAREST_BYTES_MAX || !bytes)
		return;
	found = distance(wanted, wanted_bytes, is_pattern, name, bytes);
	if (nearest->found && found >= nearest->distance)
		return;
	nearest->found = true;
	nearest->is_number = false;
	nearest->distance = found;
	memcpy(nearest->name, name, bytes);
	nearest->name[bytes] = '\0';
}

void strata_nearest_number(struct strata_nearest *nearest, uint64_t wanted, uint64_t number)
{
	const uint64_t found = wanted < number ? number - wanted : wanted - number;

	if (nearest->found && found >= nearest->distance)
		return;
	nearest->found = true;
	nearest->is_number = true;
	nearest->distance = found;
	nearest->number = number;
}
