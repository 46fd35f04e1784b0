// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregate_view.c - see aggregate_view.h. */
#include "strata/aggregate_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "consumerd/xen/guest.h"
#include "outputs/table.h"
#include "stratad/aggregate_names.h"

#define ROWS_SHOWN 200u
#define BAR_WIDTH  40u

static const char *const other_keys[] = {
	[STRATA_AGGREGATE_NO_ROW] = "no_row",     [STRATA_AGGREGATE_NO_BEGIN] = "no_begin",
	[STRATA_AGGREGATE_REPEATED] = "repeated", [STRATA_AGGREGATE_BACKWARDS] = "backwards",
	[STRATA_AGGREGATE_NO_PLACE] = "no_place", [STRATA_AGGREGATE_NESTED] = "nested",
};

static const char *const other_texts[] = {
	[STRATA_AGGREGATE_NO_ROW] = "had no row left in the table: select fewer events or domains",
	[STRATA_AGGREGATE_NO_BEGIN] = "were ends whose begin is unknown",
	[STRATA_AGGREGATE_REPEATED] = "were begins that another begin followed",
	[STRATA_AGGREGATE_BACKWARDS] = "were ends with an earlier time than their begins",
	[STRATA_AGGREGATE_NO_PLACE] = "were begins that were forgotten for lack of places",
	[STRATA_AGGREGATE_NESTED] = "came in probes that nest too deep",
};

#define NR_OTHERS (sizeof(other_keys) / sizeof(other_keys[0]))

enum count_column {
	COUNT_SOURCE,
	COUNT_EVENT,
	COUNT_DOMAIN,
	COUNT_NUMBER,
	COUNT_RATE,
	COUNT_DELTA,
	COUNT_COUNT
};

static const struct strata_table_column count_columns[] = {
	[COUNT_SOURCE] = { "source", "Source", STRATA_CELL_TEXT },
	[COUNT_EVENT] = { "event", "Event", STRATA_CELL_TEXT },
	[COUNT_DOMAIN] = { "domain", "Domain", STRATA_CELL_TEXT },
	[COUNT_NUMBER] = { "domain_id", NULL, STRATA_CELL_COUNT },
	[COUNT_RATE] = { "per_s", "Per second", STRATA_CELL_COUNT },
	[COUNT_DELTA] = { "delta", "New", STRATA_CELL_COUNT },
	[COUNT_COUNT] = { "count", "Total", STRATA_CELL_COUNT },
};

enum time_column {
	TIME_SOURCE,
	TIME_DOMAIN,
	TIME_NUMBER,
	TIME_RATE,
	TIME_DELTA,
	TIME_COUNT,
	TIME_SUM,
	TIME_MIN,
	TIME_MEAN,
	TIME_P50,
	TIME_P90,
	TIME_P99,
	TIME_MAX
};

static const struct strata_table_column time_columns[] = {
	[TIME_SOURCE] = { "source", "Source", STRATA_CELL_TEXT },
	[TIME_DOMAIN] = { "domain", "Domain", STRATA_CELL_TEXT },
	[TIME_NUMBER] = { "domain_id", NULL, STRATA_CELL_COUNT },
	[TIME_RATE] = { "per_s", "Per second", STRATA_CELL_COUNT },
	[TIME_DELTA] = { "delta", "New", STRATA_CELL_COUNT },
	[TIME_COUNT] = { "count", "Total", STRATA_CELL_COUNT },
	[TIME_SUM] = { "sum_ns", "Sum", STRATA_CELL_NS },
	[TIME_MIN] = { "min_ns", "Min", STRATA_CELL_NS },
	[TIME_MEAN] = { "mean_ns", "Mean", STRATA_CELL_NS },
	[TIME_P50] = { "p50_ns", "p50 <=", STRATA_CELL_BOUND },
	[TIME_P90] = { "p90_ns", "p90 <=", STRATA_CELL_BOUND },
	[TIME_P99] = { "p99_ns", "p99 <=", STRATA_CELL_BOUND },
	[TIME_MAX] = { "max_ns", "Max", STRATA_CELL_NS },
};

#define NR_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))
#define COLUMNS_MAX         NR_COLUMNS(time_columns)

_Static_assert(NR_COLUMNS(count_columns) <= COLUMNS_MAX, "either has room");

static bool measures_times(const struct aggregate_look *look)
{
	return look->nr_sources && look->sources[0].spec->kind == STRATA_AGGREGATE_TIME;
}

/* Of a guest, delta may be any number. */
static uint64_t per_s(const struct aggregate_row *row)
{
	const unsigned __int128 rate =
		row->source->interval_ns
			? (unsigned __int128)row->delta * 1000000000u / row->source->interval_ns
			: 0;

	return rate < UINT64_MAX ? (uint64_t)rate : UINT64_MAX;
}

static void set_source(struct strata_table *table, struct strata_cell *cell,
		       const struct aggregate_row *row)
{
	char name[AGGREGATE_NAME_BYTES];

	strata_table_text(table, cell, aggregate_source_name(row->source, name));
}

static void set_domain(struct strata_table *table, struct strata_cell *name,
		       struct strata_cell *number, const struct aggregate_look *look,
		       const struct aggregate_row *row)
{
	char text[AGGREGATE_NAME_BYTES];

	if (!aggregate_owner_name(look, row, text))
		return;
	strata_table_text(table, name, text);
	if (!aggregate_is_of_ended(row))
		strata_cell_set(number, row->owner);
}

static void add_count(struct strata_table *table, const struct aggregate_look *look,
		      const struct aggregate_row *row)
{
	struct strata_cell *cells = strata_table_add(table);
	char name[AGGREGATE_NAME_BYTES];

	if (!cells)
		return;
	set_source(table, &cells[COUNT_SOURCE], row);
	strata_table_text(table, &cells[COUNT_EVENT], aggregate_event_name(row, name));
	set_domain(table, &cells[COUNT_DOMAIN], &cells[COUNT_NUMBER], look, row);
	strata_cell_set(&cells[COUNT_COUNT], row->count);
	strata_cell_set(&cells[COUNT_DELTA], row->delta);
	strata_cell_set(&cells[COUNT_RATE], per_s(row));
}

static void add_time(struct strata_table *table, const struct aggregate_look *look,
		     const struct aggregate_row *row)
{
	struct strata_cell *cells = strata_table_add(table);
	const uint64_t *words = row->words;

	if (!cells)
		return;
	set_source(table, &cells[TIME_SOURCE], row);
	set_domain(table, &cells[TIME_DOMAIN], &cells[TIME_NUMBER], look, row);
	strata_cell_set(&cells[TIME_COUNT], row->count);
	strata_cell_set(&cells[TIME_DELTA], row->delta);
	strata_cell_set(&cells[TIME_RATE], per_s(row));
	strata_cell_set(&cells[TIME_SUM], aggregate_row_ns(row, words[STRATA_AGGREGATE_SUM]));
	strata_cell_set(&cells[TIME_MAX], aggregate_row_ns(row, words[STRATA_AGGREGATE_MAX]));
	if (!row->count)
		return;
	strata_cell_set(&cells[TIME_MIN],
			aggregate_row_ns(row, ~words[STRATA_AGGREGATE_MIN_INVERTED]));
	strata_cell_set(&cells[TIME_MEAN],
			aggregate_row_ns(row, words[STRATA_AGGREGATE_SUM] / row->count));
	strata_cell_set(&cells[TIME_P50], aggregate_row_ns(row, aggregate_row_below(row, 500000)));
	strata_cell_set(&cells[TIME_P90], aggregate_row_ns(row, aggregate_row_below(row, 900000)));
	strata_cell_set(&cells[TIME_P99], aggregate_row_ns(row, aggregate_row_below(row, 990000)));
}

static bool has_domains(const struct aggregate_look *look)
{
	size_t i;

	for (i = 0; i < look->nr_sources; i++)
		if (look->sources[i].spec->by_owner)
			return true;
	return false;
}

/* Text has a column of domains only if something is counted by domain.  @columns outlives the
 * table. */
static void fill(struct strata_table *table, struct strata_table_column *columns,
		 const struct aggregate_look *look, const struct aggregate_row *rows, size_t nr)
{
	const bool times = measures_times(look);
	size_t i;

	if (times) {
		memcpy(columns, time_columns, sizeof(time_columns));
		strata_table_init(table, "rows", NULL, columns, NR_COLUMNS(time_columns));
	} else {
		memcpy(columns, count_columns, sizeof(count_columns));
		strata_table_init(table, "rows", NULL, columns, NR_COLUMNS(count_columns));
	}
	if (!has_domains(look))
		columns[times ? (size_t)TIME_DOMAIN : (size_t)COUNT_DOMAIN].heading = NULL;
	for (i = 0; i < nr; i++)
		(times ? add_time : add_count)(table, look, &rows[i]);
}

/* Draws the histogram of each row. */
static void put_histograms(const struct aggregate_view *view, const struct strata_table *table,
			   const struct aggregate_row *rows, size_t nr, FILE *out)
{
	char from[STRATA_NS_TEXT_BYTES];
	size_t i, bucket;

	for (i = 0; i < nr; i++) {
		const uint64_t *counts = &rows[i].words[STRATA_AGGREGATE_BUCKET];
		const uint64_t most = aggregate_row_fullest(&rows[i]);
		const struct strata_cell *cells = &table->cells[i * table->nr_columns];

		fprintf(out, "\n%s: %" PRIu64 " times from %s to %s\n",
			cells[cells[TIME_DOMAIN].text ? TIME_DOMAIN : TIME_SOURCE].text,
			rows[i].count, view->what.begin, view->what.end);
		for (bucket = 0; bucket < STRATA_AGGREGATE_BUCKETS; bucket++)
			if (counts[bucket])
				fprintf(out, "%12s or more %12" PRIu64 " %.*s\n",
					strata_ns_text(
						from,
						bucket ? aggregate_row_ns(&rows[i], 1ull << bucket)
						       : 0),
					counts[bucket],
					(int)((counts[bucket] * BAR_WIDTH + most - 1) / most),
					"########################################");
	}
}

static void put_others(const struct aggregate_source *source, FILE *out)
{
	char name[AGGREGATE_NAME_BYTES];
	size_t i;

	aggregate_source_name(source, name);
	for (i = 0; i < NR_OTHERS; i++)
		if (source->now->others[i])
			fprintf(out, "%s: %" PRIu64 " events %s\n", name, source->now->others[i],
				other_texts[i]);
	if (source->now->bad)
		fprintf(out, "%s: %u rows of its tables are not of its events, and left out\n",
			name, source->now->bad);
}

/* Which domains are counted together. */
static void put_ended(const struct aggregate_totals *totals, FILE *out)
{
	const uint64_t named = totals->nr_ended < AGGREGATE_ENDED_NAMED ? totals->nr_ended
									: AGGREGATE_ENDED_NAMED;
	char name[STRATA_ESCAPED_BYTES(GUEST_NAME_BYTES)];
	uint64_t i;

	if (!totals->nr_ended)
		return;
	fprintf(out, "(ended): %" PRIu64 " domains that no longer exist, the last ones",
		totals->nr_ended);
	for (i = 1; i <= named; i++) {
		strata_escape_name(name, sizeof(name),
				   totals->ended[(totals->nr_ended - i) % AGGREGATE_ENDED_NAMED]);
		fprintf(out, "%s %s", i > 1 ? "," : "", name);
	}
	fprintf(out, "\n");
}

static const char *why_left_out(const struct aggregated_kernel *one)
{
	return one->silent ? "did not answer" : one->start_ticks ? "is gone" : "cannot count";
}

static void put_left_out(const struct aggregated_kernels *kernels, FILE *out)
{
	char name[STRATA_ESCAPED_BYTES(GUEST_NAME_BYTES)];
	size_t i;

	for (i = 0; i < kernels->nr; i++) {
		if (kernels->list[i].counts)
			continue;
		strata_escape_name(name, sizeof(name), kernels->list[i].name);
		fprintf(out, "%s: not counted, because its kernel %s\n", name,
			why_left_out(&kernels->list[i]));
	}
}

/* What the figures are. */
static void put_heading(const struct aggregate_view *view, const struct aggregate_look *look,
			FILE *out)
{
	char total[STRATA_NS_TEXT_BYTES], interval[STRATA_NS_TEXT_BYTES];

	if (measures_times(look))
		fprintf(out, "Times from %s to %s", view->what.begin, view->what.end);
	else
		fprintf(out, "Events");
	fprintf(out, " in %s; New: in the last %s; most new ones first\n",
		strata_ns_text(total, look->total_ns), strata_ns_text(interval, look->interval_ns));
}

static void put_text(const struct aggregate_view *view, const struct aggregate_look *look,
		     const struct strata_table *table, const struct aggregate_row *rows, size_t nr,
		     FILE *out)
{
	size_t i;

	put_heading(view, look, out);
	strata_table_print(table, ROWS_SHOWN, out);
	if (measures_times(look) && (look->is_last || view->once))
		put_histograms(view, table, rows, nr, out);
	for (i = 0; i < look->nr_sources; i++)
		put_others(&look->sources[i], out);
	put_ended(look->totals, out);
	put_left_out(look->kernels, out);
	if (!view->has_screen)
		fprintf(out, "\n");
}

/* Each bucket that is not empty: [from_ns, count]. */
static void add_buckets(struct json_object *object, const struct aggregate_row *row)
{
	struct json_object *buckets = json_object_new_array();
	size_t i;

	for (i = 0; i < STRATA_AGGREGATE_BUCKETS; i++) {
		const uint64_t count = row->words[STRATA_AGGREGATE_BUCKET + i];
		struct json_object *pair;

		if (!count)
			continue;
		pair = json_object_new_array();
		json_object_array_add(
			pair, json_object_new_uint64(i ? aggregate_row_ns(row, 1ull << i) : 0));
		json_object_array_add(pair, json_object_new_uint64(count));
		json_object_array_add(buckets, pair);
	}
	json_object_object_add(object, "buckets", buckets);
}

/* What is in no row of a source. */
static struct json_object *source_json(const struct aggregate_source *source)
{
	struct json_object *object = json_object_new_object(), *others = json_object_new_object();
	char name[AGGREGATE_NAME_BYTES];
	size_t i;

	for (i = 0; i < NR_OTHERS; i++)
		json_object_object_add(others, other_keys[i],
				       json_object_new_uint64(source->now->others[i]));
	aggregate_source_name(source, name);
	json_object_object_add(object, "source", json_object_new_string(name));
	json_object_object_add(object, "tsc_khz", json_object_new_uint64(source->tsc_khz));
	json_object_object_add(object, "total_ns", json_object_new_uint64(source->total_ns));
	json_object_object_add(object, "interval_ns", json_object_new_uint64(source->interval_ns));
	json_object_object_add(object, "bad_rows", json_object_new_uint64(source->now->bad));
	json_object_object_add(object, "others", others);
	return object;
}

/* The kernels that do not count. */
static struct json_object *left_out_json(const struct aggregated_kernels *kernels)
{
	struct json_object *list = json_object_new_array();
	char name[STRATA_ESCAPED_BYTES(GUEST_NAME_BYTES)];
	size_t i;

	for (i = 0; i < kernels->nr; i++) {
		struct json_object *object;

		if (kernels->list[i].counts)
			continue;
		object = json_object_new_object();
		strata_escape_name(name, sizeof(name), kernels->list[i].name);
		json_object_object_add(object, "source", json_object_new_string(name));
		json_object_object_add(object, "why",
				       json_object_new_string(why_left_out(&kernels->list[i])));
		json_object_array_add(list, object);
	}
	return list;
}

static int put_json(const struct aggregate_look *look, const struct strata_table *table,
		    const struct aggregate_row *rows, size_t nr, FILE *out)
{
	struct json_object *root = json_object_new_object(), *sources = json_object_new_array();
	struct json_object *list = strata_table_to_json(table);
	size_t i;

	if (!root || !sources || !list) {
		json_object_put(root);
		json_object_put(sources);
		json_object_put(list);
		return -1;
	}
	for (i = 0; measures_times(look) && i < nr; i++)
		add_buckets(json_object_array_get_idx(list, i), &rows[i]);
	for (i = 0; i < look->nr_sources; i++)
		json_object_array_add(sources, source_json(&look->sources[i]));
	json_object_object_add(root, "total_ns", json_object_new_uint64(look->total_ns));
	json_object_object_add(root, "interval_ns", json_object_new_uint64(look->interval_ns));
	json_object_object_add(root, "is_last", json_object_new_boolean(look->is_last));
	json_object_object_add(root, "ended_domains",
			       json_object_new_uint64(look->totals->nr_ended));
	json_object_object_add(root, "renewals", json_object_new_uint64(look->totals->renewals));
	json_object_object_add(root, "left_out", left_out_json(look->kernels));
	json_object_object_add(root, "sources", sources);
	json_object_object_add(root, "rows", list);
	fprintf(out, "%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN));
	json_object_put(root);
	return 0;
}

/* Shows a text.  0, or 1: there is nobody to see it. */
static int show(struct aggregate_view *view, char *text)
{
	if (view->has_screen)
		return screen_show(&view->screen, text) ? 1 : 0;
	fputs(text, stdout);
	free(text);
	return fflush(stdout) ? 1 : 0;
}

/* Lists the rows in the order in which they are shown.  0, or -1: out of memory. */
static int list(const struct aggregate_view *view, const struct aggregate_look *look,
		struct aggregate_row **rows, size_t *nr)
{
	if (aggregate_rows_list(look, rows, nr))
		return -1;
	/* JSON has them all. */
	if (view->json || !aggregate_rows_divide(*rows, *nr, ROWS_SHOWN))
		return 0;
	free(*rows);
	return -1;
}

int aggregate_view_look(void *data, const struct aggregate_look *look, struct strata_error *error)
{
	struct aggregate_view *view = data;
	struct aggregate_row *rows;
	struct strata_table_column columns[COLUMNS_MAX];
	struct strata_table table;
	char *text = NULL;
	size_t nr, bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int result = -1;

	if (!out || list(view, look, &rows, &nr)) {
		if (out)
			fclose(out);
		free(text);
		return strata_fail(error, "out of memory");
	}
	fill(&table, columns, look, rows, nr);
	if (!table.no_memory && view->json)
		result = put_json(look, &table, rows, nr, out);
	else if (!table.no_memory)
		put_text(view, look, &table, rows, nr, out), result = 0;
	strata_table_clear(&table);
	free(rows);
	if (fclose(out) || result) {
		free(text);
		return strata_fail(error, "out of memory");
	}
	return show(view, text) || view->once ? 1 : 0;
}

static int follow_size(void *data)
{
	struct aggregate_view *view = data;

	return view->has_screen ? screen_follow_size(&view->screen) : 0;
}

static void open_view(void *data)
{
	struct aggregate_view *view = data;

	view->has_screen = !view->json && !view->once && screen_is_possible(STDOUT_FILENO);
	if (view->has_screen)
		screen_open(&view->screen, STDOUT_FILENO);
}

static void close_view(void *data)
{
	struct aggregate_view *view = data;

	if (view->has_screen)
		screen_close(&view->screen);
}

int aggregate_view_run(struct aggregate_view *view, struct aggregate_options *options,
		       const struct aggregate_words *words)
{
	options->look = aggregate_view_look;
	options->idle = follow_size;
	options->data = view;
	return aggregate_run(options, words, &view->what, open_view, close_view);
}
