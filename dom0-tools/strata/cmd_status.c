// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_status.c - `strata status`: what sessions there are, what each records, and which of its
 * rules wait for something. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/session_request.h"
#include "strata/trigger_lines.h"

static void usage(FILE *out)
{
	fprintf(out, "Usage: strata status [--json] [NAME]\n"
		     "Lists the sessions, or describes one: its rules, its channels, what it has\n"
		     "recorded and lost, its sources, and which rules wait for something.\n\n"
		     "      --json  prints the reply as JSON (docs/formats.md)\n");
}

/* A text that may be a guest's. */
static void print_hostile(const char *text)
{
	char shown[1024];

	fputs(strata_escape_name(shown, sizeof(shown), text), stdout);
}

static const char *const state_names[] = {
	[STRATA_SESSION_STOPPED] = "stopped",
	[STRATA_SESSION_RECORDS] = "records",
	[STRATA_SESSION_ENDED] = "ended",
	[STRATA_SESSION_KILLED] = "killed",
};

static void print_bytes(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1024;
	printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_totals(uint64_t events, uint64_t bytes, uint64_t lost, uint64_t seconds)
{
	printf("%" PRIu64 " events (%" PRIu64 " a second), ", events,
	       seconds ? events / seconds : events);
	print_bytes(bytes);
	printf(", %" PRIu64 " lost, in %" PRIu64 " s\n", lost, seconds);
}

/* A line of the list. */
static void print_line(const struct strata_session_status *session)
{
	printf("%c %-24s %-8s ", session->current ? '*' : ' ', session->model->name,
	       state_names[session->state]);
	if (!session->has_figures) {
		print_hostile(session->model->output);
		printf("\n");
	} else if (session->model->snapshot) {
		printf("flight recorder, %" PRIu64 " snapshots, %" PRIu64 " s\n",
		       session->snapshots, session->seconds);
	} else {
		print_totals(session->events, session->bytes, session->lost, session->seconds);
	}
}

/* A channel in a domain: its rings and rules. */
static void print_domain(enum strata_domain domain, const struct strata_domain_channel *channel)
{
	size_t i;

	if (!channel->nr_rules)
		return;
	printf("  %s", strata_control_domain_name(domain));
	if (channel->subbuf_bytes) {
		printf(": ");
		print_bytes(channel->subbuf_bytes);
		printf(" x %u a CPU", channel->nr_subbufs);
	}
	printf("\n");
	for (i = 0; i < channel->nr_rules; i++) {
		const struct strata_rule *rule = &channel->rules[i];

		printf("    %s ", strata_control_rule_name(rule->kind));
		print_hostile(rule->target);
		if (rule->target[0])
			printf(":");
		print_hostile(rule->text);
		printf("\n");
	}
}

static void print_figures(const struct strata_channel_status *channel)
{
	size_t i;

	printf("  recording ");
	print_hostile(channel->recording);
	printf("\n  ");
	print_totals(channel->events, channel->bytes, channel->lost, channel->seconds);
	if (channel->disk_was_full)
		printf("  the disk was full: free some space\n");
	if (channel->nr_sources)
		printf("  %-32s %-8s %14s %12s\n", "source", "layer", "events", "lost");
	for (i = 0; i < channel->nr_sources; i++) {
		const struct strata_session_source *source = channel->sources[i];
		char name[256], layer[32];

		printf("  %-32s %-8s %14" PRIu64 " %12" PRIu64 "%s\n",
		       strata_escape_name(name, sizeof(name), source->name),
		       strata_escape_name(layer, sizeof(layer), source->layer), source->events,
		       source->lost, source->ended ? "  ended" : "");
	}
	for (i = 0; i < channel->nr_waiting; i++) {
		printf("  waits for ");
		print_hostile(channel->waiting[i]->target);
		printf(": ");
		print_hostile(channel->waiting[i]->why);
		printf("\n");
	}
	if (channel->not_shown)
		printf("  and %" PRIu64 " more\n", channel->not_shown);
}

/* What a channel has recorded, or why it does not record. */
static void print_state(const struct strata_session *model,
			const struct strata_channel_status *channel)
{
	if (channel->has_figures) {
		print_figures(channel);
	} else if (channel->state == STRATA_SESSION_RECORDS) {
		printf("  its consumer does not answer: ");
		print_hostile(channel->no_figures);
		printf("\n");
	} else if (channel->state == STRATA_SESSION_KILLED) {
		printf("  its consumer was killed: `strata recover ");
		print_hostile(channel->recording[0] ? channel->recording : model->output);
		printf("` restores the recording, `strata start` makes another one\n");
	} else if (channel->state == STRATA_SESSION_ENDED) {
		printf("  its consumer ended by itself with status %d: `strata stop` shows its "
		       "messages\n",
		       channel->exit_status);
	}
}

static void print_whole(const struct strata_session_status *session)
{
	const struct strata_session *model = session->model;
	unsigned int domain;
	size_t i;

	printf("%s: %s%s, into ", model->name, state_names[session->state],
	       model->snapshot ? ", flight recorder" : "");
	print_hostile(model->output);
	printf("\n");
	for (i = 0; i < session->nr_channels; i++) {
		const struct strata_channel *channel = &model->channels[i];

		if (session->nr_channels > 1)
			printf(" %s: %s\n", channel->name,
			       channel->disabled ? "disabled"
						 : state_names[session->channels[i]->state]);
		for (domain = 0; domain < STRATA_NR_DOMAINS; domain++)
			print_domain(domain, &channel->domains[domain]);
		print_state(model, session->channels[i]);
	}
	trigger_lines_print(session);
}

static void show(const struct strata_control *control, bool whole)
{
	const struct strata_session_status *session;
	size_t i;

	if (!strata_control_nr_sessions(control))
		printf("no sessions; `strata create` makes one\n");
	for (i = 0; (session = strata_control_session(control, i)); i++) {
		if (whole)
			print_whole(session);
		else
			print_line(session);
	}
}

int strata_cmd_status(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum strata_control_result result;
	struct strata_control *control;
	bool json = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option != 'j')
			return session_request_wrong("status", "unknown option");
		json = true;
	}
	if (argc - optind > 1)
		return session_request_wrong("status", "\"%s\" is one name too many",
					     argv[optind + 1]);
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	result = strata_control_status(control, argv[optind]);
	if (result == STRATA_CONTROL_OK && !json)
		show(control, argv[optind] != NULL);
	return session_request_end(control, result, json);
}
