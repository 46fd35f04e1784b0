// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_select.c - `strata select`: changes what the running recorder records. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/verb_reply.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/host/recorder_number.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata select OPTIONS\n"
		"Changes what a running `strata record` records. An option replaces the earlier selection;\n"
		"without it, that selection stays. `strata record --help` describes the options.\n\n"
		"      --xen EVENTS\n"
		"      --xen-domain DOMAINS\n"
		"      --xen-budget EVENTS\n"
		"      --kernel DOMAIN:EVENTS changes only the named domains; DOMAIN:none: nothing of it\n"
		"      --app PROGRAM:EVENTS   changes only what was selected for that PROGRAM, a name or\n"
		"                             pattern; PROGRAM:none: nothing by that name. The events of\n"
		"                             all that match a program are recorded\n"
		"      --tid DOMAIN:N,N,...\n"
		"      --pid DOMAIN:N,N,...\n"
		"      --kernel-filter DOMAIN:EVENTS:EXPRESSION\n"
		"                             replaces the filter of the same DOMAIN and EVENTS;\n"
		"                             with the EXPRESSION 1, all of these events pass\n"
		"      --recorder N       the recorder with this number, if several are running\n"
		"      --json             prints the reply as JSON: status, message\n\n"
		"Shows the selection afterwards, as options of `strata record`.\n\n"
		"Status: 0 the selection has changed, 1 failed, 2 wrong usage.\n"
		"Example: strata select --xen sched,evtchn_send --kernel 'g1:sched_*,block/*'\n");
}

/* Appends NAME=VALUE to the request. False: it is too long, or contains invalid characters. */
static bool append(char *line, size_t bytes, const char *name, const char *value)
{
	size_t length = strlen(line);
	const char *between = length > strlen("select ") ? "\t" : "";

	return !strpbrk(value, "\t\n") && snprintf(line + length, bytes - length, "%s%s=%s",
						   between, name, value) < (int)(bytes - length);
}

int strata_cmd_select(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "xen", required_argument, NULL, 1 },
		{ "xen-domain", required_argument, NULL, 1 },
		{ "xen-budget", required_argument, NULL, 1 },
		{ "kernel", required_argument, NULL, 1 },
		{ "app", required_argument, NULL, 1 },
		{ "tid", required_argument, NULL, 1 },
		{ "pid", required_argument, NULL, 1 },
		{ "kernel-filter", required_argument, NULL, 1 },
		{ "recorder", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	char line[CONTROL_LINE_BYTES - 8] = "select ", answer[CONTROL_LINE_BYTES];
	struct strata_error error = { "" };
	int option, which, nr = 0, status, recorder = -1;
	bool json = false;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, &which)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == 'j') {
			json = true;
			continue;
		}
		if (option == 'r') {
			if (recorder_number_read(optarg, &recorder, &error)) {
				fprintf(stderr, "strata: %s\n", error.text);
				return STRATA_STATUS_USAGE;
			}
			continue;
		}
		if (option != 1) {
			usage(stderr);
			return STRATA_STATUS_USAGE;
		}
		if (!append(line, sizeof(line), long_options[which].name, optarg)) {
			fprintf(stderr,
				"strata: --%s: tabs, newlines, and more than %zu characters in "
				"total cannot be sent; use patterns\n",
				long_options[which].name, sizeof(line));
			return STRATA_STATUS_USAGE;
		}
		nr++;
	}
	if (optind < argc || nr == 0) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	status = recorder_number_find(false, &recorder, &error)
			 ? -1
			 : control_socket_ask((unsigned int)recorder, line, answer, sizeof(answer),
					      &error);
	return status < 0 ? verb_reply_end(json, STRATA_STATUS_FAILED, error.text)
			  : verb_reply_end(json, status, answer);
}
