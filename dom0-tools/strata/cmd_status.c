// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_status.c - `strata status`: what sessions there are, what each records, and which of its
 * rules wait for something. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/json_members.h"
#include "control/client.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "strata/commands.h"
#include "strata/session_request.h"

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

static uint64_t number_of(struct json_object *object, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(object, key, &member) ? json_object_get_uint64(member) : 0;
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(object, key, &member) ? json_object_get_string(member)
							       : "";
}

static bool truth_of(struct json_object *object, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(object, key, &member) && json_object_get_boolean(member);
}

/* The state of a session in a word. */
static const char *state_of(struct json_object *session)
{
	if (truth_of(session, "records"))
		return "records";
	if (!strata_json_has(session, "ended"))
		return "stopped";
	return strcmp(text_of(session, "ended"), "killed") ? "ended" : "killed";
}

static void print_bytes(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1024;
	printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_totals(struct json_object *status)
{
	const uint64_t seconds = number_of(status, "seconds"), events = number_of(status, "events");

	printf("%" PRIu64 " events (%" PRIu64 " a second), ", events,
	       seconds ? events / seconds : events);
	print_bytes(number_of(status, "bytes"));
	printf(", %" PRIu64 " lost, in %" PRIu64 " s\n", number_of(status, "lost"), seconds);
}

/* A line of the list. */
static void print_session(struct json_object *session, const char *current)
{
	struct json_object *model, *status;
	const char *name;

	if (!json_object_object_get_ex(session, "model", &model))
		return;
	name = text_of(model, "name");
	printf("%c %-24s %-8s ", strcmp(name, current) ? ' ' : '*', name, state_of(session));
	if (!json_object_object_get_ex(session, "status", &status)) {
		print_hostile(text_of(model, "output"));
		printf("\n");
	} else if (truth_of(model, "snapshot")) {
		printf("flight recorder, %" PRIu64 " snapshots, %" PRIu64 " s\n",
		       number_of(status, "snapshots"), number_of(status, "seconds"));
	} else {
		print_totals(status);
	}
}

static void print_rule(struct json_object *rule)
{
	const char *kind = text_of(rule, "kind"), *target = text_of(rule, "target");

	printf("    %s ", kind[0] ? kind : "event");
	print_hostile(target);
	if (target[0])
		printf(":");
	print_hostile(text_of(rule, "text"));
	printf("\n");
}

static void print_channel(const char *domain, struct json_object *channel)
{
	struct json_object *rules;
	size_t i;

	if (!json_object_object_get_ex(channel, "rules", &rules) ||
	    !json_object_array_length(rules))
		return;
	printf("  %s", domain);
	if (strata_json_has(channel, "subbuf_bytes")) {
		printf(": ");
		print_bytes(number_of(channel, "subbuf_bytes"));
		printf(" x %" PRIu64 " a CPU", number_of(channel, "nr_subbufs"));
	}
	printf("\n");
	for (i = 0; i < json_object_array_length(rules); i++)
		print_rule(json_object_array_get_idx(rules, i));
}

static void print_sources(struct json_object *status)
{
	struct json_object *list;
	size_t i;

	if (json_object_object_get_ex(status, "sources", &list) && json_object_array_length(list))
		printf("  %-32s %-8s %14s %12s\n", "source", "layer", "events", "lost");
	for (i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		char shown[256];

		printf("  %-32s %-8s %14" PRIu64 " %12" PRIu64 "%s\n",
		       strata_escape_name(shown, sizeof(shown), text_of(one, "name")),
		       text_of(one, "layer"), number_of(one, "events"), number_of(one, "lost"),
		       truth_of(one, "ended") ? "  ended" : "");
	}
	if (json_object_object_get_ex(status, "waiting", &list))
		for (i = 0; i < json_object_array_length(list); i++) {
			struct json_object *one = json_object_array_get_idx(list, i);

			printf("  waits for ");
			print_hostile(text_of(one, "target"));
			printf(": %s\n", text_of(one, "why"));
		}
	if (number_of(status, "not_shown"))
		printf("  and %" PRIu64 " more\n", number_of(status, "not_shown"));
}

static void print_whole(struct json_object *session)
{
	struct json_object *model, *channels, *status;
	size_t i;

	if (!json_object_object_get_ex(session, "model", &model) ||
	    !json_object_object_get_ex(model, "channels", &channels))
		return;
	printf("%s: %s%s, into ", text_of(model, "name"), state_of(session),
	       truth_of(model, "snapshot") ? ", flight recorder" : "");
	print_hostile(text_of(model, "output"));
	printf("\n");
	for (i = 0; i < STRATA_NR_DOMAINS; i++) {
		struct json_object *channel;

		if (json_object_object_get_ex(channels, session_model_domain_name(i), &channel))
			print_channel(session_model_domain_name(i), channel);
	}
	if (json_object_object_get_ex(session, "status", &status)) {
		printf("  recording ");
		print_hostile(text_of(status, "recording"));
		printf("\n  ");
		print_totals(status);
		if (truth_of(status, "disk_was_full"))
			printf("  the disk was full: free some space\n");
		print_sources(status);
	} else if (strata_json_has(session, "no_status")) {
		printf("  its consumer does not answer: ");
		print_hostile(text_of(session, "no_status"));
		printf("\n");
	} else if (!strcmp(state_of(session), "killed")) {
		printf("  its consumer was killed: `strata recover ");
		print_hostile(strata_json_has(session, "recording") ? text_of(session, "recording")
								    : text_of(model, "output"));
		printf("` restores the recording, `strata start` makes another one\n");
	} else if (!strcmp(state_of(session), "ended")) {
		printf("  its consumer ended by itself with status %s: `strata stop` shows its "
		       "messages\n",
		       text_of(session, "ended"));
	}
}

static int show(struct json_object *reply, bool whole)
{
	struct json_object *list;
	struct strata_error error;
	size_t i;

	if (strata_json_array(reply, "sessions", SIZE_MAX, &list, &error)) {
		fprintf(stderr, "strata: stratad: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (!json_object_array_length(list))
		printf("no sessions; `strata create` makes one\n");
	for (i = 0; i < json_object_array_length(list); i++) {
		struct json_object *session = json_object_array_get_idx(list, i);

		if (whole)
			print_whole(session);
		else
			print_session(session, text_of(reply, "current"));
	}
	return STRATA_STATUS_OK;
}

int strata_cmd_status(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct json_object *request, *reply;
	struct strata_error error = { "" };
	bool json = false;
	int option, status;

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
	request = session_request_make("status", argv[optind]);
	if (json)
		return session_request_run(request, false, true);
	status = client_ask(request, false, &reply, &error);
	json_object_put(request);
	if (status < 0) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (status)
		fprintf(stderr, "strata: %s\n", text_of(reply, "message"));
	else
		status = show(reply, argv[optind] != NULL);
	json_object_put(reply);
	return status;
}
