// SPDX-License-Identifier: GPL-2.0-or-later
/* scan.c - see scan.h. */
#include "sql/scan.h"

#include <stdlib.h>
#include <string.h>

#include "filter/filter.h"

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct sql_scan *scan = (struct sql_scan *)sink;

	if (scan->observer)
		return scan->observer->take(scan->observer, stream, reader, events, nr, error);
	scan->stream = scan->numbers[stream];
	scan->reader = reader;
	scan->events = events;
	scan->nr_events = nr;
	scan->loss = NULL;
	return 1;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct sql_scan *scan = (struct sql_scan *)sink;

	if (scan->observer)
		return scan->observer->lose(scan->observer, stream, reader, loss, error);
	scan->stream = scan->numbers[stream];
	scan->reader = reader;
	scan->nr_events = 0;
	scan->loss = loss;
	return 1;
}

static int set_filter(struct sql_scan *scan, const char *expression)
{
	scan->filter = strata_filter_new();
	if (!scan->filter)
		return strata_fail(&scan->error, "out of memory");
	if (strata_filter_expression(scan->filter, expression, &scan->error) ||
	    strata_filter_bind(scan->filter, scan->sql->options.set, scan->sql->sources,
			       &scan->error))
		return -1;
	scan->set.filter = strata_filter_of_set(scan->filter);
	return 0;
}

/* Whether a stream may contain matching events. */
static bool is_wanted(const struct sql_scan *scan, const struct sql_scan_options *options,
		      size_t at)
{
	const struct strata_set_stream *stream = &scan->sql->options.set->streams[at];

	if (options->layer &&
	    strcmp(scan->sql->options.shown->sources[stream->trace].layer, options->layer) != 0)
		return false;
	return !scan->filter ||
	       strata_filter_may_match_stream(scan->filter, stream->trace, stream->stream);
}

int sql_scan_open(struct sql_scan *scan, struct strata_sql *sql,
		  const struct sql_scan_options *options)
{
	struct strata_trace_set *set = sql->options.set;
	size_t i;

	memset(scan, 0, sizeof(*scan));
	scan->sql = sql;
	scan->from_ns = options->from_ns;
	scan->to_ns = options->to_ns;
	scan->sink.take = take;
	scan->sink.lose = options->with_losses ? lose : NULL;
	/* The streams' indexes tell where to begin within them. */
	if (options->from_ns && strata_trace_set_make_index(set, &scan->error))
		return -1;
	scan->set = *set;
	scan->set.nr_streams = 0;
	scan->set.stop = &sql->stop;
	scan->set.streams = calloc(set->nr_streams + 1, sizeof(*scan->set.streams));
	scan->numbers = calloc(set->nr_streams + 1, sizeof(*scan->numbers));
	if (!scan->set.streams || !scan->numbers)
		return strata_fail(&scan->error, "out of memory");
	if (options->expression && set_filter(scan, options->expression))
		return -1;
	for (i = 0; i < set->nr_streams; i++) {
		if (!is_wanted(scan, options, i))
			continue;
		scan->set.streams[scan->set.nr_streams] = set->streams[i];
		scan->numbers[scan->set.nr_streams++] = i;
	}
	return 0;
}

int sql_scan_begin(struct sql_scan *scan)
{
	scan->sql->counts.passes++;
	scan->merge = strata_set_merge_begin(&scan->set, scan->from_ns, scan->to_ns, &scan->sink,
					     &scan->error);
	if (!scan->merge)
		return -1;
	scan->next = scan->sql->scans;
	scan->sql->scans = scan;
	return 0;
}

int sql_scan_next(struct sql_scan *scan)
{
	const int status = strata_set_merge_go_on(scan->merge, &scan->error);

	scan->at_end = status == 0;
	return status;
}

/* Notes the totals per stream, which the first complete pass finds. */
static void note_whole(struct sql_scan *scan, struct strata_ctf_tally *tallies)
{
	if (scan->sql->whole || !scan->at_end || scan->from_ns || scan->to_ns != UINT64_MAX ||
	    scan->set.nr_streams != scan->sql->options.set->nr_streams) {
		free(tallies);
		return;
	}
	scan->sql->whole = tallies;
}

static void leave_list(struct sql_scan *scan)
{
	struct sql_scan **at = &scan->sql->scans;

	while (*at != scan)
		at = &(*at)->next;
	*at = scan->next;
}

uint64_t sql_packets_read(const struct strata_sql *sql)
{
	uint64_t packets = sql->counts.packets;
	const struct sql_scan *scan;
	size_t i;

	for (scan = sql->scans; scan; scan = scan->next) {
		const size_t nr = scan->set.nr_streams;
		struct strata_ctf_tally *tallies = calloc(nr + 1, sizeof(*tallies));

		if (tallies)
			strata_set_merge_tally(scan->merge, tallies);
		for (i = 0; tallies && i < nr; i++)
			packets += tallies[i].entered_packets;
		free(tallies);
	}
	return packets;
}

void sql_scan_close(struct sql_scan *scan)
{
	struct strata_ctf_tally *tallies = NULL;
	size_t i;

	if (scan->merge) {
		leave_list(scan);
		tallies = calloc(scan->set.nr_streams + 1, sizeof(*tallies));
		strata_set_merge_end(scan->merge, tallies);
	}
	for (i = 0; tallies && i < scan->set.nr_streams; i++) {
		scan->sql->counts.events += tallies[i].events;
		scan->sql->counts.packets += tallies[i].entered_packets;
		scan->sql->counts.bytes += tallies[i].entered_bytes;
	}
	if (tallies)
		note_whole(scan, tallies);
	strata_filter_free(scan->filter);
	free(scan->set.streams);
	free(scan->numbers);
	memset(scan, 0, sizeof(*scan));
}

int sql_scan_failed(const struct sql_scan *scan, sqlite3_vtab *table)
{
	if (atomic_load_explicit(&scan->sql->stop, memory_order_relaxed))
		return SQLITE_INTERRUPT;
	sqlite3_free(table->zErrMsg);
	table->zErrMsg = sqlite3_mprintf("%s", scan->error.text);
	return SQLITE_ERROR;
}
