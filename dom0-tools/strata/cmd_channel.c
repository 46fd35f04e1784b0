// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_channel.c - `strata enable-channel`: sets the rings of a session in one domain. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "control/session_model.h"
#include "strata/channel_options.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata enable-channel [-s SESSION] --xen | --app [OPTIONS]\n"
		"Sets the ring buffers of a session (default: the current one) in a domain. A session\n"
		"has one channel in each; it can be changed while the session does not record.\n\n"
		"      --buffer SIZE[xN]  N sub-buffers of SIZE per CPU, and with --app for each\n"
		"                         application (default: 64Kx32; --app 64Kx16)\n"
		"      --budget EVENTS    --xen: events that a guest may cause per second and CPU; none\n"
		"                         (default: %u)\n"
		"      --rings KIND       --app: single-store or reserve-commit\n"
		"  -s, --session NAME     the session\n"
		"      --json             prints the reply as JSON\n\n"
		"The rings of kernels are set by parameters of strata.ko: subbuf_kb, nr_subbufs.\n"
		"Example: strata enable-channel --xen --buffer 256Kx32\n",
		SESSION_BUDGET_PER_S);
}

static int take_budget(struct strata_channel *channel, const char *argument)
{
	unsigned long budget;

	errno = 0;
	budget = strtoul(argument, NULL, 10);
	if (!strcmp(argument, "none"))
		budget = 0;
	else if (!argument[0] || argument[strspn(argument, "0123456789")] || errno || !budget ||
		 budget > UINT32_MAX)
		return session_request_wrong("enable-channel",
					     "--budget: \"%s\" is neither a number of events per "
					     "second nor none",
					     argument);
	channel->budget_per_s = (uint32_t)budget;
	return STRATA_STATUS_OK;
}

static int take_buffer(struct strata_channel *channel, const char *argument, bool of_app)
{
	struct strata_ring_geometry geometry = {
		.nr_subbufs_bits = of_app ? SESSION_APP_NR_BITS : SESSION_NR_BITS,
	};
	int status = channel_option_rings("--buffer", argument, &geometry);

	if (status != STRATA_STATUS_OK)
		return status;
	channel->subbuf_bytes = 1u << geometry.subbuf_bits;
	channel->nr_subbufs = 1u << geometry.nr_subbufs_bits;
	return STRATA_STATUS_OK;
}

int strata_cmd_enable_channel(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "xen", no_argument, NULL, 'x' },
		{ "app", no_argument, NULL, 'a' },
		{ "buffer", required_argument, NULL, 'b' },
		{ "budget", required_argument, NULL, 'B' },
		{ "rings", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *session = NULL, *buffer = NULL, *budget = NULL, *rings = NULL;
	struct strata_channel channel = { .rules = NULL };
	struct strata_control *control;
	char members[64];
	bool of_xen = false, of_app = false, json = false;
	int option, status = STRATA_STATUS_OK;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "s:h", long_options, NULL)) >= 0) {
		switch (option) {
		case 's':
			session = optarg;
			break;
		case 'x':
			of_xen = true;
			break;
		case 'a':
			of_app = true;
			break;
		case 'b':
			buffer = optarg;
			break;
		case 'B':
			budget = optarg;
			break;
		case 'r':
			rings = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		default:
			return session_request_wrong(argv[0], "unknown option");
		}
	}
	if (optind < argc)
		return session_request_wrong(
			argv[0],
			"\"%s\": channels have no names, because a session has "
			"one in each domain; create another session for "
			"events that need rings of their own",
			argv[optind]);
	if (of_xen == of_app)
		return session_request_wrong(argv[0], "one of --xen and --app is needed");
	if ((budget && !of_xen) || (rings && !of_app))
		return session_request_wrong(argv[0], "--budget is of --xen, and --rings of --app");
	if (!buffer && !budget && !rings)
		return session_request_wrong(argv[0], "nothing to set");
	if (buffer)
		status = take_buffer(&channel, buffer, of_app);
	if (status == STRATA_STATUS_OK && budget)
		status = take_budget(&channel, budget);
	if (status == STRATA_STATUS_OK && rings)
		status = channel_option_kind("--rings", rings, &channel.rings);
	if (status != STRATA_STATUS_OK)
		return status;
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	snprintf(members, sizeof(members), "%s%s%s", buffer ? "subbuf_bytes,nr_subbufs," : "",
		 budget ? "budget_per_s," : "", rings ? "rings," : "");
	return session_request_end(
		control,
		strata_control_set_channel(control, session,
					   of_xen ? STRATA_DOMAIN_XEN : STRATA_DOMAIN_APP, &channel,
					   members),
		json);
}
