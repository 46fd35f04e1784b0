// SPDX-License-Identifier: GPL-2.0-or-later
/* app_file_users.c - see app_file_users.h; called by cmd_record.c and app.c. */
#include "consumerd/apps/app_file_users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const uint32_t *uids, size_t nr, uint32_t uid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (uids[i] == uid)
			return true;
	return false;
}

/* Finds a user by name or by number; a number needs no name. */
static int add_user(struct app_file_users *users, const char *name, struct strata_error *error)
{
	const struct passwd *entry = getpwnam(name);
	unsigned long uid = strtoul(name, NULL, 10);

	if (!entry &&
	    (!*name || name[strspn(name, "0123456789")] || strlen(name) > 10 || uid >= UINT32_MAX))
		return strata_fail(error, "unknown user \"%.100s\"", name);
	if (users->nr == APP_FILE_USERS_MAX)
		return strata_fail(error, "more than %u users", APP_FILE_USERS_MAX);
	users->uids[users->nr++] = entry ? entry->pw_uid : (uint32_t)uid;
	return 0;
}

int app_file_users_add(struct app_file_users *users, const char *list, struct strata_error *error)
{
	char *copy = strdup(list), *rest = copy, *name;
	int result = 0;

	if (!copy)
		return strata_fail(error, "out of memory");
	while (!result && (name = strsep(&rest, ",")))
		result = add_user(users, name, error);
	free(copy);
	return result;
}

bool app_file_users_allow(struct app_file_users *users, uint32_t uid)
{
	if (uid == 0 || has(users->uids, users->nr, uid))
		return true;
	if (has(users->refused, users->nr_refused, uid) || users->nr_refused == APP_FILE_USERS_MAX)
		return false;
	users->refused[users->nr_refused++] = uid;
	fprintf(stderr,
		"strata: rings of applications of user %u lie in sealed memory, not in files: a user "
		"can make a file grow until the disk is full (--app-file-users %u allows it)\n",
		uid, uid);
	if (users->nr_refused == APP_FILE_USERS_MAX)
		fprintf(stderr, "strata: messages about further such users are suppressed\n");
	return false;
}
