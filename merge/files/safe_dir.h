/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * safe_dir.h - directories for output that no other user can redirect.
 *
 * A directory is opened once, by a walk that follows no link of another user, and everything in it
 * is then created, replaced and removed relative to its descriptor, by names without a slash and
 * with O_NOFOLLOW. So renaming a directory on the path, or placing a link there, does not redirect
 * any output.
 *
 * The rules, for us = the effective user:
 *   on the way    a directory that others may write to is sticky; a directory that another
 *                 user made in such a one, and any link that is neither ours nor root's, is
 *                 refused
 *   the output    belongs to us or to root, and nobody else may write to it
 *
 * No function prints messages.  They return 0 (or a descriptor), or -1 with reason and next step in
 * @error.
 */
#ifndef STRATA_MERGE_SAFE_DIR_H
#define STRATA_MERGE_SAFE_DIR_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define STRATA_DIR_NAME_BYTES (NAME_MAX + 1)

/* An open directory. { .fd = -1 } is a closed one, which may be closed again. */
struct strata_dir {
	int fd;
	char path[PATH_MAX]; /* as the user named it; only for messages */
	bool hurried;        /* do not wait for the disk, for example while rings are drained */
};

/* Walks to the directory that holds the last name of @path, for a file; links of ours or
 * root's are followed, that name included.  @name: OUT, what is to be made or opened there. */
int strata_dir_walk(struct strata_dir *parent, const char *path, char name[STRATA_DIR_NAME_BYTES],
		    struct strata_error *error);

/* The same, but a link as the last name is not followed. */
int strata_dir_walk_beside(struct strata_dir *parent, const char *path,
			   char name[STRATA_DIR_NAME_BYTES], struct strata_error *error);

/* Opens an existing directory for output. */
int strata_dir_open(struct strata_dir *dir, const char *path, struct strata_error *error);

/* Opens a directory for output, and makes it (not its parents) if it is missing.
 * @made: OUT, whether it was missing; may be NULL */
int strata_dir_make(struct strata_dir *dir, const char *path, mode_t mode, bool *made,
		    struct strata_error *error);

/* Makes a new directory: @path, or @path with a number appended if the name exists, also as a link.
 * dir->path is the chosen name. */
int strata_dir_make_new(struct strata_dir *dir, const char *path, mode_t mode,
			struct strata_error *error);

/* Opens a directory for output in another one, and makes it if it is missing. */
int strata_dir_sub(struct strata_dir *sub, const struct strata_dir *dir, const char *name,
		   mode_t mode, struct strata_error *error);

/* Removes the directory that was made at @path, if it is empty. */
void strata_dir_remove_empty(const char *path);

/* Opens a directory in another one, whoever owns it; not through a link.  False: it does not
 * exist. */
bool strata_dir_find(struct strata_dir *sub, const struct strata_dir *dir, const char *name);

/* Another descriptor of the same directory, and of its lock.  0 or -1. */
int strata_dir_copy(struct strata_dir *copy, const struct strata_dir *dir,
		    struct strata_error *error);

void strata_dir_close(struct strata_dir *dir);

/* Makes a new file, for reading and writing.  A descriptor or -1. */
int strata_dir_create(const struct strata_dir *dir, const char *name, mode_t mode,
		      struct strata_error *error);

/* As strata_dir_create(), under a new name that begins with @prefix.  @name: OUT */
int strata_dir_create_temporary(const struct strata_dir *dir, const char *prefix, mode_t mode,
				char name[STRATA_DIR_NAME_BYTES], struct strata_error *error);

/* Whether the name exists, also as a dangling link. */
bool strata_dir_has(const struct strata_dir *dir, const char *name);

/* Its entries, from the first; closedir() frees them.  NULL with errno. */
DIR *strata_dir_entries(const struct strata_dir *dir);

/* Whether it holds nothing but the names in @ignored, which ends with NULL (or is NULL). */
bool strata_dir_is_empty(const struct strata_dir *dir, const char *const *ignored);

/* Removes a file or link, if it exists. 0 or -1 with errno. */
int strata_dir_remove(const struct strata_dir *dir, const char *name);

/* Replaces the file NAME as a whole: writes NAME with this suffix, then renames it.  In a hurried
 * directory the new file may be lost if the machine fails, as packets may. */
#define STRATA_DIR_NEW_SUFFIX ".new"
struct strata_dir_new {
	const struct strata_dir *dir; /* outlives this */
	int fd;                       /* -1: ended */
	int cause;                    /* errno of the first failed write */
	char name[STRATA_DIR_NAME_BYTES], temporary[STRATA_DIR_NAME_BYTES];
};

/* Begins one.  0, or -1 and there is nothing to end. */
int strata_dir_new_begin(struct strata_dir_new *text, const struct strata_dir *dir,
			 const char *name, struct strata_error *error);

/* Appends; strata_dir_new_end() reports failures. */
void strata_dir_new_add(struct strata_dir_new *text, const char *bytes, size_t length);

/* Renames it. 0, or -1, and the old file stays. */
int strata_dir_new_end(struct strata_dir_new *text, struct strata_error *error);

/* Removes the temporary file, if begun and not ended. */
void strata_dir_new_drop(struct strata_dir_new *text);

/* All of that at once. */
int strata_dir_replace(const struct strata_dir *dir, const char *name, const char *text,
		       size_t length, struct strata_error *error);

#endif /* STRATA_MERGE_SAFE_DIR_H */
