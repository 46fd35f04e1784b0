/* SPDX-License-Identifier: MIT */
/*
 * known_name.h - looks up a name only where the kernel knows it, without a lock of its directory.
 *
 * Any user may keep a directory locked that he may read (getdents() into memory of a file system
 * that does not answer), and have the next process that wants that lock for itself wait for it
 * (mkdir(), which is refused only afterwards).  From then on each process that looks up a name in
 * that directory which the kernel has not in its cache waits for as long, and no signal ends that.
 * A file system in memory (/run) never caches that a name is missing.
 *
 * A name whose file or socket some process has open stays in the cache, as do the directories above
 * it.  So what a running recorder has made is always known.
 *
 * Included by libstrata and by the recorder.
 */
#ifndef STRATA_KNOWN_NAME_H
#define STRATA_KNOWN_NAME_H

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20 /* Linux 5.12 */
#endif

/* While anybody mounts file systems without end, some 2 of 100 look-ups fail. */
#define STRATA_KNOWN_TRIES 4u

/* Whether this process cannot look up names in the cache only: an older kernel, a filter of system
 * calls, or no free descriptor. */
static inline bool strata_known_is_impossible(int error)
{
	return error == ENOSYS || error == EINVAL || error == EPERM || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

/*
 * As stat(), of a name that the kernel knows.  Where that is impossible it is stat(), which may
 * wait.
 * @flags: 0, or AT_SYMLINK_NOFOLLOW, as lstat()
 * 0, or -1 with errno: EAGAIN: the name is not in the cache
 */
static inline int strata_known_stat(const char *path, int flags, struct stat *status)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_CACHED,
	};
	unsigned int tries = STRATA_KNOWN_TRIES;
	int fd, result;

	do {
		fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN && --tries);
	if (fd < 0)
		return strata_known_is_impossible(errno) ? fstatat(AT_FDCWD, path, status, flags)
							 : -1;
	result = fstat(fd, status);
	close(fd);
	return result;
}

/* Whether the kernel knows that name. */
static inline bool strata_is_known(const char *path)
{
	struct stat status;

	return !strata_known_stat(path, 0, &status);
}

#endif /* STRATA_KNOWN_NAME_H */
