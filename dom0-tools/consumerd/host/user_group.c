// SPDX-License-Identifier: GPL-2.0-or-later
/* user_group.c - see user_group.h. */
#include "consumerd/host/user_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/host/memory_group.h"

/* Another recorder that begins may remove a group that was just made: twice, if it removes that of
 * the user and then that of the recorder.  So it takes two others at least to use these up. */
#define ATTEMPTS 5u

/* What a group uses that has nothing of a ring: the kernel keeps so much for each CPU, and some. */
#define HARDLY_ANY_OF_CPU ((uint64_t)256 << 10)
#define HARDLY_ANY        ((uint64_t)1 << 20)

/* The files of a group of either version. */
static const struct {
	const char *top, *usage, *processes;
} versions[] = {
	{ MEMORY_GROUP_MOUNT "/memory/strata", "memory.usage_in_bytes", "cgroup.procs" },
	{ MEMORY_GROUP_MOUNT "/strata", "memory.current", "cgroup.procs" },
};

/* Of the version that is charged for memory here; -1: neither. */
static int version(void)
{
	struct memory_group own;

	if (!memory_group_read("self/cgroup", &own))
		return -1;
	return own.first_version ? 0 : 1;
}

static int write_file(const char *dir, const char *name, const char *text)
{
	char path[600];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	errno = error;
	return error ? -1 : 0;
}

/* Makes a group unless it exists: mkdir() takes the lock of the directory above in any case.  It is
 * for root alone: nobody else can lock it. */
static int make(const char *path)
{
	return access(path, F_OK) && mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* The directory of a recorder's groups. */
static void recorder_path(char *path, size_t bytes, int kind, unsigned int recorder)
{
	struct stat run = { .st_dev = 0 };

	stat("/run", &run);
	snprintf(path, bytes, "%s/%u-%llx-%llx", versions[kind].top, recorder,
		 (unsigned long long)run.st_dev, (unsigned long long)run.st_ino);
}

bool user_group_path(char path[USER_GROUP_PATH_BYTES], unsigned int recorder, uint32_t user)
{
	const int kind = version();
	char of_recorder[128];

	if (kind < 0)
		return false;
	recorder_path(of_recorder, sizeof(of_recorder), kind, recorder);
	snprintf(path, USER_GROUP_PATH_BYTES, "%s/%u", of_recorder, user);
	return true;
}

void user_groups_prepare(void)
{
	const int kind = version();

	if (kind >= 0)
		make(versions[kind].top);
}

static int open_usage(int kind, const char *dir)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, versions[kind].usage);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Whether it will never be possible. */
static bool is_final(int error)
{
	return error == EROFS || error == EPERM || error == EACCES || error == ENOENT ||
	       error == ENOTDIR || error == EINVAL || error == EOPNOTSUPP || error == ENOTSUP;
}

/* In version 2 a group hands the control of memory down to those below it.  Where it cannot, no
 * group counts memory. */
static int make_parent(int kind, const char *path)
{
	return make(path) || (kind && write_file(path, "cgroup.subtree_control", "+memory")) ? -1
											     : 0;
}

/* Makes the groups below the top, and enters the user's.  0, or -1 with errno. */
static int enter(struct user_group *group, int kind, const char *of_recorder, const char *of_user)
{
	int error;

	if (make_parent(kind, of_recorder) || make(of_user))
		return -1;
	group->usage = open_usage(kind, of_user);
	group->usage_all = open_usage(kind, of_recorder);
	if (group->usage >= 0 && group->usage_all >= 0 &&
	    !write_file(of_user, versions[kind].processes, "0"))
		return 0;
	error = errno;
	if (group->usage >= 0)
		close(group->usage);
	if (group->usage_all >= 0)
		close(group->usage_all);
	group->usage = group->usage_all = -1;
	errno = error;
	return -1;
}

/* 0, or -1 with errno. */
static int join(struct user_group *group, int kind, const char *of_recorder, const char *of_user)
{
	if (make_parent(kind, versions[kind].top))
		return -1;
	if (!enter(group, kind, of_recorder, of_user))
		return 0;
	/* The top counts memory, so the others do: one that is not there was removed just now, as
	 * it had no process yet. */
	if (errno == ENOENT || errno == ENODEV)
		errno = EAGAIN;
	return -1;
}

int user_group_join(struct user_group *group, unsigned int recorder, uint32_t user)
{
	const int kind = version();
	char of_recorder[128], of_user[USER_GROUP_PATH_BYTES];
	unsigned int attempt;

	group->usage = group->usage_all = -1;
	if (!user_group_path(of_user, recorder, user))
		return 0;
	recorder_path(of_recorder, sizeof(of_recorder), kind, recorder);
	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (!join(group, kind, of_recorder, of_user))
			return 1;
		if (errno != EAGAIN)
			break;
	}
	return is_final(errno) ? 0 : -1;
}

uint64_t user_group_usage(int usage)
{
	char text[32];
	const ssize_t length = usage >= 0 ? pread(usage, text, sizeof(text) - 1, 0) : 0;

	text[length > 0 ? length : 0] = '\0';
	return strtoull(text, NULL, 10);
}

/* Whether a group uses hardly anything. */
static bool is_unused(int kind, const char *dir)
{
	const uint64_t hardly_any =
		HARDLY_ANY + HARDLY_ANY_OF_CPU * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	const int usage = open_usage(kind, dir);
	bool unused;

	if (usage < 0)
		return true;
	unused = user_group_usage(usage) < hardly_any;
	close(usage);
	return unused;
}

/* It stays if it has a process. */
static bool remove_group(int kind, const char *dir)
{
	(void)kind;
	return !rmdir(dir);
}

/* Calls a function for each group below one.  Whether all calls return true. */
static bool for_each_below(bool (*call)(int kind, const char *dir), int kind, const char *path)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	bool all = true;
	char below[600];

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
			all &= call(kind, below);
		}
	if (dir)
		closedir(dir);
	return all;
}

/* @path: of a recorder's groups.  The little that a removed group used counts in the recorder's
 * from then on, and so in the shares of all users: so all of them go, or none. */
static bool tidy(int kind, const char *path)
{
	if (!for_each_below(is_unused, kind, path))
		return false;
	for_each_below(remove_group, kind, path);
	/* Only if nothing is below it. */
	rmdir(path);
	return true;
}

bool user_groups_tidy(unsigned int recorder)
{
	const int kind = version();
	char path[128];

	if (kind < 0)
		return true;
	recorder_path(path, sizeof(path), kind, recorder);
	return tidy(kind, path);
}

void user_groups_tidy_all(void)
{
	const int kind = version();

	if (kind >= 0)
		for_each_below(tidy, kind, versions[kind].top);
}
