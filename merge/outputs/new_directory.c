// SPDX-License-Identifier: GPL-2.0-or-later
/* new_directory.c - see new_directory.h. */
#include "outputs/new_directory.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "out_file.h"

int strata_make_new_directory(const char *dir, struct strata_error *error)
{
	const struct dirent *entry;
	int status = 0;
	DIR *list;

	if (mkdir(dir, 0755) == 0)
		return 0;
	if (errno != EEXIST)
		return strata_fail_write(dir, errno, error);
	list = opendir(dir);
	if (!list)
		return strata_fail(error, "%s: %s", dir, strerror(errno));
	while (!status && (entry = readdir(list))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			status = strata_fail(error,
					     "%s: the directory is not empty; name a new one", dir);
	}
	closedir(list);
	return status;
}
