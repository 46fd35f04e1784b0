// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * subordinate_uids.c - see subordinate_uids.h.
 *
 * The files are read directly: a name service may wait for the network, and the recorder must not.
 */
#include "consumerd/shares/subordinate_uids.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the field at its ':' and returns the next field; NULL: it is the last one. */
static char *cut_field(char *line)
{
	char *end = strchr(line, ':');

	if (end)
		*end++ = '\0';
	return end;
}

static bool parse_number(const char *text, uint32_t *number)
{
	unsigned long long value;
	char *end;

	value = strtoull(text, &end, 10);
	if (end == text || (*end && *end != '\n') || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* The users of the machine. */
struct users {
	struct user {
		char *name;
		uint32_t uid;
	} * list;
	size_t nr;
};

/* Reads them once: others may delay each access to that file (host/own_proc.h). */
static void read_users(struct users *users, const char *passwd_path)
{
	FILE *file = fopen(passwd_path, "re");
	const struct passwd *entry;
	struct user *more;
	char *name;

	while (file && (entry = fgetpwent(file))) {
		more = reallocarray(users->list, users->nr + 1, sizeof(*more));
		if (!more)
			break;
		users->list = more;
		name = strdup(entry->pw_name);
		if (!name)
			break;
		more[users->nr++] = (struct user){ .name = name, .uid = entry->pw_uid };
	}
	if (file)
		fclose(file);
}

static void free_users(struct users *users)
{
	while (users->nr)
		free(users->list[--users->nr].name);
	free(users->list);
}

static bool find_user(const struct users *users, const char *name, uint32_t *uid)
{
	size_t i;

	for (i = 0; i < users->nr; i++) {
		if (strcmp(users->list[i].name, name))
			continue;
		*uid = users->list[i].uid;
		return true;
	}
	return false;
}

/* A line is OWNER:FIRST:NUMBER; the owner is a name or an id. */
static bool parse_line(char *line, const struct users *users, struct uid_range *range)
{
	char *first = cut_field(line), *nr = first ? cut_field(first) : NULL;

	if (!nr || !parse_number(first, &range->first) || !parse_number(nr, &range->nr))
		return false;
	if (!find_user(users, line, &range->owner) && !parse_number(line, &range->owner))
		range->owner = range->first;
	/* Root's ranges are for containers, whose users must not count as root. */
	if (!range->owner)
		range->owner = range->first;
	/* Of a range that begins at 0 each id counts as a user. */
	return range->owner != 0;
}

void subordinate_uids_read(struct subordinate_uids *uids, const char *subuid_path,
			   const char *passwd_path)
{
	FILE *file = fopen(subuid_path, "re");
	struct uid_range range, *more;
	struct users users = { .nr = 0 };
	char line[512];

	subordinate_uids_clear(uids);
	if (file)
		read_users(&users, passwd_path);
	while (file && fgets(line, sizeof(line), file)) {
		if (!parse_line(line, &users, &range))
			continue;
		more = reallocarray(uids->ranges, uids->nr + 1, sizeof(*more));
		if (!more)
			break;
		uids->ranges = more;
		more[uids->nr++] = range;
	}
	if (file)
		fclose(file);
	free_users(&users);
}

static const struct uid_range *find_range(const struct subordinate_uids *uids, uint32_t uid)
{
	size_t i;

	for (i = 0; i < uids->nr; i++)
		if (uid >= uids->ranges[i].first &&
		    uid - uids->ranges[i].first < uids->ranges[i].nr)
			return &uids->ranges[i];
	return NULL;
}

uint32_t subordinate_uids_owner(const struct subordinate_uids *uids, uint32_t uid)
{
	const struct uid_range *range = find_range(uids, uid);

	return range ? range->owner : uid;
}

bool subordinate_uids_has(const struct subordinate_uids *uids, uint32_t uid)
{
	return find_range(uids, uid) != NULL;
}

void subordinate_uids_clear(struct subordinate_uids *uids)
{
	free(uids->ranges);
	memset(uids, 0, sizeof(*uids));
}
