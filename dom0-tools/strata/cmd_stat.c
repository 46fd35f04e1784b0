// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stat.c - `strata stat`: describes the contents of traces, on one screen; or as one object of
 * JSON:
 *
 *     events, ...  of all traces: the keys of figures_json.h, and bytes
 *     traces[]     source (its name), path, nr_streams, the same figures, longest_silence_ns,
 *                  events_by_name {}: classes of the same name are added up
 *     recordings[] for each Strata recording, the object that a merge of it writes to summary.json
 *     machines[]   name, tied (to the first one); tied_to: another one's name, if it is tied only
 *                  to that one; left_out, if it contradicts the others; least_bound_ns,
 * greatest_bound_ns if it is tied to one of them
 *
 * Times are ns since 1970.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyses/statistics.h"
#include "strata/read/clock_report.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "base/escape.h"
#include "outputs/figures_json.h"
#include "outputs/outputs.h"
#include "outputs/shown.h"
#include "strata/read/host_checks.h"
#include "strata/read/traces.h"
#include "strata/read/traces_options.h"

#define EVENTS_SHOWN 8u

struct event_count {
	const struct strata_ctf_event_class *event;
	size_t trace;
	uint64_t nr;
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata stat [--json] [--tcp-map FILE] TRACE...\n"
		"Describes the traces found under each path: events, rates, losses, silences, clocks,\n"
		"and the most frequent events.\n\n"
		"  --json                  writes the same as JSON\n" TCP_MAP_USAGE "\n"
		"Exit status: 0 all was read; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing; messages name it.\n");
}

static void print_time(FILE *out, const char *what, uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000u);
	struct tm when;
	char text[64];

	localtime_r(&seconds, &when);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &when);
	fprintf(out, "%s %s.%09" PRIu64, what, text, ns % 1000000000u);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static double rate(uint64_t events, uint64_t ns)
{
	return ns ? (double)events / seconds(ns) : 0;
}

static unsigned int nr_streams_of(const struct traces *traces, size_t trace)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++)
		nr += traces->set.streams[i].trace == trace;
	return nr;
}

/* Describes a trace's clock in a few words. */
static const char *clock_text(const struct strata_ctf_trace *trace, char *text, size_t size)
{
	const struct strata_ctf_metadata *metadata = &trace->metadata;
	const struct strata_ctf_clock *clock;
	char name[64];

	if (metadata->nr_clocks == 0)
		return "none";
	clock = &metadata->clocks[0];
	snprintf(text, size, "%s, %.3f MHz%s", strata_escape_name(name, sizeof(name), clock->name),
		 (double)clock->frequency / 1e6, clock->absolute ? "" : ", not absolute");
	return text;
}

static void print_traces(const struct traces *traces, const struct strata_shown *shown,
			 const struct strata_statistics *statistics, FILE *out)
{
	char clock[160];
	size_t i;

	fprintf(out, "  %-24s %7s %13s %11s %10s %9s  %s\n", "source", "streams", "events",
		"events/s", "lost", "silence", "clock");
	for (i = 0; i < statistics->nr; i++) {
		const struct strata_trace_statistics *trace = &statistics->traces[i];
		const struct strata_ctf_tally tally = traces_tally(traces, i);

		fprintf(out, "  %-24s %7u %13" PRIu64 " %11.0f %10" PRIu64 " %7.3f s  %s\n",
			shown->sources[i].name, nr_streams_of(traces, i), trace->events,
			rate(trace->events, trace->last_ns - trace->first_ns), tally.discarded,
			seconds(trace->silence_ns),
			clock_text(traces->set.traces[i], clock, sizeof(clock)));
	}
}

static int more_events(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	return x->nr < y->nr ? 1 : x->nr > y->nr ? -1 : 0;
}

/* Counts events by name, most frequent first; NULL: out of memory. */
static struct event_count *count_events(const struct traces *traces,
					const struct strata_statistics *statistics, size_t *nr)
{
	struct event_count *counts;
	size_t i, j, k, room = 1;

	for (i = 0; i < statistics->nr; i++)
		room += traces->set.traces[i]->metadata.nr_events;
	counts = calloc(room, sizeof(*counts));
	*nr = 0;
	for (i = 0; counts && i < statistics->nr; i++) {
		const struct strata_ctf_metadata *metadata = &traces->set.traces[i]->metadata;

		for (j = 0; j < metadata->nr_streams; j++) {
			for (k = 0; k < metadata->streams[j].nr_events; k++) {
				const struct strata_ctf_event_class *event =
					&metadata->streams[j].events[k];

				counts[*nr].event = event;
				counts[*nr].trace = i;
				counts[*nr].nr = statistics->traces[i].of_class[event->index];
				*nr += counts[*nr].nr > 0;
			}
		}
	}
	if (counts)
		qsort(counts, *nr, sizeof(*counts), more_events);
	return counts;
}

static void print_events(const struct traces *traces, const struct strata_shown *shown,
			 const struct strata_statistics *statistics, FILE *out)
{
	char name[128];
	size_t i, nr;
	struct event_count *counts = count_events(traces, statistics, &nr);

	if (!counts)
		return;
	fprintf(out, "\n  %-40s %13s %6s  %s\n", "most frequent", "events", "share", "source");
	for (i = 0; i < nr && i < EVENTS_SHOWN; i++)
		fprintf(out, "  %-40s %13" PRIu64 " %5.1f %%  %s\n",
			strata_escape_name(name, sizeof(name), counts[i].event->name), counts[i].nr,
			100.0 * (double)counts[i].nr / (double)statistics->events,
			shown->sources[counts[i].trace].name);
	if (nr > EVENTS_SHOWN)
		fprintf(out, "  and %zu more event classes\n", nr - EVENTS_SHOWN);
	free(counts);
}

/* Returns the sum over all traces, including the results of recordings' merges. */
static struct strata_ctf_tally sum_of(const struct traces *traces, const struct host_checks *checks)
{
	struct strata_ctf_tally sum = { 0 };
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++) {
		const struct strata_set_stream *stream = &traces->set.streams[i];

		if (!stream->stream->trace->recording)
			strata_ctf_tally_add(&sum, &stream->tally);
	}
	for (i = 0; i < checks->nr; i++)
		strata_ctf_tally_add(&sum, &host_checks_figures(checks, i)->tally);
	return sum;
}

/* Prints what had to be repaired or left out; nothing if all is well. */
static void print_damage(const struct traces *traces, const struct host_checks *checks, FILE *out)
{
	const struct strata_ctf_tally sum = sum_of(traces, checks);

	if (sum.missing_packets)
		fprintf(out, "Gaps:     %" PRIu64 " packets are missing from their sequence\n",
			sum.missing_packets);
	if (sum.bad_packets)
		fprintf(out,
			"Damage:   %" PRIu64 " packets could not be read completely; %" PRIu64
			" bytes were left out\n",
			sum.bad_packets, sum.skipped_bytes);
	if (sum.clamped_times || sum.wild_times)
		fprintf(out,
			"Times:    %" PRIu64 " went back, %" PRIu64
			" were far beyond their packet; "
			"each was clamped to the time of the previous event\n",
			sum.clamped_times, sum.wild_times);
}

/* Prints how well the clocks of several machines are known. */
static void print_machines(const struct traces *traces, FILE *out)
{
	const struct strata_machines *machines = &traces->machines;
	const struct strata_clock_sync_report *report = NULL;
	struct strata_error error;
	size_t i;

	if (machines->nr < 2)
		return;
	fprintf(out, "Machines: %zu; times are those of %s\n", machines->nr,
		machines->machines[0].name);
	if (machines->sync)
		report = strata_clock_sync_report(machines->sync, &error);
	for (i = 1; i < machines->nr; i++) {
		const struct strata_machine *machine = &machines->machines[i];

		if (machine->converted)
			fprintf(out, "          %s: was converted to this clock before\n",
				machine->name);
		else if (machine->left_out)
			fprintf(out, "          %s: its trace contradicts the others\n",
				machine->name);
		else if (machine->tied_to == i)
			fprintf(out, "          %s: its clock is not tied to this one\n",
				machine->name);
		else if (!machine->tied && report)
			fprintf(out,
				"          %s: is not tied to this clock, but to that of %s: bound "
				"of %.3f us at best, %.3f us at worst, from packets between the "
				"machines\n",
				machine->name, machines->machines[machine->tied_to].name,
				(double)report->clocks[i].least_bound / 1e3,
				(double)report->clocks[i].greatest_bound / 1e3);
		else if (report)
			fprintf(out,
				"          %s: bound of %.3f us at best, %.3f us at worst, "
				"from packets between the machines\n",
				machine->name, (double)report->clocks[i].least_bound / 1e3,
				(double)report->clocks[i].greatest_bound / 1e3);
	}
	if (report)
		fprintf(out, "          %" PRIu64 " TCP segments were seen at both ends\n",
			machines->tally.pairs);
	for (i = 0; report && i < report->nr_breaches; i++)
		clock_report_breach(report, &report->breaches[i], out);
}

static void print_text(const struct traces *traces, const struct strata_shown *shown,
		       const struct strata_statistics *statistics, const struct host_checks *checks,
		       FILE *out)
{
	const uint64_t span = statistics->last_ns - statistics->first_ns;

	fprintf(out,
		"Traces:   %zu, with %zu streams, %.1f MB\nEvents:   %" PRIu64 ", %.0f a second\n",
		statistics->nr, traces->set.nr_streams, (double)traces->set.bytes / 1e6,
		statistics->events, rate(statistics->events, span));
	if (statistics->events) {
		print_time(out, "Time:    ", statistics->first_ns);
		print_time(out, " to", statistics->last_ns);
		fprintf(out, ", %.9f s\n", seconds(span));
	}
	print_damage(traces, checks, out);
	print_machines(traces, out);
	fprintf(out, "\n");
	print_traces(traces, shown, statistics, out);
	if (statistics->events)
		print_events(traces, shown, statistics, out);
}

/* Adds to a member, and creates it if it is absent: event classes may share a name. */
static void add_to_u64(struct json_object *object, const char *name, uint64_t value)
{
	struct json_object *member;

	if (json_object_object_get_ex(object, name, &member))
		value += json_object_get_uint64(member);
	strata_json_add_u64(object, name, value);
}

static struct json_object *trace_to_json(const struct traces *traces,
					 const struct strata_shown *shown,
					 const struct strata_statistics *statistics, size_t at)
{
	const struct strata_trace_statistics *trace = &statistics->traces[at];
	const struct strata_ctf_metadata *metadata = &traces->set.traces[at]->metadata;
	const struct strata_ctf_tally tally = traces_tally(traces, at);
	struct json_object *object = json_object_new_object();
	struct json_object *events = json_object_new_object();
	char name[256], path[4096];
	size_t i, j;

	strata_json_add_text(object, "source", shown->sources[at].name);
	strata_json_add_text(object, "path",
			     strata_escape_name(path, sizeof(path), traces->set.traces[at]->path));
	strata_json_add_u64(object, "nr_streams", nr_streams_of(traces, at));
	strata_json_add_events(object, trace->events, trace->first_ns, trace->last_ns);
	strata_json_add_tally(object, &tally);
	strata_json_add_u64(object, "longest_silence_ns", trace->silence_ns);
	for (i = 0; i < metadata->nr_streams; i++) {
		for (j = 0; j < metadata->streams[i].nr_events; j++) {
			const struct strata_ctf_event_class *event =
				&metadata->streams[i].events[j];

			if (trace->of_class[event->index])
				add_to_u64(events,
					   strata_escape_name(name, sizeof(name), event->name),
					   trace->of_class[event->index]);
		}
	}
	json_object_object_add(object, "events_by_name", events);
	return object;
}

static struct json_object *machines_to_json(const struct traces *traces)
{
	const struct strata_machines *machines = &traces->machines;
	struct json_object *array = json_object_new_array();
	const struct strata_clock_sync_report *report = NULL;
	struct strata_error error;
	size_t i;

	if (machines->sync)
		report = strata_clock_sync_report(machines->sync, &error);
	for (i = 0; i < machines->nr; i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name",
				       json_object_new_string(machines->machines[i].name));
		json_object_object_add(object, "tied",
				       json_object_new_boolean(machines->machines[i].tied));
		if (machines->machines[i].left_out)
			json_object_object_add(object, "left_out", json_object_new_boolean(true));
		if (!machines->machines[i].tied && machines->machines[i].tied_to != i)
			json_object_object_add(
				object, "tied_to",
				json_object_new_string(
					machines->machines[machines->machines[i].tied_to].name));
		if (report && !machines->machines[i].converted &&
		    (machines->machines[i].tied || machines->machines[i].tied_to != i)) {
			strata_json_add_u64(object, "least_bound_ns",
					    report->clocks[i].least_bound);
			strata_json_add_u64(object, "greatest_bound_ns",
					    report->clocks[i].greatest_bound);
		}
		json_object_array_add(array, object);
	}
	return array;
}

static void print_json(const struct traces *traces, const struct strata_shown *shown,
		       const struct strata_statistics *statistics, const struct host_checks *checks)
{
	struct json_object *root = json_object_new_object(), *array = json_object_new_array();
	const struct strata_ctf_tally sum = sum_of(traces, checks);
	size_t i;

	strata_json_add_events(root, statistics->events, statistics->first_ns, statistics->last_ns);
	strata_json_add_tally(root, &sum);
	strata_json_add_u64(root, "bytes", traces->set.bytes);
	for (i = 0; i < statistics->nr; i++)
		json_object_array_add(array, trace_to_json(traces, shown, statistics, i));
	json_object_object_add(root, "traces", array);
	array = json_object_new_array();
	for (i = 0; i < checks->nr; i++)
		json_object_array_add(array,
				      strata_summary_to_json(host_checks_figures(checks, i)));
	json_object_object_add(root, "recordings", array);
	json_object_object_add(root, "machines", machines_to_json(traces));
	printf("%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

static int count(struct traces *traces, struct host_checks *checks,
		 struct strata_statistics *statistics, struct strata_error *error)
{
	struct strata_slice_options options = { .to_ns = UINT64_MAX, .threads = traces_threads() };
	int status;

	if (host_checks_begin(checks, traces, error))
		return -1;
	options.observers = checks->observers;
	options.nr_observers = checks->nr_observers;

	traces_progress_begin(traces, traces->set.bytes);
	status = strata_statistics_make(statistics, &traces->set, &options, error);
	traces_progress_end(traces);
	if (status)
		return status;
	strata_trace_set_name_cut(&traces->set);
	host_checks_finish(checks);
	return 0;
}

static int stat_traces(const char *tcp_map, char *const *paths, size_t nr, bool json)
{
	struct strata_statistics statistics = { 0 };
	struct strata_shown shown = { .sources = NULL };
	struct host_checks checks = { 0 };
	struct strata_error error;
	struct traces traces;
	int status = STRATA_STATUS_FAILED;

	if (traces_open(&traces, "stat", tcp_map, NULL, paths, nr, &error) ||
	    strata_shown_init(&shown, &traces.set, &error) ||
	    count(&traces, &checks, &statistics, &error)) {
		fprintf(stderr, "strata: stat: %s\n", error.text);
	} else {
		status = host_checks_verdict(&checks);
		if (traces.complaints)
			status = STRATA_STATUS_PARTIAL;
		if (json)
			print_json(&traces, &shown, &statistics, &checks);
		else
			print_text(&traces, &shown, &statistics, &checks, stdout);
	}
	strata_statistics_clear(&statistics);
	host_checks_clear(&checks);
	strata_shown_clear(&shown);
	traces_close(&traces);
	return status;
}

int strata_cmd_stat(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "tcp-map", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *tcp_map = NULL;
	bool json = false;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 't':
			tcp_map = optarg;
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		default:
			fprintf(stderr, "strata: stat: unknown option; `strata stat --help` lists "
					"them\n");
			return STRATA_STATUS_USAGE;
		}
	}
	if (optind == argc) {
		fprintf(stderr, "strata: stat: name a trace; `strata stat --help` says more\n");
		return STRATA_STATUS_USAGE;
	}
	return stat_traces(tcp_map, argv + optind, (size_t)(argc - optind), json);
}
