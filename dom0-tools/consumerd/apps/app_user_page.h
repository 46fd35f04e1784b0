/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_user_page.h - calls the running programs of our own user (struct strata_app_user_wait).
 *
 * For a recorder that is not root, which may not open the pages of single programs (app_find.h).
 * The user owns the page and may cut it off: it is read and written by system calls only.
 */
#ifndef STRATA_CONSUMERD_APP_USER_PAGE_H
#define STRATA_CONSUMERD_APP_USER_PAGE_H

#include <stdint.h>

#include "base/error.h"

struct app_user_page {
	int fd;
	struct strata_app_user_wait *page;
	uint32_t answers; /* before the call */
};

/* Calls all programs that wait in the page, which is made if it is missing.  0, or -1 with the
 * reason; else app_user_page_close() frees. */
int app_user_page_call(struct app_user_page *user, struct strata_error *error);

/* How many programs have answered. */
uint32_t app_user_page_answers(const struct app_user_page *user);

void app_user_page_close(struct app_user_page *user);

#endif /* STRATA_CONSUMERD_APP_USER_PAGE_H */
