// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_rotation.c - `strata enable-rotation` and `disable-rotation`: set when a session rotates its
 * recording, and how many recordings stay. */
#include <getopt.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/rotation_options.h"
#include "strata/session_request.h"

static void usage(bool enable)
{
	if (!enable) {
		printf("Usage: strata disable-rotation [-s SESSION] [--json]\n"
		       "Ends automatic rotation of a session (default: the current one). `strata rotate`\n"
		       "still works.  --json prints the reply as JSON.\n");
		return;
	}
	printf("Usage: strata enable-rotation [-s SESSION] [--size SIZE] [--timer TIME] "
	       "[--keep N]\n"
	       "Rotates the recording of a session (default: the current one) by size or time, at\n"
	       "once or from the next start on. A rotation ends the recording, which is complete\n"
	       "then, and continues in a new one beside it without losing an event. Replaces\n"
	       "earlier settings.\n\n"
	       "      --size SIZE     after SIZE bytes (100M, 2G)\n"
	       "      --timer TIME    after TIME (30s, 10m)\n"
	       "      --keep N        keeps the newest N recordings since the start, the one in\n"
	       "                      progress included, and removes older ones (default: all)\n"
	       "  -s, --session NAME  the session\n"
	       "      --json          prints the reply as JSON\n\n"
	       "`strata merge` reads several of them, or the session\'s directory, as one timeline.\n"
	       "Example: strata enable-rotation --size 500M --keep 4\n");
}

static int run(int argc, char **argv, bool enable)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "size", required_argument, NULL, 'S' },
		{ "timer", required_argument, NULL, 't' },
		{ "keep", required_argument, NULL, 'k' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_rotation when = { .bytes = 0 };
	int option, status = STRATA_STATUS_OK;
	const char *session = NULL;
	struct strata_control *control;
	bool json = false;

	opterr = 0;
	while (status == STRATA_STATUS_OK &&
	       (option = getopt_long(argc, argv, "s:h", long_options, NULL)) >= 0) {
		if (option == 's')
			session = optarg;
		else if (option == 'j')
			json = true;
		else if (option == 'S' && enable)
			status = rotation_option_size("--size", optarg, &when);
		else if (option == 't' && enable)
			status = rotation_option_time("--timer", optarg, &when);
		else if (option == 'k' && enable)
			status = rotation_option_keep("--keep", optarg, &when);
		else if (option == 'h') {
			usage(enable);
			return STRATA_STATUS_OK;
		} else
			return session_request_wrong(argv[0], "unknown option");
	}
	if (status != STRATA_STATUS_OK)
		return status;
	if (optind < argc)
		return session_request_wrong(argv[0], "\"%s\" is not an option", argv[optind]);
	if (enable && !when.bytes && !when.ms)
		return session_request_wrong(argv[0], "--size or --timer is needed");
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(
		control,
		strata_control_set_rotation(control, session, when.bytes, when.ms, when.keep),
		json);
}

int strata_cmd_enable_rotation(int argc, char **argv)
{
	return run(argc, argv, true);
}

int strata_cmd_disable_rotation(int argc, char **argv)
{
	return run(argc, argv, false);
}
