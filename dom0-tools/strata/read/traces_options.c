// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_options.c - see traces_options.h. */
#include "strata/read/traces_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/escape.h"
#include "strata/read/time_text.h"
#include "strata/read/traces.h"

int write_wrong_usage(const struct write_verb *verb, const char *what, const char *which)
{
	char shown[256];

	fprintf(stderr, "strata: %s: %s%s; `strata %s --help` says more\n", verb->name, what,
		which ? strata_escape_name(shown, sizeof(shown), which) : "", verb->name);
	return STRATA_STATUS_USAGE;
}

static int take_filter(struct write_options *options, int option, const char *value,
		       struct strata_error *error)
{
	static const char *const names[STRATA_NR_ATTRIBUTES] = {
		[STRATA_ATTRIBUTE_EVENT] = "--event",     [STRATA_ATTRIBUTE_SOURCE] = "--source",
		[STRATA_ATTRIBUTE_LAYER] = "--layer",     [STRATA_ATTRIBUTE_DOMAIN] = "--domain",
		[STRATA_ATTRIBUTE_VCPU] = "--vcpu",       [STRATA_ATTRIBUTE_CPU] = "--cpu",
		[STRATA_ATTRIBUTE_PROCESS] = "--process", [STRATA_ATTRIBUTE_ABOUT] = "--about",
	};
	const int attribute = option - WRITE_OPTION_FIRST;

	if (option != WRITE_OPTION_FILTER)
		return strata_filter_option(options->filter, names[attribute],
					    (enum strata_attribute)attribute, value, error);
	if (!strata_filter_expression(options->filter, value, error))
		return 0;
	return strata_fail_in(error, "--filter");
}

static int take_threads(struct write_options *options, const char *value,
			struct strata_error *error)
{
	char *end;
	const unsigned long number = strtoul(value, &end, 10);

	if (*end || number < 1 || number > 256)
		return strata_fail(error, "--threads needs a number from 1 to 256");
	options->threads = (unsigned int)number;
	return 0;
}

static int take(const struct write_verb *verb, struct write_options *options, int option,
		const char *value, struct strata_error *error)
{
	switch (option) {
	case WRITE_OPTION_FROM:
		options->from = value;
		return 0;
	case WRITE_OPTION_TO:
		options->to = value;
		return 0;
	case WRITE_OPTION_GMT:
		options->gmt = true;
		return 0;
	case WRITE_OPTION_DATE:
		options->date = true;
		return 0;
	case WRITE_OPTION_FORCE:
		options->force = true;
		return 0;
	case WRITE_OPTION_TCP:
		options->tcp_map = value;
		return 0;
	case WRITE_OPTION_SYMBOLS:
		if (!strchr(value, '=') || *value == '=')
			return strata_fail(error, "--symbols needs SOURCE=FILE");
		if (options->nr_symbols == WRITE_SYMBOLS_MAX)
			return strata_fail(error, "--symbols is given more than %u times",
					   WRITE_SYMBOLS_MAX);
		options->symbols[options->nr_symbols++] = value;
		return 0;
	case WRITE_OPTION_NR:
		return take_threads(options, value, error);
	case 'o':
		options->out = value;
		return 0;
	}
	return option < WRITE_OPTION_FIRST ? verb->take(options, option, value, error)
					   : take_filter(options, option, value, error);
}

static int read_time(const char *text, const struct write_options *options, uint64_t first_ns,
		     uint64_t *ns, struct strata_error *error)
{
	char shown[256];

	if (!text || time_parse(text, options->gmt, first_ns, ns))
		return 0;
	return strata_fail(error,
			   "\"%s\" is not a time: seconds since the first event (+1.5), "
			   "since 1970, or '2026-01-31 12:00:00.5'",
			   strata_escape_name(shown, sizeof(shown), text));
}

int write_read_times(const struct write_options *options, const uint64_t *first_ns,
		     uint64_t *from_ns, uint64_t *to_ns, struct strata_error *error)
{
	const char *from = options->from, *to = options->to;
	const uint64_t origin = first_ns ? *first_ns : 0;

	*from_ns = 0;
	*to_ns = UINT64_MAX;
	if (read_time(from, options, origin, from_ns, error) ||
	    read_time(to, options, origin, to_ns, error))
		return -1;
	if (!from || !to || *from_ns < *to_ns)
		return 0;
	if (!first_ns && (*from == '+') != (*to == '+'))
		return 0;
	return strata_fail(error, "--to %s is not after --from %s", to, from);
}

/* Returns STRATA_STATUS_OK, or the exit status; -1: help was printed. */
static int read_arguments(const struct write_verb *verb, struct write_options *options, int argc,
			  char **argv)
{
	struct strata_error error;
	uint64_t from_ns, to_ns;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", verb->options, NULL)) != -1) {
		if (option == 'h') {
			verb->usage(stdout);
			return -1;
		}
		if (option == '?' || option == ':')
			return write_wrong_usage(verb,
						 option == ':' ? "a value is missing after "
							       : "unknown option ",
						 argv[optind - 1]);
		if (take(verb, options, option, optarg, &error))
			return write_wrong_usage(verb, error.text, NULL);
	}
	if (write_read_times(options, NULL, &from_ns, &to_ns, &error))
		return write_wrong_usage(verb, error.text, NULL);
	if (!options->format)
		return write_wrong_usage(verb, "--format is missing", NULL);
	if (optind == argc && !verb->find)
		return write_wrong_usage(verb, "name a trace", NULL);
	if (optind < argc && options->session)
		return write_wrong_usage(verb, "--session excludes ", argv[optind]);
	return STRATA_STATUS_OK;
}

static int run_found(const struct write_verb *verb, const struct write_options *options)
{
	char *path = NULL;
	int status = verb->find(options, &path);

	if (status == STRATA_STATUS_OK)
		status = verb->run(verb, options, &path, 1);
	free(path);
	return status;
}

int write_verb_run(const struct write_verb *verb, struct write_options *options, int argc,
		   char **argv)
{
	int status;

	options->out = "-";
	options->threads = traces_threads();
	options->filter = strata_filter_new();
	if (!options->filter) {
		fprintf(stderr, "strata: %s: out of memory\n", verb->name);
		return STRATA_STATUS_FAILED;
	}
	status = read_arguments(verb, options, argc, argv);
	if (status == STRATA_STATUS_OK && optind == argc)
		status = run_found(verb, options);
	else if (status == STRATA_STATUS_OK)
		status = verb->run(verb, options, argv + optind, (size_t)(argc - optind));
	strata_filter_free(options->filter);
	return status < 0 ? STRATA_STATUS_OK : status;
}
