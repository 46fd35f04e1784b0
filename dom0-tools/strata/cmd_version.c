// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_version.c - `strata version`: what this build is, and what it understands of others. */
#include <stdio.h>
#include <string.h>

#include <strata/abi/app.h>
#include <strata/abi/guest.h>
#include <strata/abi/hypervisor.h>

#include "base/exit_status.h"
#include "base/version.h"
#include "outputs/figures_json.h"
#include "recording/recording_format.h"
#include "strata/commands.h"
#include "strata/verb_reply.h"

static int print_json(void)
{
	struct json_object *reply = verb_reply_new(STRATA_STATUS_OK, NULL);
	char version[32];

	snprintf(version, sizeof(version), "%d.%d", STRATA_VERSION_MAJOR, STRATA_VERSION_MINOR);
	strata_json_add_text(reply, "name", "strata");
	strata_json_add_text(reply, "version", version);
	strata_json_add_u64(reply, "hypervisor_abi", STRATA_HV_ABI_VERSION);
	strata_json_add_u64(reply, "guest_abi", STRATA_GUEST_ABI_VERSION);
	strata_json_add_u64(reply, "application_protocol", STRATA_APP_ABI_VERSION);
	strata_json_add_u64(reply, "oldest_recording", STRATA_RECORDING_OLDEST);
	strata_json_add_u64(reply, "newest_recording", STRATA_RECORDING_VERSION);
	return verb_reply_print(reply);
}

int strata_cmd_version(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("Usage: strata version [--json]\n"
		       "Prints the version of this program, and the versions of the contracts that it has\n"
		       "with the hypervisor, with kernels and with applications, which must have the same.\n"
		       "--json prints an object: name, version, hypervisor_abi, guest_abi,\n"
		       "application_protocol, oldest_recording and newest_recording.\n");
		return STRATA_STATUS_OK;
	}
	if (argc == 2 && !strcmp(argv[1], "--json"))
		return print_json();
	if (argc > 1) {
		fprintf(stderr, "strata: version takes no \"%s\"\n",
			strcmp(argv[1], "--json") ? argv[1] : argv[2]);
		return STRATA_STATUS_USAGE;
	}
	printf("strata %d.%d\n"
	       "hypervisor ABI %u, guest ABI %u, application protocol %u\n"
	       "recordings of versions %d to %d\n",
	       STRATA_VERSION_MAJOR, STRATA_VERSION_MINOR, STRATA_HV_ABI_VERSION,
	       STRATA_GUEST_ABI_VERSION, STRATA_APP_ABI_VERSION, STRATA_RECORDING_OLDEST,
	       STRATA_RECORDING_VERSION);
	return STRATA_STATUS_OK;
}
