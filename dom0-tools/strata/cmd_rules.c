// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_rules.c - the verbs that change the rules of a session: `strata enable-event`,
 * `disable-event`, `track` and `untrack`. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/session_request.h"

/* What the command line says. */
struct words {
	const char *session;
	const char *channel; /* NULL: the default one */
	int domain;          /* an enum strata_domain; -1: none was named */
	const char *target;
	int kind;            /* an enum strata_rule_kind */
	const char *special; /* argument of --kprobe, --uprobe and so on; NULL: a list of events */
	const char *filter;  /* of these events; NULL: none */
	char level[32];      /* likewise: "@warning" or "@=warning"; "": any */
	bool json;
};

static void usage_events(FILE *out, const char *verb)
{
	fprintf(out, "Usage: strata %s [-s SESSION] [-c CHANNEL] DOMAIN EVENTS...\n", verb);
	fprintf(out,
		"%s rules that say which events a session records (default: the current one); also\n"
		"while it records.\n\n"
		"DOMAIN is one of\n"
		"      --xen             the hypervisor; EVENTS: classes, names, patterns; !NAME excludes\n"
		"      --kernel TARGET   a kernel with strata.ko, by its domain's name, number or pattern;\n"
		"                        '*': all. EVENTS: names, patterns, GROUP/NAME, default, all\n"
		"      --app TARGET      applications linked with libstrata, by name, pattern or process\n"
		"                        number; all. EVENTS: names, patterns, GROUP/NAME, all\n"
		"For a kernel also:\n"
		"      --filter EXPR     only if the fields of these EVENTS match, which the kernel\n"
		"                        tests: 'prev_prio < 120 && next_comm != \"swapper/*\"', as of\n"
		"                        --kernel-filter of `strata record`\n"
		"For applications also:\n"
		"      --loglevel LEVEL       only those of these EVENTS that have this log level, or a\n"
		"                             more severe one: err, warning, info, debug_line, ...\n"
		"      --loglevel-only LEVEL  only those that have this one\n"
		"In place of EVENTS, for a kernel:\n"
		"      --kprobe SPEC     [NAME=]SYMBOL[+OFFSET] [ARGUMENT]..., as of `strata record`\n"
		"      --kretprobe SPEC  [NAME=]SYMBOL [ARGUMENT]...\n"
		"      --uprobe SPEC     [NAME=]PATH:SYMBOL[+OFFSET] [ARGUMENT]..., of its programs\n"
		"      --uretprobe SPEC  [NAME=]PATH:SYMBOL [ARGUMENT]...\n"
		"      --function SPEC   [NAME=]PATTERN [ARGUMENT]..., calls and returns of these\n"
		"      --tracepoint SPEC [NAME=]TRACEPOINT [ARGUMENT]..., with arguments of your choice\n\n"
		"  -s, --session NAME    the session\n"
		"  -c, --channel NAME    the channel, which exists (default: channel0)\n"
		"      --json            prints the reply as JSON\n\n"
		"Kernels and applications need not exist yet. `strata list` shows what there is.\n"
		"Example: strata %s --kernel g1 'sched_*,irq_*'\n",
		strcmp(verb, "enable-event") ? "Removes" : "Adds", verb);
}

static void usage_track(FILE *out, const char *verb)
{
	fprintf(out,
		"Usage: strata %s [-s SESSION] [-c CHANNEL] --kernel TARGET --pid N,... | --tid N,...\n"
		"       strata %s [-s SESSION] [-c CHANNEL] --xen --domain DOMAIN,...\n"
		"%s rules that limit a channel of a session (default: channel0 of the current one) to\n"
		"events while these processes, threads or domains run; also while it records. DOMAIN is a name, a pattern\n"
		"or a number, g1/0 or g1/2-3 some of its vCPUs; !NAME excludes.\n\n"
		"  -s, --session NAME    the session\n"
		"  -c, --channel NAME    the channel, which exists (default: channel0)\n"
		"      --json            prints the reply as JSON\n",
		verb, verb, strcmp(verb, "track") ? "Removes" : "Adds");
}

typedef enum strata_control_result change_fn(struct strata_control *control, const char *name,
					     const char *channel, enum strata_domain domain,
					     enum strata_rule_kind kind, const char *target,
					     const char *list);

/* Joins lists with commas, and appends @suffix to each word that is not empty.  For free(); NULL:
 * out of memory. */
static char *join(char **lists, int nr_lists, const char *suffix)
{
	char *all = NULL;
	size_t bytes;
	FILE *text = open_memstream(&all, &bytes);
	int i;

	if (!text)
		return NULL;
	for (i = 0; i < nr_lists; i++) {
		const char *word = lists[i];
		size_t length;

		for (; *word; word += length + (word[length] == ',')) {
			length = strcspn(word, ",");
			fprintf(text, "%s%.*s%s", i || word > lists[i] ? "," : "", (int)length,
				word, length ? suffix : "");
		}
	}
	if (fclose(text)) {
		free(all);
		return NULL;
	}
	return all;
}

/* Changes events and their filter in one step, so that none passes in between.  Returns as the
 * library's functions. */
static enum strata_control_result change_filtered(struct strata_control *control, bool enable,
						  const struct words *words, const char *events)
{
	const enum strata_domain domain = (enum strata_domain)words->domain;
	enum strata_control_result result;
	struct strata_session *session;
	char *filter;

	if (asprintf(&filter, "%s: %s", events, words->filter) < 0)
		return STRATA_CONTROL_NO_REPLY;
	result = strata_control_session_new(control, "rules", "/", &session);
	if (result == STRATA_CONTROL_OK) {
		result = strata_control_session_add(control, session, NULL, domain,
						    STRATA_RULE_FILTER, words->target, filter);
		if (result == STRATA_CONTROL_OK)
			result = strata_control_session_add(control, session, NULL, domain,
							    STRATA_RULE_EVENT, words->target,
							    events);
		if (result == STRATA_CONTROL_OK)
			result = (enable ? strata_control_enable : strata_control_disable)(
				control, words->session, words->channel, domain,
				session->channels[0].domains[domain].rules,
				session->channels[0].domains[domain].nr_rules);
		strata_control_session_free(session);
	}
	free(filter);
	return result;
}

static int send_rules(change_fn *change, const struct words *words, char **lists, int nr_lists)
{
	char *all = words->special ? strdup(words->special) : join(lists, nr_lists, words->level);
	struct strata_control *control = all ? session_request_begin() : NULL;
	enum strata_control_result result;

	if (!all)
		fprintf(stderr, "strata: out of memory\n");
	if (!control) {
		free(all);
		return STRATA_STATUS_FAILED;
	}
	if (words->filter)
		result = change_filtered(control, change == strata_control_enable_list, words, all);
	else
		result = change(control, words->session, words->channel,
				(enum strata_domain)words->domain,
				(enum strata_rule_kind)words->kind, words->target, all);
	free(all);
	return session_request_end(control, result, words->json);
}

/* Sets one of several things of which there may be one only.  Whether it was not set. */
static bool set_domain(struct words *words, enum strata_domain domain, const char *target)
{
	const bool first = words->domain < 0;

	words->domain = (int)domain;
	words->target = target;
	return first;
}

static bool set_special(struct words *words, enum strata_rule_kind kind, const char *text)
{
	const bool first = !words->special;

	words->kind = (int)kind;
	words->special = text;
	return first;
}

/* Takes an option that both pairs of verbs have.  False: it is unknown, or was given twice. */
static bool take_common(struct words *words, int option, const char *argument)
{
	switch (option) {
	case 's':
		words->session = argument;
		return true;
	case 'c':
		words->channel = argument;
		return true;
	case 'j':
		words->json = true;
		return true;
	case 'x':
		return set_domain(words, STRATA_DOMAIN_XEN, NULL);
	case 'k':
		return set_domain(words, STRATA_DOMAIN_KERNEL, argument);
	case 'a':
		return set_domain(words, STRATA_DOMAIN_APP, argument);
	default:
		return false;
	}
}

/* Takes --loglevel and --loglevel-only.  False: one was given before.  Truncates a name that is too
 * long for a level; stratad refuses it. */
static bool set_level(struct words *words, const char *sign, const char *name)
{
	const bool first = !words->level[0];

	snprintf(words->level, sizeof(words->level), "%s%s", sign, name);
	return first;
}

static int run_events(int argc, char **argv, change_fn *change)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "channel", required_argument, NULL, 'c' },
		{ "xen", no_argument, NULL, 'x' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "app", required_argument, NULL, 'a' },
		{ "kprobe", required_argument, NULL, 'p' },
		{ "kretprobe", required_argument, NULL, 'r' },
		{ "uprobe", required_argument, NULL, 'u' },
		{ "uretprobe", required_argument, NULL, 'R' },
		{ "function", required_argument, NULL, 'F' },
		{ "tracepoint", required_argument, NULL, 't' },
		{ "filter", required_argument, NULL, 'f' },
		{ "loglevel", required_argument, NULL, 'l' },
		{ "loglevel-only", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct words words = { .domain = -1, .kind = STRATA_RULE_EVENT };
	const char *const verb = argv[0];
	bool fine = true;
	int option;

	opterr = 0;
	while (fine && (option = getopt_long(argc, argv, "s:c:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage_events(stdout, verb);
			return STRATA_STATUS_OK;
		}
		if (option == 'p')
			fine = set_special(&words, STRATA_RULE_KPROBE, optarg);
		else if (option == 'r')
			fine = set_special(&words, STRATA_RULE_KRETPROBE, optarg);
		else if (option == 'u')
			fine = set_special(&words, STRATA_RULE_UPROBE, optarg);
		else if (option == 'R')
			fine = set_special(&words, STRATA_RULE_URETPROBE, optarg);
		else if (option == 'F')
			fine = set_special(&words, STRATA_RULE_FUNCTION, optarg);
		else if (option == 't')
			fine = set_special(&words, STRATA_RULE_TRACEPOINT, optarg);
		else if (option == 'f') {
			fine = !words.filter;
			words.filter = optarg;
		} else if (option == 'l' || option == 'o')
			fine = set_level(&words, option == 'l' ? "@" : "@=", optarg);
		else
			fine = take_common(&words, option, optarg);
	}
	if (!fine)
		return session_request_wrong(verb, "an unknown option, or two of which there can "
						   "be one");
	if (words.domain < 0)
		return session_request_wrong(verb, "one of --xen, --kernel and --app is missing");
	if (words.special ? optind < argc : optind == argc)
		return session_request_wrong(verb, words.special
							   ? "events and a probe exclude each other"
							   : "the events are missing");
	if (words.filter && (words.special || words.domain != STRATA_DOMAIN_KERNEL))
		return session_request_wrong(verb, "--filter is of a kernel's EVENTS");
	if (words.level[0] && words.domain != STRATA_DOMAIN_APP)
		return session_request_wrong(verb, "--loglevel is of an application's EVENTS");
	return send_rules(change, &words, argv + optind, argc - optind);
}

static int run_track(int argc, char **argv, change_fn *change)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "channel", required_argument, NULL, 'c' },
		{ "xen", no_argument, NULL, 'x' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "pid", required_argument, NULL, 'p' },
		{ "tid", required_argument, NULL, 't' },
		{ "domain", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct words words = { .domain = -1, .kind = -1 };
	const char *const verb = argv[0];
	char *list = NULL;
	bool fine = true;
	int option;

	opterr = 0;
	while (fine && (option = getopt_long(argc, argv, "s:c:h", long_options, NULL)) >= 0) {
		const int kind = option == 'p'   ? STRATA_RULE_PID
				 : option == 't' ? STRATA_RULE_TID
				 : option == 'd' ? STRATA_RULE_XEN_DOMAIN
						 : -1;

		if (option == 'h') {
			usage_track(stdout, verb);
			return STRATA_STATUS_OK;
		}
		fine = kind < 0 ? take_common(&words, option, optarg) : !list;
		if (kind < 0)
			continue;
		words.kind = kind;
		list = optarg;
	}
	if (!fine)
		return session_request_wrong(verb, "an unknown option, or two of which there can "
						   "be one");
	if (optind < argc)
		return session_request_wrong(verb, "\"%s\" is not an option", argv[optind]);
	if (words.domain < 0 || !list)
		return session_request_wrong(verb, "a domain and what to track in it are missing");
	return send_rules(change, &words, &list, 1);
}

int strata_cmd_enable_event(int argc, char **argv)
{
	return run_events(argc, argv, strata_control_enable_list);
}

int strata_cmd_disable_event(int argc, char **argv)
{
	return run_events(argc, argv, strata_control_disable_list);
}

int strata_cmd_track(int argc, char **argv)
{
	return run_track(argc, argv, strata_control_enable_list);
}

int strata_cmd_untrack(int argc, char **argv)
{
	return run_track(argc, argv, strata_control_disable_list);
}
