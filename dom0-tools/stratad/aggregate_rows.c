// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_rows.c - see aggregate_rows.h. */
#include "stratad/aggregate_rows.h"

#include <stdlib.h>
#include <string.h>

#include <strata/platform/user.h>

#include <strata/aggregate.h>

#include "base/fair_share.h"
#include "stratad/domains/aggregated_apps.h"

static uint64_t count_of(const struct strata_aggregate_spec *spec, const uint64_t *words)
{
	uint64_t count = 0;
	unsigned int i;

	if (spec->kind == STRATA_AGGREGATE_COUNT)
		return words[0];
	for (i = 0; i < STRATA_AGGREGATE_BUCKETS; i++)
		count = strata_aggregate_sum(count, words[STRATA_AGGREGATE_BUCKET + i]);
	return count;
}

static int by_delta(const void *a, const void *b)
{
	const struct aggregate_row *first = a, *second = b;

	if (first->delta != second->delta)
		return first->delta < second->delta ? 1 : -1;
	if (first->count != second->count)
		return first->count < second->count ? 1 : -1;
	if (first->source != second->source)
		return first->source > second->source ? 1 : -1;
	if (first->owner != second->owner)
		return first->owner > second->owner ? 1 : -1;
	return (first->event > second->event) - (first->event < second->event);
}

/* Lists the rows of one source; returns where the list ends. */
static struct aggregate_row *list_source(const struct aggregate_source *source,
					 struct aggregate_row *row)
{
	const size_t words = 1 + strata_aggregate_row_words(source->spec);
	const uint64_t *before = source->before->words;
	size_t left = source->before->nr, i;

	for (i = 0; i < source->now->nr; i++, row++) {
		const uint64_t *now = &source->now->words[i * words];

		row->source = source;
		row->event = strata_aggregate_key_event(now[0]);
		row->owner = strata_aggregate_key_owner(now[0]);
		row->words = &now[1];
		row->count = row->delta = count_of(source->spec, &now[1]);
		/* Both are sorted; rows of domains that were folded are not there any more. */
		for (; left && before[0] < now[0]; left--)
			before += words;
		if (left && before[0] == now[0]) {
			const uint64_t earlier = count_of(source->spec, &before[1]);

			/* A guest may say anything. */
			row->delta -= earlier < row->count ? earlier : row->count;
			row->before = &before[1];
			before += words;
			left--;
		}
	}
	return row;
}

int aggregate_rows_list(const struct aggregate_look *look, struct aggregate_row **rows, size_t *nr)
{
	struct aggregate_row *end;
	size_t i, all = 1;

	for (i = 0; i < look->nr_sources; i++)
		all += look->sources[i].now->nr;
	*rows = calloc(all, sizeof(**rows));
	if (!*rows)
		return -1;
	for (i = 0, end = *rows; i < look->nr_sources; i++)
		end = list_source(&look->sources[i], end);
	*nr = (size_t)(end - *rows);
	qsort(*rows, *nr, sizeof(**rows), by_delta);
	return 0;
}

/* A number for the user or the domain whose events a row counts. */
static uint64_t share_of(const struct aggregate_row *row)
{
	const struct aggregate_source *source = row->source;

	if (source->program)
		return 1ull << 32 | source->program->user;
	return source->events ? 2ull << 32 | source->domain : 3ull << 32 | row->owner;
}

/* Marks the rows that are shown. */
static void choose(const struct aggregate_row *rows, size_t nr, size_t most, bool *shown)
{
	struct strata_shares shares = { .nr = 0 };
	size_t left = most, i;

	for (i = 0; i < nr; i++) {
		shown[i] = strata_shares_take(&shares, share_of(&rows[i]), most);
		left -= shown[i];
	}
	for (i = 0; i < nr && left; i++) {
		left -= !shown[i];
		shown[i] = true;
	}
	strata_shares_clear(&shares);
}

int aggregate_rows_divide(struct aggregate_row *rows, size_t nr, size_t most)
{
	struct aggregate_row *divided, *front, *behind;
	bool *shown, fits;
	size_t i;

	if (nr <= most)
		return 0;
	divided = calloc(nr, sizeof(*divided));
	shown = calloc(nr, sizeof(*shown));
	fits = divided && shown;
	if (fits) {
		choose(rows, nr, most, shown);
		for (i = 0, front = divided, behind = divided + most; i < nr; i++)
			*(shown[i] ? front++ : behind++) = rows[i];
		memcpy(rows, divided, nr * sizeof(*rows));
	}
	free(divided);
	free(shown);
	return fits ? 0 : -1;
}

uint64_t aggregate_row_below(const struct aggregate_row *row, uint32_t of_a_million)
{
	const uint64_t wanted =
		(uint64_t)(((unsigned __int128)row->count * of_a_million + 999999u) / 1000000u);
	const uint64_t most = row->words[STRATA_AGGREGATE_MAX];
	uint64_t seen = 0, end;
	unsigned int i;

	for (i = 0; i < STRATA_AGGREGATE_BUCKETS; i++) {
		seen = strata_aggregate_sum(seen, row->words[STRATA_AGGREGATE_BUCKET + i]);
		if (seen >= wanted)
			break;
	}
	end = i < 63 ? (2ull << i) - 1 : UINT64_MAX;
	return end < most ? end : most;
}

uint64_t aggregate_row_new_above(const struct aggregate_row *row, unsigned int bucket)
{
	uint64_t now = 0, before = 0;
	unsigned int i;

	for (i = bucket; i < STRATA_AGGREGATE_BUCKETS; i++) {
		now = strata_aggregate_sum(now, row->words[STRATA_AGGREGATE_BUCKET + i]);
		if (row->before)
			before = strata_aggregate_sum(before,
						      row->before[STRATA_AGGREGATE_BUCKET + i]);
	}
	/* A guest may say anything. */
	return before < now ? now - before : 0;
}

uint64_t aggregate_row_fullest(const struct aggregate_row *row)
{
	uint64_t most = 1;
	unsigned int i;

	for (i = 0; i < STRATA_AGGREGATE_BUCKETS; i++)
		if (row->words[STRATA_AGGREGATE_BUCKET + i] > most)
			most = row->words[STRATA_AGGREGATE_BUCKET + i];
	return most;
}
