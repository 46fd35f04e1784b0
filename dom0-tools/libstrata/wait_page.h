/* SPDX-License-Identifier: MIT */
/*
 * wait_page.h - the page in which a process waits for recorders (struct strata_app_wait).
 *
 * Once the waiting thread of attach.c runs, others only read the count.  Only a recorder calls,
 * by adding one to the count in the page; a process that may write there may also
 * attach a debugger to this one.
 */
#ifndef STRATA_LIBSTRATA_WAIT_PAGE_H
#define STRATA_LIBSTRATA_WAIT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Creates the page, unless it exists. False with errno: it cannot be created. */
bool wait_page_make(void);
bool wait_page_is_there(void);

/* The count of recorders' calls.  Read it before each attempt to connect. */
uint32_t wait_page_calls(void);

/* Tells recorders that the attempts after @calls have ended. */
void wait_page_answer(uint32_t calls);

/* Sleeps until there are more calls than @calls, or for @limit (NULL: no limit).  False: this
 * process cannot sleep on a futex. */
bool wait_page_await(uint32_t calls, const struct timespec *limit);

/* After fork(), in the child: the page is the parent's, and not mapped here. */
void wait_page_forget(void);

#endif /* STRATA_LIBSTRATA_WAIT_PAGE_H */
