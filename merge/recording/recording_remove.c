// SPDX-License-Identifier: GPL-2.0-or-later
/* recording_remove.c - see recording_remove.h. */
#include "recording/recording_remove.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool strata_recording_is_in(const struct strata_dir *dir)
{
	return strata_dir_has(dir, STRATA_RECORDING_FILE);
}

static bool is_of_source(const char *name)
{
	const char *number = name + strlen("cpu_");

	if (strncmp(name, "cpu_", strlen("cpu_")) == 0)
		return *number && !number[strspn(number, "0123456789")];
	return strcmp(name, "metadata") == 0 || strcmp(name, ".metadata") == 0;
}

void strata_recording_remove_source(const struct strata_dir *dir, const char *source)
{
	const struct dirent *entry;
	struct strata_dir sub;
	DIR *entries;

	if (!strata_dir_find(&sub, dir, source))
		return;
	entries = strata_dir_entries(&sub);
	while (entries && (entry = readdir(entries)))
		if (is_of_source(entry->d_name))
			strata_dir_remove(&sub, entry->d_name);
	if (entries)
		closedir(entries);
	strata_dir_close(&sub);
	unlinkat(dir->fd, source, AT_REMOVEDIR);
}

int strata_recording_remove(const struct strata_dir *dir, struct strata_error *error)
{
	struct strata_recording old;
	size_t i;

	if (strata_recording_load_in(&old, dir, error))
		return -1;
	/* Unreadable sources name no directory to remove. */
	if (old.nr_faults) {
		strata_fail(error, "%s: %zu of its sources cannot be read; remove it by hand",
			    dir->path, old.nr_faults);
		strata_recording_clear(&old);
		return -1;
	}
	for (i = 0; i < old.nr_sources; i++)
		strata_recording_remove_source(dir, old.sources[i].name);
	strata_recording_clear(&old);
	strata_dir_remove(dir, STRATA_RECORDING_KALLSYMS);
	strata_dir_remove(dir, STRATA_RECORDING_FILE STRATA_DIR_NEW_SUFFIX);
	strata_dir_remove(dir, STRATA_RECORDING_FILE);
	return 0;
}
