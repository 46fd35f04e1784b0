// SPDX-License-Identifier: GPL-2.0-or-later
/* memory_group.c - see memory_group.h. */
#include "consumerd/host/memory_group.h"

#include <stdio.h>
#include <string.h>

#include "consumerd/host/own_proc.h"

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

/* A name of the kernel's, with the controllers before it. */
#define LINE_BYTES (PATH_MAX + 512)

/* @line: "5:memory:/user" (version 1) or "0::/user" (version 2).  False: no group for memory. */
static bool read_line(char *line, struct memory_group *group)
{
	char *controllers = strchr(line, ':'), *name;
	bool first;

	name = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!name || name[1] != '/')
		return false;
	*name++ = '\0';
	controllers++;
	first = *controllers;
	if (first && !has_memory(controllers))
		return false;
	group->first_version = first;
	group->hierarchy = first ? "/memory" : "";
	return snprintf(group->name, sizeof(group->name), "%s", strcmp(name, "/") ? name : "") <
	       (int)sizeof(group->name);
}

/* Where both versions are mounted, memory belongs to the first.  The rest of a line that is too
 * long is no line: it would be a name that its user has chosen. */
bool memory_group_read(const char *list, struct memory_group *group)
{
	FILE *file = own_proc_file(list);
	char line[LINE_BYTES], *end;
	bool found = false, whole = true;

	while (file && whole && !(found && group->first_version) &&
	       fgets(line, sizeof(line), file)) {
		end = strchr(line, '\n');
		whole = end != NULL;
		if (end)
			*end = '\0';
		found |= whole && read_line(line, group);
	}
	if (file)
		fclose(file);
	return found && whole;
}

bool memory_group_leave(struct memory_group *group)
{
	char *slash = strrchr(group->name, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}
