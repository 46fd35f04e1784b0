// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_list.c - `strata list`: shows what can be recorded on this host. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/list_text.h"
#include "strata/session_request.h"

struct list_options {
	bool apps;
	bool events;
	bool fields;
	bool json;
	const char *target; /* NULL: everything */
	char *patterns;     /* separated by commas; NULL: all events */
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata list [--events [--long] [xen|DOMAIN [PATTERN...]]]\n"
		"       strata list --apps [--events [--long] [PATTERN...]]\n"
		"Shows the hypervisor and every domain, and for those that cannot be recorded, why.\n\n"
		"  -e, --events   also their events, a kernel's as GROUP/NAME\n"
		"  -l, --long     with the fields of events\n"
		"  -a, --apps     running applications that can be recorded\n"
		"      --json     prints JSON (docs/formats.md)\n\n"
		"xen shows only the hypervisor, DOMAIN (name or number) only that domain, and PATTERN\n"
		"only events with such a name; a kernel's also as GROUP/NAME.  DOMAIN and PATTERN may\n"
		"contain wildcards.\n"
		"Example: strata list --events --long g1 'sched_*' 'irq/*'\n"
		"         strata list --events xen 'evtchn_*' 'grant_*'\n");
}

/* Joins words with commas, for free().  NULL: out of memory. */
static char *join(char **words, int nr)
{
	size_t bytes = 1;
	char *text, *end;
	int i;

	for (i = 0; i < nr; i++)
		bytes += strlen(words[i]) + 1;
	text = end = malloc(bytes);
	for (i = 0; text && i < nr; i++)
		end += sprintf(end, "%s%s", i ? "," : "", words[i]);
	return text;
}

/* Takes xen or DOMAIN, and PATTERN...  Returns an exit status. */
static int take_operands(int argc, char **argv, struct list_options *options)
{
	if (argc && !options->events)
		return STRATA_STATUS_USAGE;
	if (argc && !options->apps) {
		options->target = *argv++;
		argc--;
	}
	if (!argc)
		return STRATA_STATUS_OK;
	options->patterns = join(argv, argc);
	if (options->patterns)
		return STRATA_STATUS_OK;
	fprintf(stderr, "strata: out of memory\n");
	return STRATA_STATUS_FAILED;
}

static int list(const struct list_options *options)
{
	enum strata_list_detail detail = STRATA_LIST_SOURCES;
	struct strata_control *control = session_request_begin();
	enum strata_control_result result;

	if (!control)
		return STRATA_STATUS_FAILED;
	/* The lines of Xen's events always have their fields. */
	if (options->events)
		detail = options->fields || !(options->json || options->apps) ? STRATA_LIST_FIELDS
									      : STRATA_LIST_EVENTS;
	result = options->apps
			 ? strata_control_list_apps(control, detail, options->patterns)
			 : strata_control_list(control, options->target, detail, options->patterns);
	if (!options->json && strata_control_listing(control) && options->apps)
		list_text_apps(strata_control_listing(control), options->fields);
	else if (!options->json && strata_control_listing(control))
		list_text_host(strata_control_listing(control), options->fields,
			       options->patterns != NULL);
	return session_request_end(control, result, options->json);
}

int strata_cmd_list(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "events", no_argument, NULL, 'e' }, { "long", no_argument, NULL, 'l' },
		{ "apps", no_argument, NULL, 'a' },   { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },   { NULL, 0, NULL, 0 },
	};
	struct list_options options = { .apps = false };
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "elah", long_options, NULL)) >= 0) {
		switch (option) {
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case 'e':
			options.events = true;
			break;
		case 'l':
			options.fields = true;
			break;
		case 'a':
			options.apps = true;
			break;
		case 'j':
			options.json = true;
			break;
		default:
			usage(stderr);
			return STRATA_STATUS_USAGE;
		}
	}
	status = take_operands(argc - optind, argv + optind, &options);
	if (status == STRATA_STATUS_USAGE)
		usage(stderr);
	if (status == STRATA_STATUS_OK)
		status = list(&options);
	free(options.patterns);
	return status;
}
