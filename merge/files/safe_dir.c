// SPDX-License-Identifier: GPL-2.0-or-later
/* safe_dir.c - see safe_dir.h; safe_walk.c walks the path. */
#include "files/safe_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/apart.h"
#include "files/out_file.h"
#include "files/safe_walk.h"

/* Suffixes 1, 2, ... to try; then random ones, which no other user can occupy in advance. */
#define NUMBERS_TRIED 100u
#define RANDOM_TRIED  100u

static bool is_name(const char *name)
{
	return name[0] && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

static int bad_name(const struct strata_dir *dir, const char *name, struct strata_error *error)
{
	errno = EINVAL;
	return strata_fail(error, "%s: \"%.100s\" is not a valid file name", dir->path, name);
}

/* Whether the directory belongs to us alone. */
static int check_ours(const struct strata_dir *dir, struct strata_error *error)
{
	struct stat status;

	if (fstat(dir->fd, &status))
		return strata_fail(error, "%s: %s", dir->path, strerror(errno));
	if (!strata_dir_is_trusted(status.st_uid))
		return strata_fail(
			error,
			"%s belongs to user %u, who could replace what is written there; "
			"name another directory with -o",
			dir->path, status.st_uid);
	if (strata_dir_others_write(&status))
		return strata_fail(
			error,
			"%s: others may write there (mode %04o); `chmod go-w` it, or name "
			"another directory with -o",
			dir->path, status.st_mode & 07777);
	return 0;
}

/* Opens NAME in @fd as @dir, unless it is a link; @dir's path is set. 0 or -1. */
static int open_checked(struct strata_dir *dir, int fd, const char *name,
			struct strata_error *error)
{
	dir->hurried = false;
	dir->fd = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir->fd < 0)
		return strata_fail(error, "%s: %s%s", dir->path, strerror(errno),
				   errno == ENOTDIR || errno == ELOOP
					   ? "; name another directory with -o"
					   : "");
	if (!check_ours(dir, error))
		return 0;
	strata_dir_close(dir);
	return -1;
}

/* Opens the directory that @path lies in as @parent; the last part of the path is @name.  @dir is
 * closed, and has the path. */
static int walk_to_parent(struct strata_dir *dir, struct strata_dir *parent, const char *path,
			  char name[STRATA_DIR_NAME_BYTES], struct strata_error *error)
{
	dir->fd = -1;
	if (strata_dir_walk(parent, path, name, error))
		return -1;
	memcpy(dir->path, parent->path, sizeof(dir->path));
	return 0;
}

int strata_dir_open(struct strata_dir *dir, const char *path, struct strata_error *error)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_dir parent;
	int result;

	if (walk_to_parent(dir, &parent, path, name, error))
		return -1;
	result = open_checked(dir, parent.fd, name, error);
	strata_dir_close(&parent);
	return result;
}

/* Makes the directory NAME in @fd. 1: it exists; 0 or -1. */
static int make_in(int fd, const char *name, mode_t mode, const char *path,
		   struct strata_error *error)
{
	if (!mkdirat(fd, name, mode))
		return 0;
	if (errno == EEXIST)
		return 1;
	return strata_fail(error, "%s: %s; name another directory with -o", path, strerror(errno));
}

/* A directory to be made, by a process that may wait for a lock (apart.h). */
struct making {
	char path[PATH_MAX];
	mode_t mode;
	bool is_new;                           /* under another name, if that one exists */
	int result;                            /* OUT: 1: it exists; 0 or -1 */
	char name[STRATA_DIR_NAME_BYTES + 32]; /* OUT, with is_new */
	struct strata_error error;             /* OUT */
};

static void make_named(struct making *making)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_dir parent;

	making->result = -1;
	if (strata_dir_walk(&parent, making->path, name, &making->error))
		return;
	making->result = make_in(parent.fd, name, making->mode, making->path, &making->error);
	strata_dir_close(&parent);
}

/* Makes the name for the next try; after NUMBERS_TRIED an unpredictable one. */
static void number(char *to, size_t bytes, const char *name, unsigned int turn)
{
	unsigned long long random = 0;

	if (turn == 0)
		snprintf(to, bytes, "%s", name);
	else if (turn < NUMBERS_TRIED)
		snprintf(to, bytes, "%s-%u", name, turn + 1);
	else if (getrandom(&random, sizeof(random), 0) == sizeof(random))
		snprintf(to, bytes, "%s-%016llx", name, random);
}

static void make_new(struct making *making)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_dir parent;
	unsigned int turn;

	making->result = -1;
	if (strata_dir_walk_beside(&parent, making->path, name, &making->error))
		return;
	making->result = 1;
	for (turn = 0; making->result > 0 && turn < NUMBERS_TRIED + RANDOM_TRIED; turn++) {
		number(making->name, sizeof(making->name), name, turn);
		making->result = make_in(parent.fd, making->name, making->mode, making->path,
					 &making->error);
	}
	if (making->result > 0)
		making->result = strata_fail(
			&making->error,
			"%s: exists, and so do all numbered names; name another directory with -o",
			making->path);
	strata_dir_close(&parent);
}

static void make(void *data)
{
	struct making *making = data;

	if (making->is_new)
		make_new(making);
	else
		make_named(making);
}

/* 1: it exists; 0 or -1. */
static int make_apart(struct making *making, const char *path, mode_t mode, bool is_new,
		      struct strata_error *error)
{
	*making = (struct making){ .mode = mode, .is_new = is_new };
	if (snprintf(making->path, sizeof(making->path), "%s", path) >= (int)sizeof(making->path))
		return strata_fail(error, "%.100s...: the path is too long", path);
	if (strata_apart(make, making, sizeof(*making)))
		return strata_fail(
			error, "%s: %s; name another directory with -o", path,
			errno == ETIMEDOUT
				? "a directory on its path is kept locked by another process, or the disk is too busy"
				: strerror(errno));
	if (making->result < 0)
		*error = making->error;
	return making->result;
}

/* The names on the path are known to the kernel by now: no lock is needed to find them again. */
int strata_dir_make(struct strata_dir *dir, const char *path, mode_t mode, bool *made,
		    struct strata_error *error)
{
	struct making making;
	int result;

	dir->fd = -1;
	result = make_apart(&making, path, mode, false, error);
	if (made)
		*made = !result;
	return result < 0 ? -1 : strata_dir_open(dir, path, error);
}

int strata_dir_make_new(struct strata_dir *dir, const char *path, mode_t mode,
			struct strata_error *error)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_dir parent;
	struct making making;
	int result;

	dir->fd = -1;
	if (make_apart(&making, path, mode, true, error) ||
	    strata_dir_walk_beside(&parent, path, name, error))
		return -1;
	/* Appends the suffix to the path, too. */
	if (snprintf(dir->path, sizeof(dir->path), "%s%s", path, making.name + strlen(name)) >=
	    (int)sizeof(dir->path))
		result = strata_fail(error, "%.100s...: the path is too long", path);
	else
		result = open_checked(dir, parent.fd, making.name, error);
	strata_dir_close(&parent);
	return result;
}

struct removal {
	char path[PATH_MAX];
};

static void remove_empty(void *data)
{
	const struct removal *removal = data;
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_error ignored;
	struct strata_dir parent;

	if (strata_dir_walk_beside(&parent, removal->path, name, &ignored))
		return;
	unlinkat(parent.fd, name, AT_REMOVEDIR);
	strata_dir_close(&parent);
}

void strata_dir_remove_empty(const char *path)
{
	struct removal removal;

	snprintf(removal.path, sizeof(removal.path), "%s", path);
	strata_apart(remove_empty, &removal, sizeof(removal));
}

static int set_path(struct strata_dir *sub, const struct strata_dir *dir, const char *name)
{
	sub->fd = -1;
	sub->hurried = false;
	return snprintf(sub->path, sizeof(sub->path), "%s/%s", dir->path, name) <
			       (int)sizeof(sub->path)
		       ? 0
		       : -1;
}

int strata_dir_sub(struct strata_dir *sub, const struct strata_dir *dir, const char *name,
		   mode_t mode, struct strata_error *error)
{
	if (set_path(sub, dir, name))
		return strata_fail(error, "%.100s...: the path is too long", dir->path);
	if (!is_name(name))
		return bad_name(dir, name, error);
	if (make_in(dir->fd, name, mode, sub->path, error) < 0)
		return -1;
	return open_checked(sub, dir->fd, name, error);
}

bool strata_dir_find(struct strata_dir *sub, const struct strata_dir *dir, const char *name)
{
	if (set_path(sub, dir, name) || !is_name(name))
		return false;
	sub->fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return sub->fd >= 0;
}

int strata_dir_copy(struct strata_dir *copy, const struct strata_dir *dir,
		    struct strata_error *error)
{
	*copy = *dir;
	copy->fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	return copy->fd < 0 ? strata_fail(error, "%s: %s", dir->path, strerror(errno)) : 0;
}

void strata_dir_close(struct strata_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

static int create(const struct strata_dir *dir, const char *name, mode_t mode)
{
	return openat(dir->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
		      mode);
}

int strata_dir_create(const struct strata_dir *dir, const char *name, mode_t mode,
		      struct strata_error *error)
{
	int fd;

	if (!is_name(name))
		return bad_name(dir, name, error);
	fd = create(dir, name, mode);
	return fd < 0 ? strata_fail(error, "%s/%s: %s", dir->path, name, strerror(errno)) : fd;
}

int strata_dir_create_temporary(const struct strata_dir *dir, const char *prefix, mode_t mode,
				char name[STRATA_DIR_NAME_BYTES], struct strata_error *error)
{
	unsigned long long random;
	unsigned int turn;
	int fd = -1;

	errno = EEXIST;
	for (turn = 0; fd < 0 && errno == EEXIST && turn < RANDOM_TRIED; turn++) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			break;
		if (snprintf(name, STRATA_DIR_NAME_BYTES, "%.200s%016llx", prefix, random) < 0)
			break;
		fd = create(dir, name, mode);
	}
	return fd < 0 ? strata_fail(error, "%s/%s: %s", dir->path, prefix, strerror(errno)) : fd;
}

bool strata_dir_has(const struct strata_dir *dir, const char *name)
{
	return !faccessat(dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

DIR *strata_dir_entries(const struct strata_dir *dir)
{
	/* Not dup(): a duplicate would share the position. */
	int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !entries)
		close(fd);
	return entries;
}

static bool is_ignored(const char *name, const char *const *ignored)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return true;
	for (; ignored && *ignored; ignored++)
		if (!strcmp(name, *ignored))
			return true;
	return false;
}

bool strata_dir_is_empty(const struct strata_dir *dir, const char *const *ignored)
{
	DIR *entries = strata_dir_entries(dir);
	const struct dirent *entry;
	bool empty = entries != NULL;

	while (empty && (entry = readdir(entries)))
		empty = is_ignored(entry->d_name, ignored);
	if (entries)
		closedir(entries);
	return empty;
}

int strata_dir_remove(const struct strata_dir *dir, const char *name)
{
	if (!is_name(name)) {
		errno = EINVAL;
		return -1;
	}
	return unlinkat(dir->fd, name, 0) && errno != ENOENT ? -1 : 0;
}

int strata_dir_new_begin(struct strata_dir_new *text, const struct strata_dir *dir,
			 const char *name, struct strata_error *error)
{
	*text = (struct strata_dir_new){ .dir = dir };
	snprintf(text->name, sizeof(text->name), "%.200s", name);
	snprintf(text->temporary, sizeof(text->temporary), "%.200s" STRATA_DIR_NEW_SUFFIX, name);
	strata_dir_remove(dir, text->temporary);
	text->fd = strata_dir_create(dir, text->temporary, 0644, error);
	return text->fd < 0 ? -1 : 0;
}

void strata_dir_new_add(struct strata_dir_new *text, const char *bytes, size_t length)
{
	if (!text->cause)
		text->cause = strata_write_all(text->fd, bytes, length);
}

int strata_dir_new_end(struct strata_dir_new *text, struct strata_error *error)
{
	const struct strata_dir *dir = text->dir;
	char path[PATH_MAX + STRATA_DIR_NAME_BYTES];
	int cause = text->cause;

	/* The rename must not reach the disk before the bytes do: a crash would leave it empty. */
	if (!cause && !dir->hurried && fdatasync(text->fd) && errno != EINVAL)
		cause = errno;
	if (close(text->fd) && !cause)
		cause = errno;
	text->fd = -1;
	if (!cause && renameat(dir->fd, text->temporary, dir->fd, text->name))
		cause = errno;
	if (!cause)
		return 0;
	strata_dir_remove(dir, text->temporary);
	snprintf(path, sizeof(path), "%s/%s", dir->path, text->name);
	return strata_fail_write(path, cause, error);
}

void strata_dir_new_drop(struct strata_dir_new *text)
{
	if (text->fd < 0)
		return;
	close(text->fd);
	text->fd = -1;
	strata_dir_remove(text->dir, text->temporary);
}

int strata_dir_replace(const struct strata_dir *dir, const char *name, const char *text,
		       size_t length, struct strata_error *error)
{
	struct strata_dir_new new_text;

	if (strata_dir_new_begin(&new_text, dir, name, error))
		return -1;
	strata_dir_new_add(&new_text, text, length);
	return strata_dir_new_end(&new_text, error);
}
