// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_triggers.c - `strata add-trigger`, `remove-trigger` and `list-triggers`: triggers of
 * sessions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "outputs/table.h"
#include "strata/commands.h"
#include "strata/session_request.h"
#include "strata/trigger_lines.h"
#include "strata/trigger_options.h"

static void usage_add(FILE *out)
{
	fprintf(out,
		"Usage: strata add-trigger [OPTIONS] SPEC\n"
		"Adds a trigger to a session. It counts from the session's start to its stop; if the\n"
		"session records already, it counts immediately. It takes a snapshot of the session\n"
		"when a condition is met. `strata status SESSION` shows its last action, `strata stop`\n"
		"all of them.\n"
		"A trigger of a member of the group tracing (`strata --system`) takes the place of one\n"
		"of his two channels; its --interval is at least 100ms, its --pause at least 1s.\n\n" TRIGGER_USAGE
		"  -n, --name NAME            of the trigger (default: trigger0, trigger1...)\n"
		"      --json                 prints the reply as JSON\n\n"
		"Example: strata create --snapshot flight && strata enable-event --xen all &&\n"
		"         strata add-trigger --above 10ms time:vm_exit..vm_entry:domain &&\n"
		"         strata start\n");
}

/* Chooses the first name that no trigger of the session has.  0, or -1 with a message in the
 * handle. */
static int choose_name(struct trigger_options *options)
{
	struct strata_session *session;
	unsigned int number;
	size_t i;

	if (strata_control_get(options->control, options->session, &session))
		return -1;
	for (number = 0; number <= session->nr_triggers; number++) {
		char *name = options->trigger->counted.name;

		snprintf(name, STRATA_CHANNEL_NAME_BYTES, "trigger%u", number);
		for (i = 0; i < session->nr_triggers; i++)
			if (!strcmp(session->triggers[i].counted.name, name))
				break;
		if (i == session->nr_triggers)
			break;
	}
	strata_control_session_free(session);
	return 0;
}

/* Ends a call of the handle, which session_request_end() frees. */
static int end(struct trigger_options *options, enum strata_control_result result)
{
	struct strata_control *control = options->control;

	options->control = NULL;
	return session_request_end(control, result, options->json);
}

static int add(int argc, char **argv, struct trigger_options *options)
{
	static const struct option long_options[] = {
		{ "name", required_argument, NULL, 'n' },
		TRIGGER_OPTIONS,
		{ NULL, 0, NULL, 0 },
	};
	char *const name = options->trigger->counted.name;
	struct strata_error error = { "" };
	bool is_named = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "n:s:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage_add(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == 'n' && strlen(optarg) >= STRATA_CHANNEL_NAME_BYTES)
			return session_request_wrong("add-trigger", "%.50s...: too long", optarg);
		if (option == 'n')
			memcpy(name, optarg, strlen(optarg) + 1);
		else if (trigger_option(options, option, optarg, &error))
			return session_request_wrong("add-trigger", "%s", error.text);
		is_named |= option == 'n';
	}
	if (trigger_option_spec(options, argc - optind, argv + optind, &error))
		return session_request_wrong("add-trigger", "%s", error.text);
	if (!is_named && choose_name(options))
		return end(options, STRATA_CONTROL_FAILED);
	return end(options, strata_control_add_trigger(options->control, options->session,
						       options->trigger));
}

int strata_cmd_add_trigger(int argc, char **argv)
{
	struct trigger_options options;
	int status;

	if (trigger_options_begin(&options, "trigger0"))
		return STRATA_STATUS_FAILED;
	status = add(argc, argv, &options);
	trigger_options_end(&options);
	return status;
}

static void usage_remove(FILE *out)
{
	fprintf(out, "Usage: strata remove-trigger [-s SESSION] [--json] NAME\n"
		     "Removes a trigger from a session (default: the current one).\n"
		     "      --json  prints the reply as JSON\n");
}

static void usage_list(FILE *out)
{
	fprintf(out,
		"Usage: strata list-triggers [-s SESSION] [--json]\n"
		"Lists the triggers of a session (default: the current one): what each counts, its\n"
		"state, and its last action.\n"
		"      --json  prints the reply of `strata status` as JSON (docs/formats.md)\n");
}

/* The options of `remove-trigger` and `list-triggers`. */
struct options {
	const char *session;
	bool json;
};

/* Reads them.  -1, or the exit status. */
static int take_options(int argc, char **argv, struct options *options, void (*usage)(FILE *out))
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "s:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option == 's')
			options->session = optarg;
		else if (option == 'j')
			options->json = true;
		else
			return session_request_wrong(argv[0], "unknown option");
	}
	return -1;
}

int strata_cmd_remove_trigger(int argc, char **argv)
{
	struct options options = { .json = false };
	struct strata_control *control;
	int status = take_options(argc, argv, &options, usage_remove);

	if (status >= 0)
		return status;
	if (argc - optind != 1)
		return session_request_wrong(argv[0], "name one trigger");
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(
		control, strata_control_remove_trigger(control, options.session, argv[optind]),
		options.json);
}

/* The session that a status is about: the one that was named, or the current one.  NULL: absent. */
static const struct strata_session_status *find(const struct strata_control *control,
						const char *name)
{
	const struct strata_session_status *session;
	size_t i;

	for (i = 0; (session = strata_control_session(control, i)); i++)
		if (name || session->current || strata_control_nr_sessions(control) == 1)
			return session;
	return NULL;
}

int strata_cmd_list_triggers(int argc, char **argv)
{
	const struct strata_session_status *session;
	struct options options = { .json = false };
	enum strata_control_result result;
	struct strata_control *control;
	int status = take_options(argc, argv, &options, usage_list);

	if (status >= 0)
		return status;
	if (argc > optind)
		return session_request_wrong(argv[0], "\"%s\" is not an option", argv[optind]);
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	result = strata_control_status(control, options.session);
	session = result == STRATA_CONTROL_OK && !options.json ? find(control, options.session)
							       : NULL;
	if (session && !session->nr_triggers)
		printf("session %s has no triggers; `strata add-trigger` adds one\n",
		       session->model->name);
	else if (session)
		trigger_lines_print(session);
	else if (result == STRATA_CONTROL_OK && !options.json)
		printf("no current session; name one with --session\n");
	return session_request_end(control, result, options.json);
}
