// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_context.c - `strata add-context`: adds contexts to the records of a session's kernels. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_status.h"
#include "recording/kernel_context.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata add-context [-s SESSION] [-c CHANNEL] --kernel TARGET -t NAME[,...]...\n"
		"       strata add-context --list\n"
		"Adds contexts to a channel of a session (default: channel0 of the current one): each\n"
		"event of these kernels in it then contains them. The session must be stopped.\n\n"
		"      --kernel TARGET   a kernel with strata.ko, by its domain's name, number or pattern;\n"
		"                        '*': all\n"
		"  -t, --type NAMES      contexts, comma-separated; may be repeated\n"
		"  -l, --list            lists all contexts\n"
		"  -s, --session NAME    the session\n"
		"  -c, --channel NAME    the channel, which exists (default: channel0)\n"
		"      --json            prints the reply as JSON\n\n"
		"Members of the group tracing (`strata --system`) have those that --list shows first,\n"
		"without call stacks; counters are root's, too.\n"
		"Example: strata add-context --kernel g1 -t procname,callstack-kernel\n");
}

static int list_contexts(void)
{
	const char *name, *help;
	unsigned int i;

	for (i = 0; i < STRATA_NR_CONTEXTS; i++)
		printf("%-16s  %s\n", strata_kernel_context_name(i), strata_kernel_context_help(i));
	printf("\nCounted on each CPU, whatever runs there:\n");
	for (i = 0; strata_kernel_counter_at(i, &name, &help); i++)
		printf("perf:cpu:%-25s  %s\n", name, help);
	printf("perf:cpu:%-25s  %s\n", "raw:rN:NAME",
	       "event N of the processor, in hexadecimal; NAME is yours");
	return STRATA_STATUS_OK;
}

/* What the command line says. */
struct words {
	const char *session;
	const char *channel; /* NULL: the default one */
	const char *target;
	char *types; /* all names, comma-separated; NULL: none */
	bool list;
	bool json;
};

/* Appends names to those before.  False: out of memory. */
static bool append_types(struct words *words, const char *names)
{
	char *all = NULL;

	if (asprintf(&all, "%s%s%s", words->types ? words->types : "", words->types ? "," : "",
		     names) < 0)
		return false;
	free(words->types);
	words->types = all;
	return true;
}

static int add_contexts(const struct words *words)
{
	struct strata_control *control = session_request_begin();

	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(control,
				   strata_control_enable_list(control, words->session,
							      words->channel, STRATA_DOMAIN_KERNEL,
							      STRATA_RULE_CONTEXT, words->target,
							      words->types),
				   words->json);
}

/* Takes an option.  NULL, or what is wrong. */
static const char *take_option(struct words *words, int option, const char *argument)
{
	switch (option) {
	case 's':
		words->session = argument;
		return NULL;
	case 'c':
		words->channel = argument;
		return NULL;
	case 'k':
		words->target = argument;
		return NULL;
	case 't':
		return append_types(words, argument) ? NULL : "out of memory";
	case 'l':
		words->list = true;
		return NULL;
	case 'j':
		words->json = true;
		return NULL;
	default:
		return "unknown option";
	}
}

int strata_cmd_add_context(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "channel", required_argument, NULL, 'c' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "type", required_argument, NULL, 't' },
		{ "list", no_argument, NULL, 'l' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct words words = { .session = NULL };
	const char *wrong = NULL;
	int option, status;

	opterr = 0;
	while (!wrong && (option = getopt_long(argc, argv, "s:c:t:lh", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			free(words.types);
			return STRATA_STATUS_OK;
		}
		wrong = take_option(&words, option, optarg);
	}
	if (!wrong && optind < argc)
		wrong = "the contexts follow --type";
	if (!wrong && words.list &&
	    (words.target || words.types || words.session || words.channel || words.json))
		wrong = "--list takes no other option";
	if (!wrong && !words.list && (!words.target || !words.types))
		wrong = "--kernel and --type are needed";
	if (wrong)
		status = session_request_wrong(argv[0], "%s", wrong);
	else
		status = words.list ? list_contexts() : add_contexts(&words);
	free(words.types);
	return status;
}
