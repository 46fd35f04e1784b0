// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_tables.c - see guest_tables.h. */
#include "consumerd/xen/guest_tables.h"

#include <stdlib.h>

#include <strata/abi/guest.h>
#include <strata/aggregate.h>

#include "consumerd/xen/grant_call.h"

/* Copies all pages.  0 or -1. */
static int copy_all(xengnttab_handle *gnttab, uint32_t domain, const struct guest_tables *tables,
		    unsigned char *to, struct strata_error *error)
{
	uint32_t done = 0;

	while (done < tables->nr_refs) {
		const uint32_t left = tables->nr_refs - done;
		const uint32_t nr = left < GRANT_CALL_PAGES ? left : GRANT_CALL_PAGES;

		if (guest_copy_pages(gnttab, domain, tables->refs + done, nr,
				     to + (size_t)done * STRATA_PAGE_BYTES,
				     (size_t)nr * STRATA_PAGE_BYTES, "its tables", error))
			return -1;
		done += nr;
	}
	return 0;
}

/* Whether a kernel may have entered the key. */
static bool key_is_valid(const struct guest_tables *tables,
			 const struct strata_aggregate_spec *spec, uint64_t key)
{
	const uint32_t event = strata_aggregate_key_event(key);

	return key == strata_aggregate_key(event, 0) &&
	       (spec->kind == STRATA_AGGREGATE_COUNT ? event < tables->nr_events : !event);
}

/* Notes an event in @seen.  False: it was there. */
static bool is_first(uint64_t *seen, uint32_t event)
{
	const uint64_t bit = 1ull << event % 64;
	const bool first = !(seen[event / 64] & bit);

	seen[event / 64] |= bit;
	return first;
}

static size_t seen_words(const struct guest_tables *tables)
{
	return tables->nr_events / 64 + 1;
}

/* Adds up the rows of a copy, which has a key, then words.  All of it is hostile: no key is taken
 * twice, none of an event that the guest does not have, and no sum wraps. */
static void add_up(const struct guest_tables *tables, const struct strata_aggregate_spec *spec,
		   const unsigned long *copy, struct aggregate_rows *rows, uint64_t *seen)
{
	const size_t page_words = STRATA_PAGE_BYTES / sizeof(*copy);
	const size_t table_words = strata_guest_count_pages(spec) * page_words;
	const size_t words = strata_aggregate_row_words(spec);
	const unsigned long *first = copy + strata_guest_key_pages(spec) * page_words;
	uint32_t row, cpu, i;

	rows->nr = 0;
	rows->bad = 0;
	for (row = 0; row < strata_aggregate_rows(spec); row++) {
		uint64_t *sum = rows->words + rows->nr * (1 + words);

		if (!copy[row])
			continue;
		if (!key_is_valid(tables, spec, copy[row]) ||
		    !is_first(seen, strata_aggregate_key_event(copy[row]))) {
			rows->bad++;
			continue;
		}
		sum[0] = copy[row];
		for (i = 1; i <= words; i++)
			sum[i] = 0;
		for (cpu = 0; cpu < tables->nr_cpus; cpu++)
			strata_aggregate_add(spec->kind, sum + 1,
					     first + cpu * table_words + STRATA_AGGREGATE_OTHERS +
						     row * words);
		rows->nr++;
	}
	for (i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
		for (rows->others[i] = 0, cpu = 0; cpu < tables->nr_cpus; cpu++)
			rows->others[i] =
				strata_aggregate_sum(rows->others[i], first[cpu * table_words + i]);
}

int guest_tables_read(xengnttab_handle *gnttab, uint32_t domain, const struct guest_tables *tables,
		      const struct strata_aggregate_spec *spec, struct aggregate_rows *rows,
		      struct strata_error *error)
{
	const size_t row_words = 1 + strata_aggregate_row_words(spec);
	unsigned char *copy = malloc((size_t)tables->nr_refs * STRATA_PAGE_BYTES);
	uint64_t *seen = calloc(seen_words(tables), sizeof(*seen));
	int result;

	if (!rows->words) {
		rows->room = strata_aggregate_rows(spec);
		rows->words = calloc(rows->room * row_words, sizeof(*rows->words));
	}
	if (!copy || !seen || !rows->words)
		result = strata_fail(error, "out of memory");
	else
		result = copy_all(gnttab, domain, tables, copy, error);
	if (!result) {
		add_up(tables, spec, (const unsigned long *)(const void *)copy, rows, seen);
		rows->ticks = strata_clock();
	}
	free(seen);
	free(copy);
	return result;
}
