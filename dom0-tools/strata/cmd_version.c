// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_version.c - `strata version`: what this build is, and what it understands of others. */
#include <stdio.h>
#include <string.h>

#include <strata/abi/app.h>
#include <strata/abi/guest.h>
#include <strata/abi/hypervisor.h>

#include "base/exit_status.h"
#include "base/version.h"
#include "recording/recording_format.h"
#include "strata/commands.h"

int strata_cmd_version(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("Usage: strata version\n"
		       "Prints the version of this program, and the versions of the contracts that it has\n"
		       "with the hypervisor, with kernels and with applications, which must have the same.\n");
		return STRATA_STATUS_OK;
	}
	if (argc > 1) {
		fprintf(stderr, "strata: version takes no \"%s\"\n", argv[1]);
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
