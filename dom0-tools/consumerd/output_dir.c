// SPDX-License-Identifier: GPL-2.0-or-later
/* output_dir.c - see output_dir.h. */
#include "output_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/live_table.h"
#include "ring_file.h"

/* Held back from the disk, so that the tables can still be saved when it is full. */
#define RESERVE_FILE  ".reserve"
#define RESERVE_BYTES (256u << 10)

static int make_dir(const char *path, struct strata_error *error)
{
	if (mkdir(path, 0750) && errno != EEXIST)
		return strata_fail(error,
				   "%s: %s; name a directory that can be written with --output",
				   path, strerror(errno));
	return 0;
}

void output_dir_remove(const char *dir, const char *source)
{
	char path[800];
	struct dirent *entry;
	DIR *stream;

	snprintf(path, sizeof(path), "%s/%s", dir, source);
	stream = opendir(path);
	if (!stream)
		return;
	while ((entry = readdir(stream))) {
		if (strncmp(entry->d_name, "cpu_", 4) && strcmp(entry->d_name, "metadata") &&
		    strcmp(entry->d_name, ".metadata"))
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir, source, entry->d_name);
		unlink(path);
	}
	closedir(stream);
	snprintf(path, sizeof(path), "%s/%s", dir, source);
	rmdir(path);
}

/* An old recording gives way; anything else in the directory is somebody's, and refused. */
static int clear_old(const char *dir, struct strata_error *error)
{
	struct strata_recording old = { 0 };
	struct dirent *entry;
	bool empty = true;
	char path[500];
	DIR *stream;
	size_t i;

	if (ring_file_any(dir))
		return strata_fail(
			error,
			"%s holds rings that a recorder left which died; `strata recover "
			"%s` reads them. Then remove it, or name another directory",
			dir, dir);
	snprintf(path, sizeof(path), "%s/" STRATA_RECORDING_FILE, dir);
	if (!access(path, F_OK)) {
		if (strata_recording_load(&old, dir, error))
			return strata_fail_in(
				error,
				"%s holds a recording that cannot be replaced; remove "
				"it, or name another directory",
				dir);
		if (old.nr_faults) {
			strata_fail(
				error,
				"%s; the recording cannot be replaced; remove it, or name another "
				"directory",
				old.faults[0].text);
			strata_recording_clear(&old);
			return -1;
		}
		for (i = 0; i < old.nr_sources; i++)
			output_dir_remove(dir, old.sources[i].name);
		strata_recording_clear(&old);
		ring_file_remove_dir(dir);
		unlink(path);
		snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, dir);
		unlink(path);
		return 0;
	}
	stream = opendir(dir);
	if (!stream)
		return strata_fail(error, "%s: %s", dir, strerror(errno));
	while (empty && (entry = readdir(stream)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
			!strcmp(entry->d_name, RESERVE_FILE) ||
			!strcmp(entry->d_name, STRATA_LIVE_FILE);
	closedir(stream);
	if (!empty)
		return strata_fail(error,
				   "%s is not empty and holds no recording; name another directory",
				   dir);
	return 0;
}

static int hold_reserve(const char *dir, struct strata_error *error)
{
	static const char zeros[4096];
	char path[500];
	size_t done;
	int fd;

	snprintf(path, sizeof(path), "%s/" RESERVE_FILE, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return strata_fail(error,
				   "%s: %s; name a directory that can be written with "
				   "--output",
				   path, strerror(errno));
	for (done = 0; done < RESERVE_BYTES; done += sizeof(zeros)) {
		if (write(fd, zeros, sizeof(zeros)) == (ssize_t)sizeof(zeros))
			continue;
		strata_fail(error, "%s: %s; make room, or name another directory with --output",
			    dir, strerror(errno));
		close(fd);
		unlink(path);
		return -1;
	}
	close(fd);
	return 0;
}

/* Two recorders in one directory would each take the other's for an old recording. */
static int hold(const char *dir, struct strata_error *error)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return strata_fail(error, "%s: %s", dir, strerror(errno));
	/* Where there are no locks, nobody is kept out. */
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return fd;
	close(fd);
	return strata_fail(error, "%s is being recorded into; name another directory", dir);
}

int output_dir_open(const char *dir, struct strata_error *error)
{
	bool made = access(dir, F_OK) != 0;
	int fd;

	if (make_dir(dir, error))
		return -1;
	fd = hold(dir, error);
	if (fd < 0)
		return -1;
	if (!clear_old(dir, error) && !hold_reserve(dir, error))
		return fd;
	if (made)
		rmdir(dir);
	close(fd);
	return -1;
}

int output_dir_add(const char *dir, const char *source, struct strata_error *error)
{
	char path[500];

	snprintf(path, sizeof(path), "%s/%s", dir, source);
	return make_dir(path, error);
}

void output_dir_free_reserve(const char *dir)
{
	char path[500];

	snprintf(path, sizeof(path), "%s/" RESERVE_FILE, dir);
	unlink(path);
}
