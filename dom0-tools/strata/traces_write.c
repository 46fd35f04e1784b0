// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_write.c - see traces_write.h. */
#include "traces_write.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outputs/count.h"
#include "outputs/ctf_traces.h"
#include "outputs/json.h"
#include "outputs/perfetto.h"
#include "outputs/text_lines.h"
#include "outputs/written.h"
#include "time_text.h"
#include "trace_compass.h"

#define SLICE_BYTES (4u << 20) /* of input: each thread holds what one becomes */

static const char *const formats[] = { "columns", "babeltrace", "json",  "perfetto",
				       "chrome",  "ctf",        "count", "trace-compass" };

bool write_format_known(const char *format)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(format, formats[i]) == 0)
			return true;
	}
	return false;
}

static int add_pattern(struct patterns *patterns, const char *pattern, struct strata_error *error)
{
	if (patterns->nr == PATTERNS_MAX)
		return strata_fail(error, "more than %u patterns", PATTERNS_MAX);
	patterns->of[patterns->nr++] = pattern;
	return 0;
}

int write_option(struct write_options *options, int option, const char *value,
		 struct strata_error *error)
{
	unsigned long number;
	char *end;

	switch (option) {
	case 'F':
		options->from = value;
		return 0;
	case 'T':
		options->to = value;
		return 0;
	case 'e':
		return add_pattern(&options->events, value, error);
	case 's':
		return add_pattern(&options->sources, value, error);
	case 'g':
		options->gmt = true;
		return 0;
	case 'd':
		options->date = true;
		return 0;
	case 'n':
		number = strtoul(value, &end, 10);
		if (*end || number < 1 || number > 256)
			return strata_fail(error, "--threads wants a number from 1 to 256");
		options->threads = (unsigned int)number;
		return 0;
	default:
		return 1;
	}
}

static int parse_time(const char *text, const struct write_options *options, uint64_t first_ns,
		      uint64_t *ns, struct strata_error *error)
{
	if (time_parse(text, options->gmt, first_ns, ns))
		return 0;
	return strata_fail(
		error,
		"no time is \"%s\": seconds since the first event (+1.5), since 1970, or "
		"'2026-01-31 12:00:00.5'",
		text);
}

static bool fits(const struct patterns *patterns, const char *name)
{
	size_t i;

	for (i = 0; i < patterns->nr; i++) {
		if (fnmatch(patterns->of[i], name, 0) == 0)
			return true;
	}
	return patterns->nr == 0;
}

bool write_wants(void *data, const struct strata_shown_event *event)
{
	const struct write_options *options = data;

	return fits(&options->events, event->name) && fits(&options->sources, event->source);
}

static int set_times(struct traces *traces, const struct write_options *options,
		     struct strata_slice_options *slices, uint64_t *first_ns,
		     struct strata_error *error)
{
	slices->from_ns = 0;
	slices->to_ns = UINT64_MAX;
	if (strata_trace_set_first(&traces->set, first_ns, error) < 0)
		return -1;
	if (options->from && parse_time(options->from, options, *first_ns, &slices->from_ns, error))
		return -1;
	if (options->to && parse_time(options->to, options, *first_ns, &slices->to_ns, error))
		return -1;
	if (slices->from_ns > *first_ns)
		*first_ns = slices->from_ns;
	/* To seek without reading what lies before wants an index. */
	return options->from ? strata_trace_set_make_index(&traces->set, error) : 0;
}

struct strata_event_writer *write_make_writer(const struct write_options *options,
					      uint64_t first_ns)
{
	const struct strata_text_options text = { .gmt = options->gmt,
						  .date = options->date,
						  .colours = options->colours };

	if (strcmp(options->format, "columns") == 0)
		return strata_text_columns_new(&text);
	if (strcmp(options->format, "json") == 0)
		return strata_json_lines_new();
	if (strcmp(options->format, "perfetto") == 0)
		return strata_perfetto_new();
	if (strcmp(options->format, "chrome") == 0)
		return strata_chrome_json_new(first_ns);
	return strata_text_babeltrace_new(&text);
}

static int count(struct traces *traces, const struct strata_slice_options *slices,
		 struct strata_error *error)
{
	struct strata_chain chain;

	if (strata_count(&traces->set, slices, &chain, error))
		return -1;
	printf("%" PRIu64 " %016" PRIx64 "\n", chain.events, chain.hash);
	return 0;
}

static int write_ctf(struct traces *traces, const struct write_options *options,
		     const struct strata_slice_options *slices, struct strata_error *error)
{
	if (strcmp(options->out, "-") == 0)
		return strata_fail(error, "CTF traces are directories: name one with -o");
	return strata_ctf_traces_write(&traces->set, (const char *const *)traces->names,
				       options->out, slices, NULL, error);
}

static int write_events(struct traces *traces, const struct write_options *options,
			struct strata_error *error)
{
	const bool filtered = options->events.nr || options->sources.nr;
	struct strata_written_options written = { .path = options->out,
						  .wants = filtered ? write_wants : NULL,
						  .wants_data = (void *)options };
	struct strata_event_writer *writer;
	struct strata_shown shown;
	uint64_t first_ns = 0;
	int status = -1;

	written.slices.threads = options->threads;
	written.slices.slice_bytes = SLICE_BYTES;
	if (set_times(traces, options, &written.slices, &first_ns, error))
		return -1;
	if (strcmp(options->format, "count") == 0) {
		if (filtered)
			return strata_fail(error, "a count is of all events: --event and --source "
						  "do not go with it");
		return count(traces, &written.slices, error);
	}
	if (strcmp(options->format, "ctf") == 0) {
		if (filtered)
			return strata_fail(error, "CTF traces are written whole: --event and "
						  "--source do not go with it");
		return write_ctf(traces, options, &written.slices, error);
	}
	if (strcmp(options->format, "chrome") == 0) {
		written.events_max = STRATA_CHROME_EVENTS_MAX;
		written.too_many_advice = STRATA_CHROME_TOO_MANY;
	}
	writer = write_make_writer(options, first_ns);
	if (!writer)
		return strata_fail(error, "out of memory");
	if (!strata_shown_init(&shown, &traces->set, error)) {
		status = strata_written(&traces->set, &shown, writer, &written, NULL, error);
		strata_shown_clear(&shown);
	}
	writer->free(writer);
	return status;
}

int write_traces(const char *verb, const struct write_options *options, char *const *paths,
		 size_t nr)
{
	struct strata_error error;
	struct traces traces;
	int status = STRATA_STATUS_FAILED;

	if (strcmp(options->format, "trace-compass") == 0)
		return write_trace_compass(verb, options, paths, nr);
	if (traces_open(&traces, verb, paths, nr, &error) ||
	    write_events(&traces, options, &error) < 0)
		fprintf(stderr, "strata: %s: %s\n", verb, error.text);
	else
		status = traces.complaints ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
	traces_close(&traces);
	return status;
}
