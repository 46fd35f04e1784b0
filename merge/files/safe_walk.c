// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * safe_walk.c - the walk of safe_dir.h: from / or the working directory to the directory that
 * holds a path's last name, one name at a time.
 *
 * openat2() could refuse all links, but /tmp or a user's own output directory may be one, so the
 * link's owner decides.  Each name is opened by O_PATH and checked through that descriptor, so it
 * cannot change in between.
 */
#include "files/safe_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "files/safe_walk.h"

/* As the kernel's own limit. */
#define LINKS_MAX 40u

/* Position of the walk, and the rest of the path. */
struct walk {
	int fd;
	struct stat at; /* of fd */
	unsigned int links;
	bool keeps_last;     /* a link of the last name is not followed */
	char path[PATH_MAX]; /* as named; for messages */
	char rest[PATH_MAX];
};

bool strata_dir_is_trusted(uid_t owner)
{
	return owner == 0 || owner == geteuid();
}

bool strata_dir_others_write(const struct stat *status)
{
	/* A group with its user's number has only that user as a member. */
	const bool group = status->st_gid != 0 && status->st_gid != status->st_uid;

	return status->st_mode & S_IWOTH || (group && status->st_mode & S_IWGRP);
}

static int refuse(const struct walk *walk, const char *name, const char *what, uid_t owner,
		  struct strata_error *error)
{
	return strata_fail(error,
			   "%s: \"%s\" in the path is a %s of user %u, who can redirect "
			   "it; name another place with -o",
			   walk->path, name, what, owner);
}

/* May the walk go through a directory?  @above: the one that holds it. */
static int check_way(const struct walk *walk, const char *name, const struct stat *above,
		     const struct stat *status, struct strata_error *error)
{
	if (strata_dir_others_write(above) && !strata_dir_is_trusted(status->st_uid))
		return refuse(walk, name, "directory", status->st_uid, error);
	if (strata_dir_others_write(status) && !(status->st_mode & S_ISVTX))
		return strata_fail(error,
				   "%s: all users may rename what is in \"%s\" (mode %04o, not "
				   "sticky); `chmod +t` it, or name another place with -o",
				   walk->path, name, status->st_mode & 07777);
	return 0;
}

static void move_to(struct walk *walk, int fd, const struct stat *status)
{
	close(walk->fd);
	walk->fd = fd;
	walk->at = *status;
}

/* From / or from here. */
static int begin(struct walk *walk, struct strata_error *error)
{
	const char *from = walk->rest[0] == '/' ? "/" : ".";
	struct stat status;
	int fd = open(from, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status)) {
		strata_fail(error, "%s: %s: %s", walk->path, from, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	move_to(walk, fd, &status);
	return check_way(walk, from, &status, &status, error);
}

/* Takes the next name off the rest.  False: the path ends. */
static bool next_name(struct walk *walk, char name[STRATA_DIR_NAME_BYTES], bool *too_long)
{
	char *from = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(from, "/"), slashes = strspn(from + length, "/");

	*too_long = length >= STRATA_DIR_NAME_BYTES;
	if (!length || *too_long)
		return false;
	memcpy(name, from, length);
	name[length] = '\0';
	memmove(walk->rest, from + length + slashes, strlen(from + length + slashes) + 1);
	return true;
}

/* Follows a link: puts its text in front of the rest. 0 or -1. */
static int follow(struct walk *walk, const char *name, int link, const struct stat *status,
		  struct strata_error *error)
{
	char rest[PATH_MAX], target[PATH_MAX];
	ssize_t length;

	if (!strata_dir_is_trusted(status->st_uid))
		return refuse(walk, name, "link", status->st_uid, error);
	length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length <= 0 || ++walk->links > LINKS_MAX)
		return strata_fail(error,
				   "%s: the link \"%s\" leads nowhere; name another place "
				   "with -o",
				   walk->path, name);
	target[length] = '\0';
	if (snprintf(rest, sizeof(rest), "%s%s%s", target, walk->rest[0] ? "/" : "", walk->rest) >=
	    (int)sizeof(rest))
		return strata_fail(error, "%s: the path is too long after following its links",
				   walk->path);
	memcpy(walk->rest, rest, sizeof(rest));
	return walk->rest[0] == '/' ? begin(walk, error) : 0;
}

/* Whether it is a link of the kernel (/proc/self/fd/1), whose text names no path. */
static bool is_of_kernel(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Goes to one name. 1: it is the last, and neither a directory nor a link to follow; 0 or -1. */
static int step(struct walk *walk, const char *name, struct strata_error *error)
{
	const bool last = !walk->rest[0];
	struct stat status;
	int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), result;

	if (fd < 0 && errno == ENOENT && last)
		return 1;
	if (fd < 0 || fstat(fd, &status)) {
		result = strata_fail(error, "%s: \"%s\": %s; name another place with -o",
				     walk->path, name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return result;
	}
	if (last && walk->keeps_last) {
		close(fd);
		return 1;
	}
	if (S_ISLNK(status.st_mode) && is_of_kernel(fd)) {
		close(fd);
		if (last)
			return 1;
		fd = openat(walk->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &status))
			return strata_fail(error, "%s: %s: %s", walk->path, name, strerror(errno));
	}
	if (S_ISLNK(status.st_mode)) {
		result = follow(walk, name, fd, &status, error);
		close(fd);
		return result;
	}
	if (last) {
		close(fd);
		return 1;
	}
	if (!S_ISDIR(status.st_mode)) {
		close(fd);
		return strata_fail(error, "%s: \"%s\" is not a directory", walk->path, name);
	}
	if (check_way(walk, name, &walk->at, &status, error)) {
		close(fd);
		return -1;
	}
	move_to(walk, fd, &status);
	return 0;
}

static int walk_to(struct strata_dir *parent, const char *path, char name[STRATA_DIR_NAME_BYTES],
		   bool keeps_last, struct strata_error *error)
{
	struct walk walk = { .fd = -1, .keeps_last = keeps_last };
	bool too_long = false;
	int result;

	parent->fd = -1;
	if (snprintf(parent->path, sizeof(parent->path), "%s", path) >= (int)sizeof(parent->path))
		return strata_fail(error, "%.100s...: the path is too long", path);
	memcpy(walk.path, parent->path, sizeof(walk.path));
	memcpy(walk.rest, parent->path, sizeof(walk.rest));
	if (!path[0])
		return strata_fail(error, "an empty path names nothing");
	result = begin(&walk, error);
	while (!result && next_name(&walk, name, &too_long))
		result = step(&walk, name, error);
	if (too_long && !result)
		result = strata_fail(error, "%s: a name in it is too long", path);
	if (result < 0) {
		if (walk.fd >= 0)
			close(walk.fd);
		return -1;
	}
	/* "/", or a link to it. */
	if (!result)
		memcpy(name, ".", 2);
	parent->fd = walk.fd;
	return 0;
}

int strata_dir_walk(struct strata_dir *parent, const char *path, char name[STRATA_DIR_NAME_BYTES],
		    struct strata_error *error)
{
	return walk_to(parent, path, name, false, error);
}

int strata_dir_walk_beside(struct strata_dir *parent, const char *path,
			   char name[STRATA_DIR_NAME_BYTES], struct strata_error *error)
{
	return walk_to(parent, path, name, true, error);
}
