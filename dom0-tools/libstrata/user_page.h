/* SPDX-License-Identifier: MIT */
/*
 * user_page.h - the page in which all programs of a user wait for that user's recorders (struct
 * strata_app_user_wait).
 *
 * It is a file, which its owner may truncate at any time: nothing here touches it but by system
 * calls, which then fail.
 */
#ifndef STRATA_LIBSTRATA_USER_PAGE_H
#define STRATA_LIBSTRATA_USER_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Maps the page, and makes it if the user's directory can be made.  Whether it is there. */
bool user_page_map(void);

/* The count of calls; 0 without a page. */
uint32_t user_page_calls(void);

/* Tells recorders that the attempts to connect have ended. */
void user_page_answer(void);

/* The futex; NULL: no page. */
uint32_t *user_page_futex(void);

/* After fork(), in the child: the page is not mapped here. */
void user_page_forget(void);

#endif /* STRATA_LIBSTRATA_USER_PAGE_H */
