/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_group.h - finds the control group that is charged for the memory of a process, of either
 * version of control groups.
 *
 * Called by memory_limit.c and user_group.c.
 */
#ifndef STRATA_CONSUMERD_MEMORY_GROUP_H
#define STRATA_CONSUMERD_MEMORY_GROUP_H

#include <limits.h>
#include <stdbool.h>

/* Where control groups are mounted. */
#define MEMORY_GROUP_MOUNT "/sys/fs/cgroup"

struct memory_group {
	bool first_version;
	const char *hierarchy; /* below the mount: "/memory", or "" in version 2 */
	char name[PATH_MAX];   /* below that: "/user"; "" is the top */
};

/* Reads it from @list, such as "self/cgroup" in /proc.  False: the file names none, or cannot be
 * read. */
bool memory_group_read(const char *list, struct memory_group *group);

/* Goes to the group above.  False: it is the top. */
bool memory_group_leave(struct memory_group *group);

#endif /* STRATA_CONSUMERD_MEMORY_GROUP_H */
