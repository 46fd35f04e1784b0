// SPDX-License-Identifier: GPL-2.0-or-later
/* output_dir.c - see output_dir.h. */
#include "consumerd/output_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "files/apart.h"
#include "live/live_table.h"
#include "recording/recording_remove.h"
#include "consumerd/rings/ring_file.h"

/* Held back from the disk, so that the tables can still be saved when it is full. */
#define RESERVE_FILE  ".reserve"
#define RESERVE_BYTES (256u << 10)

/* Where an earlier recording waits until the new one has begun. */
#define ASIDE_DIR ".replaced"

/* How long another process may hold the lock to query it. */
#define LOOK_MS      1000u
#define LOOK_STEP_MS 10u

/* The files of a recorder that was killed before it recorded anything. */
static const char *const leftovers[] = { RESERVE_FILE, STRATA_LIVE_FILE, NULL };

/* Moves the sources of the recording whose table is in @table; those that are elsewhere stay.
 * 0 or -1. */
static int move_sources(const struct strata_dir *table, const struct strata_dir *from,
			const struct strata_dir *to, struct strata_error *error)
{
	struct strata_recording recording;
	int result = 0;
	size_t i;

	if (strata_recording_load_in(&recording, table, error))
		return strata_fail_in(error,
				      "%s holds a recording that cannot be replaced; remove it, or "
				      "name another directory with -o",
				      table->path);
	for (i = 0; i < recording.nr_sources && !result; i++) {
		const char *name = recording.sources[i].name;

		if (renameat(from->fd, name, to->fd, name) && errno != ENOENT)
			result = strata_fail(error, "%s/%s: %s", from->path, name, strerror(errno));
	}
	strata_recording_clear(&recording);
	return result;
}

/* Moves a recording, the table last: its presence means that all other files are there. 0 or -1. */
static int move(const struct strata_dir *from, const struct strata_dir *to,
		struct strata_error *error)
{
	if (move_sources(from, from, to, error))
		return -1;
	if (renameat(from->fd, STRATA_RECORDING_FILE, to->fd, STRATA_RECORDING_FILE))
		return strata_fail(error, "%s/" STRATA_RECORDING_FILE ": %s", from->path,
				   strerror(errno));
	return 0;
}

/* Cleans up after a recorder that was killed while it replaced a recording: brings the earlier
 * recording back, unless the new one has begun. */
static void restore(const struct strata_dir *dir)
{
	struct strata_error error;
	struct strata_dir aside;
	int result = 0;

	if (!strata_dir_find(&aside, dir, ASIDE_DIR))
		return;
	if (!strata_recording_is_in(dir))
		result = strata_recording_is_in(&aside) ? move(&aside, dir, &error) : 0;
	else if (strata_recording_is_in(&aside))
		result = strata_recording_remove(&aside, &error);
	else
		result = move_sources(dir, &aside, dir, &error);
	if (result)
		fprintf(stderr, "strata: the earlier recording stays in %s: %s\n", aside.path,
			error.text);
	strata_dir_close(&aside);
	unlinkat(dir->fd, ASIDE_DIR, AT_REMOVEDIR);
}

static int put_aside(struct output_dir *out, struct strata_error *error)
{
	struct strata_dir aside;
	int result;

	if (strata_dir_sub(&aside, &out->dir, ASIDE_DIR, 0700, error))
		return -1;
	result = move(&out->dir, &aside, error);
	strata_dir_close(&aside);
	if (result)
		restore(&out->dir);
	out->aside = !result;
	return result;
}

void output_dir_began(struct output_dir *out)
{
	struct strata_error error = { "" };
	struct strata_dir aside;

	if (!out->aside)
		return;
	out->aside = false;
	if (strata_dir_find(&aside, &out->dir, ASIDE_DIR)) {
		strata_recording_remove(&aside, &error);
		strata_dir_close(&aside);
	}
	if (unlinkat(out->dir.fd, ASIDE_DIR, AT_REMOVEDIR))
		fprintf(stderr,
			"strata: %s/" ASIDE_DIR
			" is not empty: it contains further files of the earlier "
			"recording%s%s\n",
			out->dir.path, error.text[0] ? "; " : "", error.text);
}

/* Checks that the directory is free for a recording, or frees it. 0 or -1. */
static int take_place(struct output_dir *out, enum output_place place, struct strata_error *error)
{
	const struct strata_dir *dir = &out->dir;

	restore(dir);
	if (ring_file_any(dir))
		return strata_fail(
			error,
			"%s contains rings of a recorder that died; recover them with `strata "
			"recover %s`, then remove it, or name another directory",
			dir->path, dir->path);
	if (!strata_recording_is_in(dir)) {
		if (strata_dir_is_empty(dir, leftovers))
			return 0;
		return strata_fail(error,
				   "%s is not empty and contains no recording; name another "
				   "directory with -o",
				   dir->path);
	}
	if (place != OUTPUT_REPLACE)
		return strata_fail(error,
				   "%s: already holds a recording (use --force, or another -o)",
				   dir->path);
	ring_file_remove_dir(dir);
	return put_aside(out, error);
}

/* Allocates the disk space of the reserve.  0, or the errno. */
static int grow_reserve(struct output_dir *out, int fd, uint64_t bytes)
{
	const int reason = posix_fallocate(fd, 0, (off_t)bytes);

	if (!reason)
		out->reserved = bytes;
	/* What was allocated in vain is room for events. */
	else if (ftruncate(fd, (off_t)out->reserved))
		return errno;
	return reason;
}

static int hold_reserve(struct output_dir *out, struct strata_error *error)
{
	const struct strata_dir *dir = &out->dir;
	int fd, reason;

	strata_dir_remove(dir, RESERVE_FILE);
	fd = strata_dir_create(dir, RESERVE_FILE, 0640, error);
	if (fd < 0)
		return strata_fail_in(error, "name a directory that can be written with -o");
	reason = grow_reserve(out, fd, RESERVE_BYTES);
	close(fd);
	if (!reason)
		return 0;
	strata_fail(error, "%s: %s; make room, or name another directory with -o", dir->path,
		    strerror(reason));
	strata_dir_remove(dir, RESERVE_FILE);
	return -1;
}

void output_dir_reserve(struct output_dir *out, uint64_t bytes)
{
	struct statvfs disk;
	int fd;

	bytes = RESERVE_BYTES + (bytes + bytes / 4) / RESERVE_BYTES * RESERVE_BYTES;
	/* An allocation that fails takes the rest of the disk for a moment. */
	if (bytes <= out->reserved ||
	    (!fstatvfs(out->dir.fd, &disk) && disk.f_blocks &&
	     (uint64_t)disk.f_bavail * disk.f_frsize < bytes - out->reserved))
		return;
	/* Also for reading: where a file system cannot allocate, the C library writes each block
	 * that it finds empty. */
	fd = openat(out->dir.fd, RESERVE_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	grow_reserve(out, fd, bytes);
	close(fd);
}

/* Whether the lock is shared: that of a process that only checks for a recorder. A recorder's lock
 * is exclusive. */
static bool is_only_looked_at(const struct strata_dir *dir)
{
	if (flock(dir->fd, LOCK_SH | LOCK_NB))
		return false;
	flock(dir->fd, LOCK_UN);
	return true;
}

/* Locks the directory: two recorders in it would take each other's files for an old recording. */
static int hold(const struct strata_dir *dir, struct strata_error *error)
{
	const struct timespec pause = { .tv_nsec = LOOK_STEP_MS * 1000000L };
	unsigned int waited_ms;

	for (waited_ms = 0; waited_ms <= LOOK_MS; waited_ms += LOOK_STEP_MS) {
		/* A file system without locks excludes no one. */
		if (!flock(dir->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
			return 0;
		if (!is_only_looked_at(dir))
			return strata_fail(
				error, "%s is being recorded into; name another directory with -o",
				dir->path);
		nanosleep(&pause, NULL);
	}
	return strata_fail(error,
			   "%s is locked by another process, which is not a recorder; "
			   "name another directory with -o",
			   dir->path);
}

static void remove_made(const struct output_dir *out)
{
	if (out->made)
		strata_dir_remove_empty(out->dir.path);
}

/*
 * Closes an existing directory to others, as one that we make is: whoever can open it can keep its
 * lock, and we need that for each file that we make there.
 */
static void close_to_others(const struct strata_dir *dir)
{
	struct stat status;

	if (fstat(dir->fd, &status) || !(status.st_mode & S_IROTH))
		return;
	if (fchmod(dir->fd, status.st_mode & 07777 & ~(mode_t)S_IRWXO))
		fprintf(stderr,
			"strata: %s: other users may open it, and so delay the recording: %s\n",
			dir->path, strerror(errno));
	else
		fprintf(stderr, "strata: %s is now closed to other users (mode %03o)\n", dir->path,
			status.st_mode & 0770);
}

int output_dir_open(struct output_dir *out, const char *path, enum output_place place,
		    struct strata_error *error)
{
	*out = (struct output_dir){ .dir.fd = -1, .made = place == OUTPUT_NEW };
	if (place == OUTPUT_NEW ? strata_dir_make_new(&out->dir, path, 0750, error)
				: strata_dir_make(&out->dir, path, 0750, &out->made, error))
		return -1;
	if (!hold(&out->dir, error) && !take_place(out, place, error)) {
		if (!hold_reserve(out, error)) {
			close_to_others(&out->dir);
			return 0;
		}
		if (out->aside)
			restore(&out->dir);
	}
	remove_made(out);
	strata_dir_close(&out->dir);
	return -1;
}

int output_dir_of_many(const char *path, struct strata_error *warning, struct strata_error *error)
{
	struct strata_dir dir;
	struct stat status;
	bool made;

	warning->text[0] = '\0';
	if (strata_dir_make(&dir, path, 0750, &made, error))
		return -1;
	/* It may be anybody's, as /tmp is. */
	if (!made && !fstat(dir.fd, &status) && (status.st_mode & S_IROTH))
		strata_fail(
			warning,
			"%s: other users may open it, and so keep the recording from "
			"rotating; record into a directory that they cannot open, or chmod o-rwx it",
			path);
	strata_dir_close(&dir);
	return 0;
}

/* A name that is looked for, by a process that may wait for a directory's lock (apart.h). */
struct naming {
	char dir[PATH_MAX];
	char first[64];                   /* the name, without a number */
	char leaf[STRATA_DIR_NAME_BYTES]; /* "": none */
	int result;                       /* OUT */
	char path[PATH_MAX];              /* OUT */
};

static bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       !lstat(path, &status);
}

static void find_name(void *data)
{
	struct naming *naming = data;
	char number[16] = "";
	struct stat status;
	unsigned int i = 1;

	naming->result = 0;
	while (snprintf(naming->path, PATH_MAX, "%s/%s%s", naming->dir, naming->first, number) <
	       PATH_MAX) {
		if (lstat(naming->path, &status))
			return;
		if (naming->leaf[0] && !exists(naming->path, naming->leaf) &&
		    !exists(naming->path, STRATA_RECORDING_FILE))
			return;
		snprintf(number, sizeof(number), "-%u", ++i);
	}
	naming->result = -1;
}

/* Names a directory by its date: one that does not exist, or that has room for @leaf beside those
 * of other channels.  @leaf: NULL: none */
static int name_dated(char path[PATH_MAX], const char *dir, const char *what, const char *leaf,
		      struct strata_error *error)
{
	struct naming naming = { .result = -1 };
	time_t now = time(NULL);
	struct tm local;
	char date[32];

	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(naming.first, sizeof(naming.first), "%s-%s", what, date);
	snprintf(naming.leaf, sizeof(naming.leaf), "%s", leaf ? leaf : "");
	if (snprintf(naming.dir, sizeof(naming.dir), "%s", dir) < (int)sizeof(naming.dir)) {
		if (strata_apart(find_name, &naming, sizeof(naming)))
			return strata_fail(
				error, "%s: %s; name another directory with -o", dir,
				errno == ETIMEDOUT
					? "kept locked by another process, or the disk is too busy"
					: strerror(errno));
		memcpy(path, naming.path, PATH_MAX);
	}
	return naming.result ? strata_fail(error, "%.200s...: the path is too long", dir) : 0;
}

int output_dir_dated(char path[PATH_MAX], const char *dir, const char *what,
		     struct strata_error *error)
{
	return name_dated(path, dir, what, NULL, error);
}

int output_dir_dated_leaf(char path[PATH_MAX], const char *dir, const char *what, const char *leaf,
			  struct strata_error *error)
{
	struct strata_dir parent;
	size_t length;

	if (name_dated(path, dir, what, leaf, error) ||
	    strata_dir_make(&parent, path, 0750, NULL, error))
		return -1;
	strata_dir_close(&parent);
	length = strlen(path);
	return snprintf(path + length, PATH_MAX - length, "/%s", leaf) < (int)(PATH_MAX - length)
		       ? 0
		       : strata_fail(error, "%.200s...: the path is too long", dir);
}

int output_dir_await_disk(const char *path, struct strata_error *error)
{
	struct strata_dir dir;
	int fd, result = 0;

	if (strata_dir_open(&dir, path, error))
		return -1;
	fd = openat(dir.fd, STRATA_RECORDING_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || (fdatasync(fd) && errno != EINVAL))
		result = strata_fail(error,
				     "%s: %s: the disk may not have all of it yet; take another "
				     "snapshot",
				     path, strerror(errno));
	if (fd >= 0)
		close(fd);
	strata_dir_close(&dir);
	return result;
}

void output_dir_give_up(struct output_dir *out)
{
	output_dir_free_reserve(out);
	strata_dir_remove(&out->dir, STRATA_RECORDING_FILE STRATA_DIR_NEW_SUFFIX);
	strata_dir_remove(&out->dir, STRATA_RECORDING_FILE);
	if (out->aside)
		restore(&out->dir);
	remove_made(out);
	strata_dir_close(&out->dir);
}

void output_dir_free_reserve(struct output_dir *out)
{
	strata_dir_remove(&out->dir, RESERVE_FILE);
	/* Until the directory is closed nothing is reserved any more. */
	out->reserved = UINT64_MAX;
}

void output_dir_close(struct output_dir *out)
{
	/* A thread that closes sockets may have a copy of it for a while (host/last_close.h). */
	if (out->dir.fd >= 0)
		flock(out->dir.fd, LOCK_UN);
	strata_dir_close(&out->dir);
}
