// SPDX-License-Identifier: GPL-2.0-or-later
/* paths.c - see paths.h. */
#include "control/library/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FOLDER "strata-traces"

int paths_absolute(const char *path, char absolute[PATH_MAX], struct strata_error *error)
{
	char here[PATH_MAX] = "";

	if (strchr(path, '\n'))
		return strata_fail(error, "a directory's name must not contain a newline");
	if (path[0] != '/' && !getcwd(here, sizeof(here)))
		return strata_fail(error, "the current directory has no path: %s", strerror(errno));
	if (snprintf(absolute, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", path) >= PATH_MAX)
		return strata_fail(error, "%s: the path is too long", path);
	return 0;
}

void paths_date(char date[PATHS_DATE_BYTES])
{
	time_t now = time(NULL);
	struct tm local;

	strftime(date, PATHS_DATE_BYTES, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
}

int paths_default(const char *name, char output[PATH_MAX], struct strata_error *error)
{
	const char *home = secure_getenv("HOME");
	char date[PATHS_DATE_BYTES];

	paths_date(date);
	if (!home || home[0] != '/')
		return strata_fail(error, "HOME names no directory; name an output directory");
	if (snprintf(output, PATH_MAX, "%s/" DEFAULT_FOLDER "/%s-%s", home, name, date) >= PATH_MAX)
		return strata_fail(error, "%s: the path is too long", home);
	/* The session's own directory is made when it starts. */
	*strrchr(output, '/') = '\0';
	if (mkdir(output, 0755) && errno != EEXIST)
		return strata_fail(error, "%s: %s; name another output directory", output,
				   strerror(errno));
	output[strlen(output)] = '/';
	return 0;
}
