/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_file_users.h - whose applications may have their rings in files.
 *
 * An application has a descriptor to the file, so its user can make the file grow until
 * the disk is full, and the kernel has no seal against that.  Root may do so anyway;
 * other users are those that root names.
 */
#ifndef STRATA_CONSUMERD_APP_FILE_USERS_H
#define STRATA_CONSUMERD_APP_FILE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define APP_FILE_USERS_MAX 64u

struct app_file_users {
	uint32_t uids[APP_FILE_USERS_MAX]; /* besides root, who always may */
	size_t nr;
	uint32_t refused[APP_FILE_USERS_MAX]; /* those that were printed */
	size_t nr_refused;
};

/* Adds the users of a comma-separated list of names and numbers.  0 or -1. */
int app_file_users_add(struct app_file_users *users, const char *list, struct strata_error *error);

/* Whether that user's rings may be in files.  If not, prints it, once for each user. */
bool app_file_users_allow(struct app_file_users *users, uint32_t uid);

#endif /* STRATA_CONSUMERD_APP_FILE_USERS_H */
