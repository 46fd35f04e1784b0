// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_file.c - makes files of rings for the recorder; see ring_file.h.  ring_file_load.c reads
 * them. */
#include "ring_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are tried for a new file; others of these may have been left by a recorder that died.
 */
#define NAMES_TRIED 1000u
#define NEW_PREFIX  ".strata-process-"

static bool is_ring_file(const char *name)
{
	size_t length = strlen(name), suffix = strlen(RING_FILE_SUFFIX);

	return length > suffix && strcmp(name + length - suffix, RING_FILE_SUFFIX) == 0;
}

bool ring_file_any(const char *dir)
{
	struct dirent *entry;
	bool any = false;
	char path[600];
	DIR *stream;

	snprintf(path, sizeof(path), "%s/" RING_FILE_DIR, dir);
	stream = opendir(path);
	while (stream && !any && (entry = readdir(stream)))
		any = is_ring_file(entry->d_name);
	if (stream)
		closedir(stream);
	return any;
}

/* A link stands for a directory of any name, wherever this process is. */
static int link_dir(const char *path, const char *named, struct strata_error *error)
{
	char *whole;
	int result = 0;

	if (mkdir(named, 0700) && errno != EEXIST)
		return strata_fail(error,
				   "%s: %s; name a directory that can be made with "
				   "--app-memory file:DIR",
				   named, strerror(errno));
	whole = realpath(named, NULL);
	if (!whole || symlink(whole, path))
		result = strata_fail(error, "%s: %s", whole ? path : named, strerror(errno));
	free(whole);
	return result;
}

int ring_file_make_dir(const char *dir, const char *named, struct strata_error *error)
{
	char path[600];
	int result;

	ring_file_remove_dir(dir);
	snprintf(path, sizeof(path), "%s/" RING_FILE_DIR, dir);
	if (named)
		result = link_dir(path, named, error);
	else
		result = mkdir(path, 0700) ? strata_fail(error, "%s: %s", path, strerror(errno))
					   : 0;
	if (!result && ring_file_any(dir)) {
		ring_file_remove_dir(dir);
		return strata_fail(error,
				   "%s holds rings that a recorder left which died; have `strata "
				   "recover` read them and remove them, or name another directory",
				   named ? named : path);
	}
	return result;
}

/* Files that have no name yet: nothing was recorded into them. */
static void remove_new(const char *path)
{
	DIR *stream = opendir(path);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strncmp(entry->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) == 0)
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
}

void ring_file_remove_dir(const char *dir)
{
	struct stat status;
	char path[600];

	snprintf(path, sizeof(path), "%s/" RING_FILE_DIR, dir);
	if (lstat(path, &status))
		return;
	if (!ring_file_any(dir))
		remove_new(path);
	if (S_ISLNK(status.st_mode))
		unlink(path);
	else
		rmdir(path);
}

static int write_header(int fd, const struct ring_file_header *header, struct strata_error *error)
{
	if (pwrite(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header))
		return 0;
	return strata_fail(error, "the header of its rings cannot be written: %s", strerror(errno));
}

/* A new file of whatever name is free.  -1 with errno. */
static int open_new(const char *dir, int32_t pid, char *path, size_t path_bytes)
{
	unsigned int turn;
	int fd = -1;

	for (turn = 0; turn < NAMES_TRIED; turn++) {
		snprintf(path, path_bytes, "%s/" RING_FILE_DIR "/" NEW_PREFIX "%d-%u", dir, pid,
			 turn);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

int ring_file_make(const char *dir, struct ring_file_header *header, char *path, size_t path_bytes,
		   struct strata_error *error)
{
	int fd = open_new(dir, header->pid, path, path_bytes), reason;

	if (fd < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	header->magic = RING_FILE_MAGIC;
	header->version = RING_FILE_VERSION;
	header->app_version = STRATA_APP_ABI_VERSION;
	header->count_bits = STRATA_COUNT_BITS;
	header->table_bytes = 0;
	header->nr_events = 0;
	reason = posix_fallocate(fd, 0, (off_t)ring_file_table_offset(header));
	if (reason)
		strata_fail(error,
			    "there is no room for its rings (%llu KiB): %s: %s; make some, or take "
			    "smaller ones with --app-buffer, or another directory with "
			    "--app-memory file:DIR",
			    (unsigned long long)ring_file_table_offset(header) >> 10, path,
			    strerror(reason));
	else if (flock(fd, LOCK_EX | LOCK_NB))
		strata_fail(error, "%s: it cannot be locked: %s", path, strerror(errno));
	else if (!write_header(fd, header, error))
		return fd;
	close(fd);
	unlink(path);
	return -1;
}

int ring_file_name(int fd, const struct ring_file_header *header, const char *dir,
		   const char *source, char *path, size_t path_bytes, struct strata_error *error)
{
	char named[600];

	if (write_header(fd, header, error))
		return -1;
	snprintf(named, sizeof(named), "%s/" RING_FILE_DIR "/%s" RING_FILE_SUFFIX, dir, source);
	if (renameat2(AT_FDCWD, path, AT_FDCWD, named, RENAME_NOREPLACE))
		return strata_fail(error, "%s: %s", named, strerror(errno));
	snprintf(path, path_bytes, "%s", named);
	return 0;
}

int ring_file_add_event(int fd, struct ring_file_header *header,
			const struct strata_event_desc *event, struct strata_error *error)
{
	size_t bytes = strata_event_desc_bytes(event->nr_fields);

	if (pwrite(fd, event, bytes,
		   (off_t)(ring_file_table_offset(header) + header->table_bytes)) != (ssize_t)bytes)
		return strata_fail(error, "the table of its rings cannot be written: %s",
				   strerror(errno));
	header->table_bytes += bytes;
	header->nr_events++;
	return write_header(fd, header, error);
}
