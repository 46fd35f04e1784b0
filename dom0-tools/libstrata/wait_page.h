/* SPDX-License-Identifier: MIT */
/*
 * wait_page.h - the page in which a process waits for recorders (struct strata_app_wait).
 *
 * The thread of attach.c uses it alone, once it runs.  Only the recorder calls, by
 * adding one to the count in the page; whoever may write there may also attach a
 * debugger to the process.
 */
#ifndef STRATA_LIBSTRATA_WAIT_PAGE_H
#define STRATA_LIBSTRATA_WAIT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Makes the page, if there is none.  False with errno: it cannot be made. */
bool wait_page_make(void);
bool wait_page_is_there(void);

/* How often recorders have called.  To be read before each attempt to connect. */
uint32_t wait_page_calls(void);

/* Tells recorders that the attempt after @calls has come to its end, and how. */
void wait_page_answer(uint32_t calls, bool connected);

/* Sleeps until there are more calls than @calls, or for @limit; NULL: for ever.  False: this
 * process may not sleep so. */
bool wait_page_await(uint32_t calls, const struct timespec *limit);

/* After fork(), in the child: the page is the parent's, and not mapped here. */
void wait_page_forget(void);

#endif /* STRATA_LIBSTRATA_WAIT_PAGE_H */
