// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output_directory.c - see output_directory.h.
 *
 * An output is one trace (its metadata, stream files, perhaps their index), or a directory of
 * such traces. All of it is checked before anything is removed.
 */
#include "outputs/output_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/reader/ctf_index_file.h"
#include "files/out_file.h"

/* Present until the metadata is written; hidden, so that no reader takes it for a stream. */
#define UNFINISHED ".unfinished"

/* The mark is in the first bytes or the last bytes. */
#define MARK_BYTES 4096

static bool has_mark_at(int fd, off_t at)
{
	char text[MARK_BYTES + 1];
	ssize_t got = pread(fd, text, MARK_BYTES, at);

	if (got <= 0)
		return false;
	text[got] = '\0';
	return strstr(text, STRATA_OUTPUT_MARK) != NULL;
}

static bool has_mark(const struct strata_dir *trace, const char *name)
{
	int fd = openat(trace->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	bool found = false;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		found = has_mark_at(fd, 0) ||
			has_mark_at(fd,
				    status.st_size > MARK_BYTES ? status.st_size - MARK_BYTES : 0);
	close(fd);
	return found;
}

/* Whether this is a trace that was written by this program. */
static bool is_earlier(const struct strata_dir *trace)
{
	return has_mark(trace, "metadata") || has_mark(trace, UNFINISHED);
}

/* Calls @each for every entry until it returns nonzero, and returns that. */
static int for_each(const struct strata_dir *dir,
		    int (*each)(const struct strata_dir *dir, const char *name,
				struct strata_error *error),
		    struct strata_error *error)
{
	DIR *entries = strata_dir_entries(dir);
	const struct dirent *entry;
	int status = 0;

	if (!entries)
		return strata_fail(error, "%s: %s", dir->path, strerror(errno));
	while (!status && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			status = each(dir, entry->d_name, error);
	closedir(entries);
	return status;
}

static int remove_file(const struct strata_dir *dir, const char *name, struct strata_error *error)
{
	return strata_dir_remove(dir, name)
		       ? strata_fail(error, "%s/%s: %s", dir->path, name, strerror(errno))
		       : 0;
}

/* Removes one entry of a trace: a file, or the index with its files. */
static int remove_of_trace(const struct strata_dir *dir, const char *name,
			   struct strata_error *error)
{
	struct strata_dir index;
	int status;

	if (strcmp(name, STRATA_CTF_INDEX_DIR) || !strata_dir_find(&index, dir, name))
		return remove_file(dir, name, error);
	status = for_each(&index, remove_file, error);
	strata_dir_close(&index);
	if (!status && unlinkat(dir->fd, name, AT_REMOVEDIR))
		status = strata_fail(error, "%s/%s: %s", dir->path, name, strerror(errno));
	return status;
}

static int remove_trace(const struct strata_dir *dir, const char *name, struct strata_error *error)
{
	struct strata_dir trace;
	int status;

	if (!strata_dir_find(&trace, dir, name))
		return strata_fail(error, "%s/%s: %s", dir->path, name, strerror(errno));
	status = for_each(&trace, remove_of_trace, error);
	strata_dir_close(&trace);
	if (!status && unlinkat(dir->fd, name, AT_REMOVEDIR))
		status = strata_fail(error, "%s/%s: %s", dir->path, name, strerror(errno));
	return status;
}

/* Checks that the entry belongs to a trace: a regular file, or the index. */
static int check_of_trace(const struct strata_dir *dir, const char *name,
			  struct strata_error *error)
{
	struct stat status;

	if (!fstatat(dir->fd, name, &status, AT_SYMLINK_NOFOLLOW) &&
	    (S_ISREG(status.st_mode) ||
	     (S_ISDIR(status.st_mode) && !strcmp(name, STRATA_CTF_INDEX_DIR))))
		return 0;
	return strata_fail(
		error,
		"%s: contains \"%s\", which is not part of an earlier output; name another directory with -o",
		dir->path, name);
}

static int check_trace(const struct strata_dir *dir, const char *name, struct strata_error *error)
{
	struct strata_dir trace;
	int status;

	if (!strata_dir_find(&trace, dir, name))
		return check_of_trace(dir, name, error) ? -1
							: strata_fail(error,
								      "%s: holds other files; name "
								      "another directory with -o",
								      dir->path);
	status = is_earlier(&trace) ? for_each(&trace, check_of_trace, error)
				    : strata_fail(error,
						  "%s: was not written by strata; name another "
						  "directory with -o",
						  trace.path);
	strata_dir_close(&trace);
	return status;
}

/* Checks an earlier output, then removes it. Returns 0 or -1. */
static int clear(const struct strata_dir *dir, struct strata_error *error)
{
	if (is_earlier(dir))
		return for_each(dir, check_of_trace, error) || for_each(dir, remove_of_trace, error)
			       ? -1
			       : 0;
	return for_each(dir, check_trace, error) || for_each(dir, remove_trace, error) ? -1 : 0;
}

int strata_output_directory(struct strata_dir *dir, const char *path, bool force,
			    struct strata_error *error)
{
	bool is_new;
	int status = 0;

	if (strata_dir_make(dir, path, 0755, &is_new, error))
		return -1;
	if (is_new || strata_dir_is_empty(dir, NULL))
		return 0;
	if (force)
		status = clear(dir, error);
	else
		status = strata_fail(error, "%s: is not empty (use --force, or another -o)", path);
	if (status)
		strata_dir_close(dir);
	return status;
}

void strata_output_discard(const char *path, bool made)
{
	struct strata_error ignored;
	struct strata_dir dir;
	int status;

	if (strata_dir_open(&dir, path, &ignored))
		return;
	status = clear(&dir, &ignored);
	strata_dir_close(&dir);
	if (!status && made)
		strata_dir_remove_empty(path);
}

int strata_output_begin(const struct strata_dir *dir, struct strata_error *error)
{
	struct strata_out_file *out = strata_out_create(dir, UNFINISHED, error);

	if (!out)
		return -1;
	strata_out_print(out,
			 "This output is not done, or was interrupted.\n" STRATA_OUTPUT_MARK "\n");
	return strata_out_close(out, error);
}

void strata_output_end(const struct strata_dir *dir)
{
	strata_dir_remove(dir, UNFINISHED);
}
