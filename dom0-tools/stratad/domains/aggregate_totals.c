// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_totals.c - see aggregate_totals.h. */
#include "stratad/domains/aggregate_totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/platform/user.h>

#include <strata/aggregate.h>

#include "xen/domain_numbers.h"

void aggregate_totals_clear(struct aggregate_totals *totals)
{
	aggregate_rows_clear(&totals->renewed);
	free(totals->domains);
	*totals = (struct aggregate_totals){ .domains = NULL };
}

static size_t words_of(const struct strata_aggregate_spec *spec)
{
	return 1 + strata_aggregate_row_words(spec);
}

static uint64_t *row_at(const struct strata_aggregate_spec *spec, const struct aggregate_rows *rows,
			size_t i)
{
	return rows->words + i * words_of(spec);
}

static int by_key(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

void aggregate_rows_settle(const struct strata_aggregate_spec *spec, struct aggregate_rows *rows)
{
	size_t i, kept = 0;

	if (!rows->nr)
		return;
	qsort(rows->words, rows->nr, words_of(spec) * sizeof(*rows->words), by_key);
	for (i = 1; i < rows->nr; i++) {
		uint64_t *last = row_at(spec, rows, kept), *row = row_at(spec, rows, i);

		if (*row == *last)
			strata_aggregate_add(spec->kind, last + 1, (unsigned long *)row + 1);
		else if (++kept != i)
			memcpy(row_at(spec, rows, kept), row,
			       words_of(spec) * sizeof(*rows->words));
	}
	rows->nr = kept + 1;
}

struct counted_domain *aggregate_totals_domain(const struct aggregate_totals *totals,
					       uint32_t domain)
{
	size_t i;

	for (i = 0; i < totals->nr; i++)
		if (totals->domains[i].domain == domain)
			return &totals->domains[i];
	return NULL;
}

/* The domain that exists with the UUID of one that does not. */
static const struct counted_domain *next_boot(const struct aggregate_totals *totals,
					      const struct counted_domain *gone)
{
	static const uint8_t none[sizeof(gone->uuid)];
	size_t i;

	for (i = 0; memcmp(gone->uuid, none, sizeof(none)) && i < totals->nr; i++)
		if (totals->domains[i].exists &&
		    !memcmp(totals->domains[i].uuid, gone->uuid, sizeof(gone->uuid)))
			return &totals->domains[i];
	return NULL;
}

static int add_domain(struct aggregate_totals *totals, const struct domain_state *state,
		      struct strata_error *error)
{
	struct counted_domain *domains = totals->domains;

	if (totals->nr == totals->room) {
		const size_t room = 2 * totals->room + 16;

		domains = reallocarray(domains, room, sizeof(*domains));
		if (!domains)
			return strata_fail(error, "out of memory");
		totals->domains = domains;
		totals->room = room;
	}
	domains[totals->nr] = (struct counted_domain){ .domain = state->domain, .exists = true };
	memcpy(domains[totals->nr++].uuid, state->uuid, sizeof(state->uuid));
	return 0;
}

int aggregate_totals_see(struct aggregate_totals *totals, const struct domain_state *states,
			 size_t nr, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < totals->nr; i++)
		totals->domains[i].exists = false;
	for (i = 0; i < nr; i++) {
		struct counted_domain *one = aggregate_totals_domain(totals, states[i].domain);

		if (!one) {
			if (add_domain(totals, &states[i], error))
				return -1;
			continue;
		}
		/* The number of one that ended may be given again. */
		if (memcmp(one->uuid, states[i].uuid, sizeof(one->uuid)))
			one->name[0] = '\0';
		memcpy(one->uuid, states[i].uuid, sizeof(one->uuid));
		one->exists = true;
	}
	return 0;
}

/* Whether counts of that owner are a domain's that does not exist. */
static bool has_ended(const struct aggregate_totals *totals, uint32_t owner)
{
	const struct counted_domain *one = aggregate_totals_domain(totals, owner);

	return owner != AGGREGATE_ENDED && owner != STRATA_DOMID_IDLE && !(one && one->exists);
}

/* Who has the counts of an owner now. */
static uint32_t heir_of(const struct aggregate_totals *totals, uint32_t owner)
{
	const struct counted_domain *one = aggregate_totals_domain(totals, owner);
	const struct counted_domain *heir = one && !one->exists ? next_boot(totals, one) : NULL;

	return heir ? heir->domain : owner;
}

size_t aggregate_totals_living(const struct aggregate_totals *totals,
			       const struct strata_aggregate_spec *spec,
			       const struct aggregate_rows *rows)
{
	size_t i, nr = 0;

	for (i = 0; i < rows->nr; i++)
		nr += !has_ended(totals, strata_aggregate_key_owner(*row_at(spec, rows, i)));
	return nr;
}

static void set_owner(uint64_t *key, uint32_t owner)
{
	*key = strata_aggregate_key(strata_aggregate_key_event(*key), owner);
}

void aggregate_totals_owners(const struct aggregate_totals *totals,
			     const struct strata_aggregate_spec *spec, struct aggregate_rows *rows)
{
	size_t i;

	for (i = 0; spec->by_owner && i < rows->nr; i++) {
		uint64_t *key = row_at(spec, rows, i);

		set_owner(key, heir_of(totals, strata_aggregate_key_owner(*key)));
	}
	aggregate_rows_settle(spec, rows);
}

/* Appends rows, and adds up what is in none. 0 or -1. */
static int append(const struct strata_aggregate_spec *spec, struct aggregate_rows *to,
		  const struct aggregate_rows *from, struct strata_error *error)
{
	const size_t bytes = words_of(spec) * sizeof(*to->words);
	unsigned int i;

	if (to->nr + from->nr > to->room) {
		uint64_t *words = reallocarray(to->words, to->nr + from->nr, bytes);

		if (!words)
			return strata_fail(error, "out of memory");
		to->words = words;
		to->room = to->nr + from->nr;
	}
	if (from->nr)
		memcpy(row_at(spec, to, to->nr), from->words, from->nr * bytes);
	to->nr += from->nr;
	for (i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
		to->others[i] = strata_aggregate_sum(to->others[i], from->others[i]);
	return 0;
}

/* Gives the counts of all that have ended, and have no next boot, to AGGREGATE_ENDED. */
static void fold(const struct aggregate_totals *totals, const struct strata_aggregate_spec *spec,
		 struct aggregate_rows *rows)
{
	size_t i;

	aggregate_totals_owners(totals, spec, rows);
	for (i = 0; spec->by_owner && i < rows->nr; i++) {
		uint64_t *key = row_at(spec, rows, i);

		if (has_ended(totals, strata_aggregate_key_owner(*key)))
			set_owner(key, AGGREGATE_ENDED);
	}
	aggregate_rows_settle(spec, rows);
}

/* Forgets the domains that do not exist; no row is theirs. */
static void forget_ended(struct aggregate_totals *totals)
{
	size_t i, kept = 0;

	for (i = 0; i < totals->nr; i++) {
		const struct counted_domain *one = &totals->domains[i];

		if (!one->exists && !next_boot(totals, one)) {
			char *name = totals->ended[totals->nr_ended++ % AGGREGATE_ENDED_NAMED];

			snprintf(name, GUEST_NAME_BYTES, "%s", one->name[0] ? one->name : "?");
		}
	}
	for (i = 0; i < totals->nr; i++)
		if (totals->domains[i].exists)
			totals->domains[kept++] = totals->domains[i];
	totals->nr = kept;
}

int aggregate_totals_renewed(struct aggregate_totals *totals,
			     const struct strata_aggregate_spec *spec,
			     const struct aggregate_rows *last, struct aggregate_rows *shown,
			     struct strata_error *error)
{
	if (append(spec, &totals->renewed, last, error))
		return -1;
	fold(totals, spec, &totals->renewed);
	fold(totals, spec, shown);
	forget_ended(totals);
	totals->renewals++;
	return 0;
}

int aggregate_totals_add(const struct aggregate_totals *totals,
			 const struct strata_aggregate_spec *spec, struct aggregate_rows *rows,
			 struct strata_error *error)
{
	if (append(spec, rows, &totals->renewed, error))
		return -1;
	aggregate_totals_owners(totals, spec, rows);
	return 0;
}
