// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_file.c - makes files of rings for the recorder; see ring_file.h.  ring_file_load.c reads
 * them. */
#include "consumerd/rings/ring_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Names that are tried for a new file; others of these may have been left by a recorder that
 * died. */
#define NAMES_TRIED 1000u
#define NEW_PREFIX  ".strata-process-"

static bool is_ring_file(const char *name)
{
	size_t length = strlen(name), suffix = strlen(RING_FILE_SUFFIX);

	return length > suffix && strcmp(name + length - suffix, RING_FILE_SUFFIX) == 0;
}

/* Opens the directory of the files: DIR/RING_FILE_DIR, or the target of our link. False with
 * errno. */
static bool open_rings(const struct strata_dir *dir, struct strata_dir *rings)
{
	struct strata_error ignored;
	char target[PATH_MAX];
	ssize_t length;

	if (strata_dir_find(rings, dir, RING_FILE_DIR))
		return true;
	length = readlinkat(dir->fd, RING_FILE_DIR, target, sizeof(target) - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	return !strata_dir_open(rings, target, &ignored);
}

bool ring_file_any(const struct strata_dir *dir)
{
	const struct dirent *entry;
	struct strata_dir rings;
	bool any = false;
	DIR *entries;

	if (!open_rings(dir, &rings))
		return false;
	entries = strata_dir_entries(&rings);
	while (entries && !any && (entry = readdir(entries)))
		any = is_ring_file(entry->d_name);
	if (entries)
		closedir(entries);
	strata_dir_close(&rings);
	return any;
}

/* The link's target is absolute, so it does not depend on the working directory. */
static int link_dir(const struct strata_dir *dir, const char *named, struct strata_error *error)
{
	struct strata_dir rings;
	char *whole;
	int result = 0;

	if (strata_dir_make(&rings, named, 0700, NULL, error))
		return strata_fail_in(error, "--app-memory file:DIR");
	strata_dir_close(&rings);
	whole = realpath(named, NULL);
	if (!whole || symlinkat(whole, dir->fd, RING_FILE_DIR))
		result = strata_fail(error, "%s/" RING_FILE_DIR ": %s", whole ? dir->path : named,
				     strerror(errno));
	free(whole);
	return result;
}

int ring_file_make_dir(const struct strata_dir *dir, const char *named, struct strata_error *error)
{
	struct strata_dir rings;
	int result;

	ring_file_remove_dir(dir);
	result = named ? link_dir(dir, named, error)
		       : strata_dir_sub(&rings, dir, RING_FILE_DIR, 0700, error);
	if (!result && !named)
		strata_dir_close(&rings);
	if (!result && ring_file_any(dir)) {
		ring_file_remove_dir(dir);
		return strata_fail(error,
				   "%s%s contains rings of a recorder that died; have `strata "
				   "recover` read them and remove them, or name another directory",
				   named ? named : dir->path, named ? "" : "/" RING_FILE_DIR);
	}
	return result;
}

/* Files that have no name yet: nothing was recorded into them. */
static void remove_new(const struct strata_dir *rings)
{
	DIR *entries = strata_dir_entries(rings);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (strncmp(entry->d_name, NEW_PREFIX, strlen(NEW_PREFIX)) == 0)
			strata_dir_remove(rings, entry->d_name);
	if (entries)
		closedir(entries);
}

void ring_file_remove_dir(const struct strata_dir *dir)
{
	struct strata_dir rings;

	if (open_rings(dir, &rings)) {
		if (!ring_file_any(dir))
			remove_new(&rings);
		strata_dir_close(&rings);
	}
	/* A directory, or a link. */
	if (unlinkat(dir->fd, RING_FILE_DIR, AT_REMOVEDIR) && errno == ENOTDIR)
		unlinkat(dir->fd, RING_FILE_DIR, 0);
}

void ring_file_remove(const struct strata_dir *dir, const char *name)
{
	struct strata_dir rings;

	if (!open_rings(dir, &rings))
		return;
	strata_dir_remove(&rings, name);
	strata_dir_close(&rings);
}

bool ring_file_is_there(const struct strata_dir *dir, const char *name)
{
	struct strata_dir rings;
	bool there;

	if (!open_rings(dir, &rings))
		return false;
	there = strata_dir_has(&rings, name);
	strata_dir_close(&rings);
	return there;
}

static int write_header(int fd, const struct ring_file_header *header, struct strata_error *error)
{
	if (pwrite(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header))
		return 0;
	return strata_fail(error, "the header of its rings cannot be written: %s", strerror(errno));
}

/* Creates a file under any free name. -1 with errno. */
static int open_new(const struct strata_dir *rings, int32_t pid, char name[RING_FILE_NAME_BYTES])
{
	unsigned int turn;
	int fd = -1;

	for (turn = 0; turn < NAMES_TRIED; turn++) {
		snprintf(name, RING_FILE_NAME_BYTES, NEW_PREFIX "%d-%u", pid, turn);
		fd = openat(rings->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* Fills a new file in.  0 or -1. */
static int fill(int fd, struct ring_file_header *header, const struct strata_dir *rings,
		const char *name, struct strata_error *error)
{
	int reason;

	header->magic = RING_FILE_MAGIC;
	header->version = RING_FILE_VERSION;
	header->app_version = STRATA_APP_ABI_VERSION;
	header->count_bits = STRATA_COUNT_BITS;
	header->table_bytes = 0;
	header->nr_events = 0;
	reason = posix_fallocate(fd, 0, (off_t)ring_file_table_offset(header));
	if (reason)
		return strata_fail(
			error,
			"no space for its rings (%llu KiB): %s/%s: %s; free some, use smaller rings (--app-buffer), or another directory (--app-memory file:DIR)",
			(unsigned long long)ring_file_table_offset(header) >> 10, rings->path, name,
			strerror(reason));
	if (flock(fd, LOCK_EX | LOCK_NB))
		return strata_fail(error, "%s/%s: it cannot be locked: %s", rings->path, name,
				   strerror(errno));
	return write_header(fd, header, error);
}

int ring_file_make(const struct strata_dir *dir, struct ring_file_header *header,
		   char name[RING_FILE_NAME_BYTES], int *second, struct strata_error *error)
{
	struct strata_dir rings;
	int fd = -1;

	*second = -1;
	if (!open_rings(dir, &rings))
		return strata_fail(error, "%s/" RING_FILE_DIR ": %s", dir->path, strerror(errno));
	fd = open_new(&rings, header->pid, name);
	if (fd < 0) {
		strata_fail(error, "%s/%s: %s", rings.path, name, strerror(errno));
	} else if (fill(fd, header, &rings, name, error) ||
		   (*second = openat(rings.fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)) < 0) {
		if (!error->text[0])
			strata_fail(error, "%s/%s: %s", rings.path, name, strerror(errno));
		strata_dir_remove(&rings, name);
		close(fd);
		fd = -1;
	}
	strata_dir_close(&rings);
	return fd;
}

int ring_file_name(int fd, const struct ring_file_header *header, const struct strata_dir *dir,
		   const char *source, char name[RING_FILE_NAME_BYTES], struct strata_error *error)
{
	char named[RING_FILE_NAME_BYTES];
	struct strata_dir rings;
	int result = 0;

	if (write_header(fd, header, error))
		return -1;
	if (!open_rings(dir, &rings))
		return strata_fail(error, "%s/" RING_FILE_DIR ": %s", dir->path, strerror(errno));
	snprintf(named, sizeof(named), "%s" RING_FILE_SUFFIX, source);
	if (renameat2(rings.fd, name, rings.fd, named, RENAME_NOREPLACE))
		result = strata_fail(error, "%s/%s: %s", rings.path, named, strerror(errno));
	else
		memcpy(name, named, sizeof(named));
	strata_dir_close(&rings);
	return result;
}

int ring_file_add_event(int fd, struct ring_file_header *header,
			const struct strata_event_desc *event, struct strata_error *error)
{
	size_t bytes = strata_event_packed_bytes(event);

	if (pwrite(fd, event, bytes,
		   (off_t)(ring_file_table_offset(header) + header->table_bytes)) != (ssize_t)bytes)
		return strata_fail(error, "the table of its rings cannot be written: %s",
				   strerror(errno));
	header->table_bytes += bytes;
	header->nr_events++;
	return write_header(fd, header, error);
}
