// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run_lock.c - see run_lock.h.  The locks are those of open files (F_OFD_SETLK), which can be
 * looked at without being taken.
 */
#include "consumerd/host/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/run_dir.h"

/* Says why a lock cannot be opened. */
static void fail_open(const char *file, int number, struct strata_error *error)
{
	if (number == ELOOP)
		strata_fail(error, "%s/%s: %s; strata makes no links there: remove it",
			    run_dir_path(), file, strerror(number));
	else if (number == ENOSPC)
		strata_fail(error, "%s/%s: %s; free some space in /run", run_dir_path(), file,
			    strerror(number));
	else
		strata_fail(error, "not permitted to trace: %s/%s: %s; run strata as root in dom0",
			    run_dir_path(), file, strerror(number));
}

static int open_lock(const char *name, struct strata_error *error)
{
	char file[NAME_MAX + 1];
	int dir = run_dir_open(error), fd;

	if (dir < 0)
		return strata_fail_in(error, "not permitted to trace");
	/* Longer than any of a session and a channel. */
	snprintf(file, sizeof(file), "%s.lock", name);
	fd = openat(dir, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		fail_open(file, errno, error);
	close(dir);
	return fd;
}

static void read_holder(int fd, char holder[RUN_LOCK_HOLDER_BYTES])
{
	ssize_t length = pread(fd, holder, RUN_LOCK_HOLDER_BYTES - 1, 0);

	holder[length > 0 ? length : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
}

static void read_living_holder(int fd, char holder[RUN_LOCK_HOLDER_BYTES])
{
	read_holder(fd, holder);
	if (!holder[0])
		snprintf(holder, RUN_LOCK_HOLDER_BYTES, "%s", RUN_LOCK_NAMELESS);
}

static void write_holder(int fd, const char *name, const char *holder)
{
	const ssize_t length = (ssize_t)strlen(holder);

	if (ftruncate(fd, 0) || pwrite(fd, holder, (size_t)length, 0) != length)
		fprintf(stderr,
			"strata: %s/%s.lock: %s; other recorders cannot show who holds it\n",
			run_dir_path(), name, strerror(errno));
}

int run_lock_take(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open_lock(name, error);

	if (fd < 0)
		return -1;
	if (!fcntl(fd, F_OFD_SETLK, &whole)) {
		write_holder(fd, name, holder);
		return fd;
	}
	if (errno == EAGAIN || errno == EACCES) {
		read_living_holder(fd, holder);
		close(fd);
		return RUN_LOCK_HELD;
	}
	strata_fail(error, "%s/%s.lock: %s", run_dir_path(), name, strerror(errno));
	close(fd);
	return -1;
}

int run_lock_look(const char *name, char holder[RUN_LOCK_HOLDER_BYTES], struct strata_error *error)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open_lock(name, error), held = -1;

	if (fd < 0)
		return -1;
	if (fcntl(fd, F_OFD_GETLK, &whole))
		strata_fail(error, "%s/%s.lock: %s", run_dir_path(), name, strerror(errno));
	else
		held = whole.l_type != F_UNLCK;
	if (held > 0)
		read_living_holder(fd, holder);
	else if (!held)
		read_holder(fd, holder);
	close(fd);
	return held;
}

void run_lock_release(int lock)
{
	struct flock whole = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	/* If it fails, only others' messages are wrong. */
	if (ftruncate(lock, 0))
		fprintf(stderr, "strata: a lock in %s: %s\n", run_dir_path(), strerror(errno));
	/* A thread that closes sockets may have a copy of it for a while (last_close.h). */
	fcntl(lock, F_OFD_SETLK, &whole);
	close(lock);
}
