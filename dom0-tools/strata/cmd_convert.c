// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_convert.c - `strata convert`: merges traces of any tracer and writes them in another
 * format. */
#include <string.h>

#include "base/escape.h"
#include "outputs/figures_json.h"
#include "strata/commands.h"
#include "strata/read/traces_write.h"
#include "strata/verb_reply.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata convert --format FORMAT -o OUT [OPTIONS] TRACE...\n"
		"Merges all traces found under each path (CTF of any tracer, recordings of Strata) and\n"
		"writes them to one file.\n\n"
		"  --format columns        text in columns, as strata view shows it\n"
		"  --format babeltrace     text, as babeltrace2 prints it\n"
		"  --format json           one JSON object per event and line\n"
		"  --format perfetto       for https://ui.perfetto.dev: slices of what each CPU, vCPU\n"
		"                          and task did, VM exits, system calls, interrupts, requests,\n"
		"                          and flows of what woke what\n"
		"  --format chrome         the same for Chrome's trace viewer; for small traces only\n"
		"  --format ctf            CTF 1.8 traces in the directory OUT, all on one clock\n"
		"  --format trace-compass  a recording of a Xen host, in the directory OUT, for Trace\n"
		"                          Compass's virtual machine analysis: Xen as a host with KVM\n"
		"  --format count          the number of events, and a hash over their order, times,\n"
		"                          streams, names and values\n"
		"  --events                perfetto and chrome: an instant for each event, with its\n"
		"                          fields, instead of slices; as where events are selected\n"
		"  -o, --output OUT        the file; \"-\", the default, is standard output\n"
		"  --force                 replaces OUT, if strata wrote it\n"
		"  --json                  prints the result as JSON, with -o OUT: status, output, events,\n"
		"                          lost, ...\n" //
		WRITE_OPTIONS_USAGE "\n"
		"Every format shows discarded events where they are missing: a line, an object with\n"
		"\"discarded\", an instant of category \"loss\", events_discarded.  They are no damage\n"
		"(status 0).\n\n" WRITE_SELECTION_USAGE
		"Exit status: 0 all was written; 1 failed; 2 wrong usage; 3 something was damaged or\n"
		"missing; messages name it.\n");
}

static int take(struct write_options *options, int option, const char *value,
		struct strata_error *error)
{
	char shown[256];

	if (option == 'j') {
		options->json = true;
		return 0;
	}
	if (option == 'e') {
		options->events = true;
		return 0;
	}
	if (!write_format_known(value))
		return strata_fail(error, "unknown format %s",
				   strata_escape_name(shown, sizeof(shown), value));
	options->format = value;
	return 0;
}

static int run(const struct write_verb *verb, const struct write_options *options,
	       char *const *paths, size_t nr)
{
	struct write_result result = { .events = 0 };
	const struct write_job job = {
		.verb = verb->name,
		.form = options,
		.paths = paths,
		.nr = nr,
		.result = options->json ? &result : NULL,
	};
	struct json_object *reply;
	int status;

	if (options->json && !strcmp(options->out, "-"))
		return write_wrong_usage(
			verb, "--json needs -o OUT: standard output has the events", NULL);
	status = write_traces(&job);
	if (!options->json)
		return status;
	reply = verb_reply_of_traces(status, verb->name, options->out, &result.tally,
				     result.error.text[0] ? &result.error : NULL);
	if (!result.error.text[0])
		strata_json_add_u64(reply, "events", result.events);
	return verb_reply_print(reply);
}

int strata_cmd_convert(int argc, char **argv)
{
	static const struct option known[] = { { "format", required_argument, NULL, 'f' },
					       { "events", no_argument, NULL, 'e' },
					       { "json", no_argument, NULL, 'j' },
					       WRITE_OPTIONS };
	static const struct write_verb verb = { "convert", usage, known, take, NULL, run };
	struct write_options options = { .colours = COLOURS_NEVER };

	return write_verb_run(&verb, &options, argc, argv);
}
