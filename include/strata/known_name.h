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
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20 /* Linux 5.12 */
#endif

/*
 * A look-up of a name that is there fails, too, if anybody changes the mounts of the machine at
 * that moment; or closes a file of a detached mount, as any user can without end: then 7 of 10
 * fail.  So whoever does not find a name looks up the root, which is always known.  If that fails
 * as well, he tries the name often.  The name is missing only if the root was found both before and
 * after it, because a disturber can get and lose the CPU at any moment.
 */
#define STRATA_KNOWN_TRIES           4u
#define STRATA_ROOT_TRIES            16u
#define STRATA_ROOT_TRIES_AFTER      3u
#define STRATA_KNOWN_TRIES_DISTURBED 1000u

/* Whether this process cannot look up names in the cache only: an older kernel, a filter of system
 * calls, or no free descriptor. */
static inline bool strata_known_is_impossible(int error)
{
	return error == ENOSYS || error == EINVAL || error == EPERM || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

static inline int strata_known_open(const char *path, int flags)
{
	const struct open_how how = { .flags = (unsigned int)(O_PATH | O_CLOEXEC | flags),
				      .resolve = RESOLVE_CACHED };

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

/* The root, by a way that takes as long to walk as that to any name: longer walks are disturbed
 * more often. */
#define STRATA_LONG_ROOT "/././././././././././././././././././././././././././././././././."

/* How long a check of the root that found no failure counts as made before a name: a program that
 * starts looks for some twenty names that are not there. */
#define STRATA_QUIET_NS 1000000u

static inline uint64_t strata_known_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What look-ups of the root say of those of a name that failed before them. */
enum strata_known_verdict {
	STRATA_KNOWN_MISSING,   /* it is not there */
	STRATA_KNOWN_AGAIN,     /* nothing yet: nothing is known of the time before them */
	STRATA_KNOWN_DISTURBED, /* look-ups fail at this moment */
};

/* Whether no look-up of the root fails. */
static inline bool strata_lookups_are_quiet(unsigned int tries)
{
	for (; tries; tries--) {
		const int fd = strata_known_open(STRATA_LONG_ROOT, O_DIRECTORY);

		if (fd < 0)
			return errno != EAGAIN;
		close(fd);
	}
	return true;
}

static inline enum strata_known_verdict strata_known_judge(void)
{
	/* Relaxed: whoever misses another thread's store only looks for himself. */
	static uint64_t quiet_ns;
	const bool were_quiet =
		strata_known_now_ns() - __atomic_load_n(&quiet_ns, __ATOMIC_RELAXED) <
		STRATA_QUIET_NS;

	if (!strata_lookups_are_quiet(were_quiet ? STRATA_ROOT_TRIES_AFTER : STRATA_ROOT_TRIES))
		return STRATA_KNOWN_DISTURBED;
	if (were_quiet)
		return STRATA_KNOWN_MISSING;
	__atomic_store_n(&quiet_ns, strata_known_now_ns(), __ATOMIC_RELAXED);
	return STRATA_KNOWN_AGAIN;
}

/*
 * As stat(), of a name that the kernel knows.  Where that is impossible it is stat(), which may
 * wait.
 * @flags: 0, or AT_SYMLINK_NOFOLLOW, as lstat()
 * 0, or -1 with errno: EAGAIN: the name is not in the cache
 */
static inline int strata_known_stat(const char *path, int flags, struct stat *status)
{
	const int no_follow = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
	unsigned int tries = 0, limit = STRATA_KNOWN_TRIES;
	int fd, result;

	do {
		fd = strata_known_open(path, no_follow);
		if (fd >= 0 || errno != EAGAIN)
			break;
		if (++tries == limit && limit < STRATA_KNOWN_TRIES_DISTURBED) {
			switch (strata_known_judge()) {
			case STRATA_KNOWN_MISSING:
				break;
			case STRATA_KNOWN_AGAIN:
				limit += STRATA_KNOWN_TRIES;
				break;
			case STRATA_KNOWN_DISTURBED:
				limit = STRATA_KNOWN_TRIES_DISTURBED;
				break;
			}
			errno = EAGAIN;
		}
	} while (tries < limit);
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
