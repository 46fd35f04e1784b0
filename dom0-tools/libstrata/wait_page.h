/* SPDX-License-Identifier: MIT */
/*
 * wait_page.h - the pages in which a process waits for recorders: its own (struct strata_app_wait)
 * for root's, and its user's (user_page.h).
 *
 * Once the waiting thread of attach.c runs, others only read the count, or call it themselves.  A
 * recorder calls by adding one to the count in the page; a process that may write there may also
 * attach a debugger to this one.
 */
#ifndef STRATA_LIBSTRATA_WAIT_PAGE_H
#define STRATA_LIBSTRATA_WAIT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Creates the pages, unless they exist. False with errno: its own cannot be created. */
bool wait_page_make(void);
bool wait_page_is_there(void);

/* The counts of recorders' calls: in the low half in its own page, in the high half in its user's.
 * Read them before each attempt to connect. */
uint64_t wait_page_calls(void);

/* Calls the waiting thread itself, as a recorder does.  Any thread or signal handler; changes
 * errno. */
void wait_page_call(void);

/* Tells recorders that the attempts after @calls have ended. */
void wait_page_answer(uint64_t calls);

/* Sleeps until there are other calls than @calls, or for @limit (NULL: no limit).  False: this
 * process cannot sleep on a futex. */
bool wait_page_await(uint64_t calls, const struct timespec *limit);

/* After fork(), in the child: the page is the parent's, and not mapped here. */
void wait_page_forget(void);

#endif /* STRATA_LIBSTRATA_WAIT_PAGE_H */
