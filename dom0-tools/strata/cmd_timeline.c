// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_timeline.c - `strata timeline`: shows traces as a page in the browser, in one file, or served
 * on this machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "outputs/timeline/timeline.h"
#include "strata/commands.h"
#include "strata/read/state_options.h"
#include "strata/read/timeline_server.h"
#include "strata/read/timeline_why.h"
#include "strata/verb_reply.h"
#include "strata/read/tracks_pass.h"
#include "timeline/page.h"

/* A page with this many spans opens in about two seconds. */
#define SPANS_MAX 1500000u

struct options {
	const char *out;
	bool force, is_served, json;
	uint16_t port; /* 0: any */
	uint64_t spans_max;
	struct state_options state;
	struct tracks_domains domains;
	char title[512], command[512]; /* escaped for output */
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata timeline [OPTIONS] -o FILE.html TRACE...\n"
		"       strata timeline --serve [OPTIONS] TRACE...\n"
		"Draws traces: what each physical CPU, vCPU and task did, VM exits, hypercalls, system\n"
		"calls, interrupts, requests, messages, losses, and who held up whom.\n\n"
		"  -o, --output FILE          one page that needs no network; a browser opens it\n"
		"  --force                    replaces FILE\n"
		"  --json                     prints the result as JSON, not with --serve: status, output,\n"
		"                             lost, ...\n"
		"  --serve                    serves it at 127.0.0.1 until Ctrl-C instead: for traces of\n"
		"                             any size.  Access needs the printed address, which contains\n"
		"                             a secret\n"
		"  --port N                   at this port (default: one that is free)\n"
		"  --from TIME, --to TIME     only what lies in between; TIME as in `strata view`\n"
		"  --domain PATTERN[,...]     only these domains' vCPUs, tasks and programs, and the\n"
		"                             physical CPUs\n"
		"  --request [NAME=]BEGIN,END[,KEY]\n"
		"                             two events that begin and end a request, which is called\n"
		"                             NAME, else BEGIN; KEY is a field of both.  Without it:\n"
		"                             events named NAME_begin, NAME_end\n"
		"  --spans N                  fails at more than N spans (%u; with --serve any\n"
		"                             number); 0: any number\n" TCP_MAP_USAGE "\n"
		"Exit status: 0 all was read; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing, and was named.\n",
		SPANS_MAX);
}

static int wrong(const char *what, const char *which)
{
	return traces_wrong("timeline", what, which);
}

/* Reports how to make the timeline smaller. */
static int tell_full(const struct strata_timeline *timeline, const struct options *options,
		     uint64_t first_ns, struct strata_error *error)
{
	uint64_t ns;

	strata_timeline_is_full(timeline, &ns);
	return strata_fail(error,
			   "there are more than %" PRIu64 " spans, which is more than a page "
			   "holds well: they reach to +%" PRIu64 ".%03" PRIu64 " s; choose a part "
			   "(--from, --to, --domain), or use --serve, which has room for any "
			   "number; or allow more (--spans N)",
			   options->spans_max, (ns - first_ns) / 1000000000u,
			   (ns - first_ns) / 1000000u % 1000);
}

static int write_file(const struct strata_timeline *timeline, const struct options *options,
		      struct strata_error *error)
{
	struct strata_out_file *out = strata_out_open(options->out, options->force, error);

	if (!out)
		return -1;
	if (strata_timeline_write_page(timeline, (const char *)strata_timeline_page,
				       strata_timeline_page_bytes, out, error)) {
		strata_out_abandon(out);
		return -1;
	}
	return strata_out_close(out, error);
}

/* Makes the pass, then writes the page or runs the server. */
static int draw(struct tracks_pass *pass, struct strata_timeline *timeline,
		struct timeline_why *why, const struct options *options, uint64_t first_ns,
		struct strata_error *error)
{
	uint64_t full_ns;
	int status = tracks_pass_run(pass, error);

	if (status < 0)
		return -1;
	if (strata_timeline_is_full(timeline, &full_ns))
		return tell_full(timeline, options, first_ns, error);
	if (timeline_why_explain(why, pass->traces, &options->state.requests, timeline, error))
		return -1;
	if (strata_timeline_finish(timeline, pass->tracks, pass->order,
				   strata_host_state_facts(pass->state), error))
		return -1;
	if (!pass->tracks->facts.slices)
		traces_remark(
			pass->traces,
			"nothing to draw: the traces have no scheduling events, VM exits, "
			"system calls, interrupts, requests or messages; record some with `strata "
			"record --xen sched --kernel 'DOMAIN:sched/*'`");
	if (options->is_served)
		return timeline_serve(timeline, options->port, error);
	return write_file(timeline, options, error);
}

static int read_traces(struct traces *traces, const struct options *options, uint64_t first_ns,
		       uint64_t from_ns, uint64_t to_ns, struct strata_error *error)
{
	const struct strata_timeline_options form = {
		.title = options->title,
		.command = options->command,
		.begin_ns = from_ns > first_ns ? from_ns : first_ns,
		.slices_max = options->spans_max,
		.is_served = options->is_served,
	};
	struct strata_timeline *timeline = NULL;
	struct strata_track_sink *sink;
	struct strata_shown shown;
	struct timeline_why why = { .instances = NULL };
	struct tracks_pass pass = {
		.traces = traces,
		.shown = &shown,
		.requests = &options->state.requests,
		.options = { from_ns, to_ns, options->domains.patterns, options->domains.nr, true },
		.sinks = &sink,
		.nr_sinks = 1,
	};
	int status = strata_shown_init(&shown, &traces->set, error);

	if (!status && !(timeline = strata_timeline_new(&shown, &form, error)))
		status = -1;
	if (!status)
		status = timeline_why_begin(&why, &shown, from_ns, to_ns, error);
	if (!status) {
		sink = strata_timeline_sink(timeline);
		pass.also = &why.instances->listener;
		pass.observer = strata_timeline_observer(timeline);
		status = draw(&pass, timeline, &why, options, first_ns, error);
	}
	timeline_why_clear(&why);
	tracks_pass_clear(&pass);
	strata_timeline_free(timeline);
	strata_shown_clear(&shown);
	return status;
}

static int timeline(const struct options *options, char *const *paths, size_t nr)
{
	struct strata_ctf_tally tally = { 0 };
	struct strata_error error;
	struct traces traces;
	bool failed;
	uint64_t first_ns = 0, from_ns = 0, to_ns = UINT64_MAX;
	int status =
		traces_open(&traces, "timeline", options->state.tcp_map, NULL, paths, nr, &error);

	if (!status && strata_trace_set_first(&traces.set, &first_ns, &error) < 0)
		status = -1;
	if (!status)
		status = write_read_times(&options->state.times, &first_ns, &from_ns, &to_ns,
					  &error);
	if (!status)
		status = read_traces(&traces, options, first_ns, from_ns, to_ns, &error);
	if (!options->json)
		return traces_finish(&traces, status, &error);
	if (!status)
		tally = traces_tally_all(&traces);
	failed = status < 0;
	status = traces_finish(&traces, status, NULL);
	return verb_reply_print(verb_reply_of_traces(status, "timeline", options->out, &tally,
						     failed ? &error : NULL));
}

/* False: not a number, or too large. */
static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
	char *end;

	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *number <= most;
}

/* Makes the title from the last two components of the first path, and the number of other paths. */
static void keep_title(struct options *options, char *const *paths, size_t nr)
{
	const char *end = paths[0] + strlen(paths[0]), *from;
	char name[256];
	unsigned int slashes = 0;

	while (end > paths[0] && end[-1] == '/')
		end--;
	for (from = end; from > paths[0] && (from[-1] != '/' || ++slashes < 2); from--)
		;
	snprintf(name, sizeof(name), "%.*s", (int)(end - from < 200 ? end - from : 200), from);
	strata_escape_name(options->title, sizeof(options->title) - 32, name);
	if (nr > 1)
		snprintf(options->title + strlen(options->title), 32, " and %zu more", nr - 1);
}

static void keep_command(struct options *options, int argc, char **argv)
{
	size_t used = 0;
	int i;

	used = (size_t)snprintf(options->command, sizeof(options->command), "strata");
	for (i = 0; i < argc && used + 1 < sizeof(options->command); i++) {
		options->command[used++] = ' ';
		strata_escape_name(options->command + used, sizeof(options->command) - used,
				   argv[i]);
		used += strlen(options->command + used);
	}
}

/* State of reading the command line, before it is checked as a whole. */
struct reading {
	struct options *options;
	bool has_port, has_spans;
};

enum { FORCE = STATE_OPTION_OWN, JSON, SERVE, PORT, SPANS, DOMAIN };

static int take(void *data, int option, char *value)
{
	struct reading *reading = data;
	struct options *options = reading->options;
	uint64_t number;

	switch (option) {
	case 'o':
		options->out = value;
		return STRATA_STATUS_OK;
	case FORCE:
		options->force = true;
		return STRATA_STATUS_OK;
	case JSON:
		options->json = true;
		return STRATA_STATUS_OK;
	case SERVE:
		options->is_served = true;
		return STRATA_STATUS_OK;
	case PORT:
		if (!read_number(value, 65535, &number))
			return wrong("--port is a number up to 65535", value);
		options->port = (uint16_t)number;
		reading->has_port = true;
		return STRATA_STATUS_OK;
	case SPANS:
		if (!read_number(value, UINT64_MAX, &options->spans_max))
			return wrong("--spans is a number", value);
		reading->has_spans = true;
		return STRATA_STATUS_OK;
	case DOMAIN:
		return tracks_read_domains(&options->domains, value)
			       ? wrong("--domain is PATTERN[,PATTERN...]", NULL)
			       : STRATA_STATUS_OK;
	}
	return -1;
}

int strata_cmd_timeline(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, FORCE },
		{ "json", no_argument, NULL, JSON },
		{ "serve", no_argument, NULL, SERVE },
		{ "port", required_argument, NULL, PORT },
		{ "spans", required_argument, NULL, SPANS },
		{ "domain", required_argument, NULL, DOMAIN },
		STATE_OPTIONS,
	};
	static struct options options;
	struct reading reading = { .options = &options };
	const struct state_verb verb = { "timeline", usage, long_options, take, &reading, false };
	int status;

	options = (struct options){ .spans_max = SPANS_MAX };
	keep_command(&options, argc, argv);
	status = state_options_read(&verb, &options.state, argc, argv);
	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	if (optind == argc)
		return wrong("name the traces", NULL);
	if (options.is_served == (options.out != NULL))
		return wrong("name a page with -o FILE, or use --serve", NULL);
	if (reading.has_port && !options.is_served)
		return wrong("--port is for --serve", NULL);
	if (options.json && options.is_served)
		return wrong("--json is for a page, not for --serve", NULL);
	if (options.is_served && !reading.has_spans)
		options.spans_max = 0;
	keep_title(&options, argv + optind, (size_t)(argc - optind));
	return timeline(&options, argv + optind, (size_t)(argc - optind));
}
