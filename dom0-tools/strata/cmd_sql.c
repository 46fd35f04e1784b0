// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_sql.c - `strata sql`: runs strata-sql, a program beside this one (dom0-tools/strata_sql/), so
 * that no other verb loads SQLite and libedit.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "strata/commands.h"

#define PROGRAM "strata-sql"

int strata_cmd_sql(int argc, char **argv)
{
	char path[PATH_MAX + sizeof(PROGRAM)], shown[PATH_MAX];
	const ssize_t bytes = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	(void)argc;
	if (bytes > 0) {
		path[bytes] = '\0';
		slash = strrchr(path, '/');
		memcpy(slash ? slash + 1 : path, PROGRAM, sizeof(PROGRAM));
		execv(path, argv);
	} else {
		strcpy(path, PROGRAM);
	}
	fprintf(stderr,
		"strata: sql: %s cannot be run: %s; it is installed beside strata (`make install`)\n",
		strata_escape_name(shown, sizeof(shown), path), strerror(errno));
	return STRATA_STATUS_FAILED;
}
