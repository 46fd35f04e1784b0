// SPDX-License-Identifier: GPL-2.0-or-later
/* state_options.c - see state_options.h. */
#include "strata/read/state_options.h"

#include "base/exit_status.h"
#include "strata/read/traces.h"

/* Takes an option, like take() of struct state_verb. */
static int take(const struct state_verb *verb, struct state_options *options, int option,
		char *value)
{
	switch (option) {
	case STATE_OPTION_FROM:
		options->times.from = value;
		return STRATA_STATUS_OK;
	case STATE_OPTION_TO:
		options->times.to = value;
		return STRATA_STATUS_OK;
	case STATE_OPTION_TCP:
		options->tcp_map = value;
		return STRATA_STATUS_OK;
	case STATE_OPTION_REQUEST:
		if (verb->takes_requests)
			break;
		return state_read_request(&options->requests, value)
			       ? traces_wrong(verb->name,
					      "--request is [NAME=]BEGIN,END or "
					      "[NAME=]BEGIN,END,KEY",
					      NULL)
			       : STRATA_STATUS_OK;
	}
	return verb->take(verb->data, option, value);
}

int state_options_read(const struct state_verb *verb, struct state_options *options, int argc,
		       char **argv)
{
	struct strata_error error;
	uint64_t from_ns, to_ns;
	char text[64];
	int option, status;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", verb->options, NULL)) != -1) {
		if (option == 'h') {
			verb->usage(stdout);
			return -1;
		}
		if (option == ':')
			return traces_wrong(verb->name, "wants a value", argv[optind - 1]);
		status = option == '?' ? -1 : take(verb, options, option, optarg);
		snprintf(text, sizeof(text), "no option of %s", verb->name);
		if (status < 0)
			return traces_wrong(verb->name, text, argv[optind - 1]);
		if (status != STRATA_STATUS_OK)
			return status;
	}
	if (write_read_times(&options->times, NULL, &from_ns, &to_ns, &error))
		return traces_wrong(verb->name, error.text, NULL);
	return STRATA_STATUS_OK;
}
