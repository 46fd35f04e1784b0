// SPDX-License-Identifier: GPL-2.0-or-later
/* matches.c - see matches.h. */
#include "why/matches.h"

#include <stdio.h>
#include <string.h>

#include <strata/glob.h>

#include "analyses/report.h"

bool strata_why_name_fits(const char *pattern, const char *name)
{
	return !pattern || strata_glob_fits(pattern, strlen(pattern), name, strlen(name));
}

bool strata_why_source_fits(const char *pattern, const char *source)
{
	const char *slash = strrchr(source, '/');
	char name[STRATA_REPORT_NAME];
	char *end;

	if (strata_why_name_fits(pattern, source))
		return true;
	source = slash ? slash + 1 : source;
	if (strata_why_name_fits(pattern, source))
		return true;
	if (strncmp(source, "app-", 4) != 0)
		return false;
	snprintf(name, sizeof(name), "%s", source + 4);
	if (strata_why_name_fits(pattern, name))
		return true;
	end = strrchr(name, '-');
	if (!end || end[1 + strspn(end + 1, "0123456789")])
		return false;
	*end = 0;
	return strata_why_name_fits(pattern, name);
}

bool strata_why_task_fits(const char *pattern, const struct strata_task *task)
{
	char both[STRATA_REPORT_NAME], *end;

	if (!pattern)
		return true;
	strata_report_task_name(both, task);
	end = strrchr(both, '-');
	if (strata_why_name_fits(pattern, both) || (end && strata_why_name_fits(pattern, end + 1)))
		return true;
	if (end)
		*end = 0;
	return strata_why_name_fits(pattern, both);
}
