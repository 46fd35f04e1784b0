// SPDX-License-Identifier: GPL-2.0-or-later
/* sibling.c - see sibling.h. */
#include "control/sibling.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int sibling_path(const char *program, char path[PATH_MAX], struct strata_error *error)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return strata_fail(error, "/proc/self/exe: %s", strerror(errno));
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(program) >= PATH_MAX)
		return strata_fail(error, "%s: the path is too long", program);
	memcpy(slash + 1, program, strlen(program) + 1);
	if (access(path, X_OK))
		return strata_fail(error, "%s: %s; install the programs of one build together",
				   path, strerror(errno));
	return 0;
}
