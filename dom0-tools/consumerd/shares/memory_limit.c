// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_limit.c - see memory_limit.h. */
#include "consumerd/shares/memory_limit.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "consumerd/host/memory_group.h"

/* UINT64_MAX: no such file, or no limit ("max"). */
static uint64_t read_limit(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long long limit;
	bool is_number = file && fscanf(file, "%llu", &limit) == 1;

	if (file)
		fclose(file);
	return is_number ? limit : UINT64_MAX;
}

uint64_t memory_limit_of_groups(const char *list, const char *mount)
{
	uint64_t smallest = UINT64_MAX, limit;
	struct memory_group group;
	char path[2 * PATH_MAX];

	if (!memory_group_read(list, &group))
		return smallest;
	do {
		snprintf(path, sizeof(path), "%s%s%s/%s", mount, group.hierarchy, group.name,
			 group.first_version ? "memory.limit_in_bytes" : "memory.max");
		limit = read_limit(path);
		smallest = limit < smallest ? limit : smallest;
	} while (memory_group_leave(&group));
	return smallest;
}

uint64_t memory_limit(void)
{
	const uint64_t machine =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t groups = memory_limit_of_groups("self/cgroup", MEMORY_GROUP_MOUNT);

	return groups < machine ? groups : machine;
}
