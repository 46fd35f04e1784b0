// SPDX-License-Identifier: GPL-2.0-or-later
/* run_dir_path.c - see run_dir_path.h. */
#include "consumerd/host/run_dir_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/abi/app.h>

#define ROOT_PATH "/run/strata"

int run_dir_choose(char path[RUN_DIR_PATH_BYTES], struct strata_error *error)
{
	const uid_t user = geteuid();
	char runtime[32];

	if (!user) {
		memcpy(path, ROOT_PATH, sizeof(ROOT_PATH));
		return 0;
	}
	snprintf(runtime, sizeof(runtime), "/run/user/%u", user);
	if (strata_app_user_dir(path, RUN_DIR_PATH_BYTES, access(runtime, F_OK) ? NULL : runtime,
				secure_getenv("HOME")))
		return 0;
	path[0] = '\0';
	return strata_fail(error,
			   "there is no directory for sockets: /run/user/%u is missing, and HOME "
			   "names no other; set HOME",
			   user);
}
