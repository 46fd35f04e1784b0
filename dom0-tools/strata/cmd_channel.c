// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_channel.c - `strata enable-channel` and `disable-channel`: the channels of a session, and
 * their rings in each domain. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "control/app_rings.h"
#include "control/session_model.h"
#include "strata/channel_options.h"
#include "strata/commands.h"
#include "strata/session_request.h"

static void usage_enable(FILE *out)
{
	fprintf(out,
		"Usage: strata enable-channel [-s SESSION] [CHANNEL] [--xen | --app] [OPTIONS]\n"
		"Adds a channel to a session (default: the current one), enables it, or sets its ring\n"
		"buffers in a domain, while the session does not record. Each channel has ring buffers\n"
		"of its own in each domain, so that the events of one do not overflow those of another.\n\n"
		"  CHANNEL                its name (default: channel0, which every session has)\n"
		"      --buffer SIZE[xN]  N sub-buffers of SIZE per CPU, and with --app for each\n"
		"                         application (default: 64Kx32; --app 64Kx16)\n"
		"      --budget EVENTS    --xen: events that a guest may cause per second and CPU; none\n"
		"                         (default: %u)\n"
		"      --rings KIND       --app: single-store or reserve-commit\n"
		"  -s, --session NAME     the session\n"
		"      --json             prints the reply as JSON\n\n"
		"The rings of kernels are set by parameters of strata.ko: subbuf_kb, nr_subbufs.\n"
		"`strata enable-event -c CHANNEL` adds events.\n"
		"A member of the group tracing (`strata --system`) records two channels at a time, with\n"
		"--xen rings of at most 2 MiB per CPU, and no larger --budget than the default.\n"
		"Example: strata enable-channel rare --xen --buffer 16Kx8\n",
		SESSION_BUDGET_PER_S);
}

static void usage_disable(FILE *out)
{
	fprintf(out,
		"Usage: strata disable-channel [-s SESSION] CHANNEL\n"
		"Keeps a channel of a session (default: the current one) from being recorded, from\n"
		"the next start on. Its events stay; `strata enable-channel CHANNEL` enables it again.\n\n"
		"  -s, --session NAME     the session\n"
		"      --json             prints the reply as JSON\n");
}

static int take_budget(struct strata_domain_channel *channel, const char *argument)
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

static int take_buffer(struct strata_domain_channel *channel, const char *argument, bool of_app)
{
	struct strata_ring_geometry geometry = {
		.nr_subbufs_bits = of_app ? app_rings_default(0).nr_subbufs_bits : SESSION_NR_BITS,
	};
	int status = channel_option_rings("--buffer", argument, &geometry);

	if (status != STRATA_STATUS_OK)
		return status;
	channel->subbuf_bytes = 1u << geometry.subbuf_bits;
	channel->nr_subbufs = 1u << geometry.nr_subbufs_bits;
	return STRATA_STATUS_OK;
}

/* What the command line says. */
struct words {
	const char *session;
	const char *channel; /* NULL: the default one */
	const char *buffer, *budget, *rings;
	bool of_xen, of_app;
	bool json;
};

/* Takes an option.  False: it is unknown. */
static bool take_option(struct words *words, int option, const char *argument)
{
	switch (option) {
	case 's':
		words->session = argument;
		return true;
	case 'x':
		words->of_xen = true;
		return true;
	case 'a':
		words->of_app = true;
		return true;
	case 'b':
		words->buffer = argument;
		return true;
	case 'B':
		words->budget = argument;
		return true;
	case 'r':
		words->rings = argument;
		return true;
	case 'j':
		words->json = true;
		return true;
	default:
		return false;
	}
}

/* What is wrong with the words of enable-channel; NULL: nothing. */
static const char *why_wrong(const struct words *words)
{
	const bool sets = words->buffer || words->budget || words->rings;

	if (words->of_xen && words->of_app)
		return "one of --xen and --app can be set at a time";
	if (sets && !words->of_xen && !words->of_app)
		return "one of --xen and --app is needed: whose rings";
	if ((words->budget && !words->of_xen) || (words->rings && !words->of_app))
		return "--budget is of --xen, and --rings of --app";
	if (!sets && !words->channel)
		return "nothing to set";
	return NULL;
}

/* Sends what is to be set; of a channel alone, that it is enabled. */
static int send_channel(const struct words *words)
{
	struct strata_domain_channel channel = { .rules = NULL };
	struct strata_control *control;
	int status = STRATA_STATUS_OK;
	char members[64];

	if (words->buffer)
		status = take_buffer(&channel, words->buffer, words->of_app);
	if (status == STRATA_STATUS_OK && words->budget)
		status = take_budget(&channel, words->budget);
	if (status == STRATA_STATUS_OK && words->rings)
		status = channel_option_kind("--rings", words->rings, &channel.rings);
	if (status != STRATA_STATUS_OK)
		return status;
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	snprintf(members, sizeof(members), "%s%s%s",
		 words->buffer ? "subbuf_bytes,nr_subbufs," : "",
		 words->budget ? "budget_per_s," : "", words->rings ? "rings," : "");
	return session_request_end(
		control,
		strata_control_set_channel(control, words->session, words->channel,
					   words->of_xen ? STRATA_DOMAIN_XEN : STRATA_DOMAIN_APP,
					   &channel, members),
		words->json);
}

/* Reads the words of a verb.  False: an option is unknown, or there are two names.  @help: OUT,
 * whether only the usage is wanted */
static bool read_words(int argc, char **argv, const char *options,
		       const struct option *long_options, struct words *words, bool *help)
{
	int option;

	*words = (struct words){ .session = NULL };
	*help = false;
	opterr = 0;
	while ((option = getopt_long(argc, argv, options, long_options, NULL)) >= 0) {
		*help |= option == 'h';
		if (*help)
			return true;
		if (!take_option(words, option, optarg))
			return false;
	}
	words->channel = argv[optind];
	return argc - optind <= 1;
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
	struct words words;
	const char *why;
	bool help;

	if (!read_words(argc, argv, "s:h", long_options, &words, &help))
		return session_request_wrong(argv[0], "unknown option, or a second name");
	if (help) {
		usage_enable(stdout);
		return STRATA_STATUS_OK;
	}
	why = why_wrong(&words);
	return why ? session_request_wrong(argv[0], "%s", why) : send_channel(&words);
}

int strata_cmd_disable_channel(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct strata_control *control;
	struct words words;
	bool help;

	if (!read_words(argc, argv, "s:h", long_options, &words, &help))
		return session_request_wrong(argv[0], "unknown option, or a second name");
	if (help) {
		usage_disable(stdout);
		return STRATA_STATUS_OK;
	}
	if (!words.channel)
		return session_request_wrong(argv[0], "the channel is missing");
	control = session_request_begin();
	if (!control)
		return STRATA_STATUS_FAILED;
	return session_request_end(
		control, strata_control_disable_channel(control, words.session, words.channel),
		words.json);
}
