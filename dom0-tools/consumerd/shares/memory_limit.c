// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_limit.c - see memory_limit.h. */
#include "consumerd/shares/memory_limit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/own_proc.h"

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

/* The smallest limit of a group and of those above it; @group: "" or begins with '/', and is
 * shortened. */
static uint64_t read_up(const char *mount, const char *hierarchy, char *group, const char *file)
{
	uint64_t smallest = UINT64_MAX, limit;
	char path[PATH_MAX + 64], *slash;

	for (;;) {
		if (snprintf(path, sizeof(path), "%s%s%s/%s", mount, hierarchy, group, file) <
		    (int)sizeof(path)) {
			limit = read_limit(path);
			smallest = limit < smallest ? limit : smallest;
		}
		slash = strrchr(group, '/');
		if (!slash)
			return smallest;
		*slash = '\0';
	}
}

/* Whether "memory" is among the comma-separated controllers of a hierarchy. */
static bool has_memory(const char *controllers)
{
	size_t length;

	for (; *controllers; controllers += length + (controllers[length] == ',')) {
		length = strcspn(controllers, ",");
		if (length == 6 && strncmp(controllers, "memory", length) == 0)
			return true;
	}
	return false;
}

/* @line: "5:memory:/user" (version 1) or "0::/user" (version 2) */
static uint64_t limit_of_line(char *line, const char *mount)
{
	char *controllers = strchr(line, ':'), *group;

	line[strcspn(line, "\n")] = '\0';
	group = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!group)
		return UINT64_MAX;
	*group++ = '\0';
	controllers++;
	if (*controllers)
		return has_memory(controllers)
			       ? read_up(mount, "/memory", group, "memory.limit_in_bytes")
			       : UINT64_MAX;
	return read_up(mount, "", group, "memory.max");
}

uint64_t memory_limit_of_groups(const char *list, const char *mount)
{
	uint64_t smallest = UINT64_MAX, limit;
	FILE *file = own_proc_file(list);
	char line[PATH_MAX];

	while (file && fgets(line, sizeof(line), file)) {
		limit = limit_of_line(line, mount);
		smallest = limit < smallest ? limit : smallest;
	}
	if (file)
		fclose(file);
	return smallest;
}

uint64_t memory_limit(void)
{
	const uint64_t machine =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t groups = memory_limit_of_groups("self/cgroup", "/sys/fs/cgroup");

	return groups < machine ? groups : machine;
}
