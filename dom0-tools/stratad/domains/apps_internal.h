/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apps_internal.h - functions shared by the apps files.  No other file includes it. */
#ifndef STRATA_STRATAD_APPS_INTERNAL_H
#define STRATA_STRATAD_APPS_INTERNAL_H

#include <time.h>

#include "stratad/domains/apps.h"
#include "base/clock.h"
#include "base/escape.h"

static inline uint64_t apps_now_ms(void)
{
	return clock_now_ms(CLOCK_MONOTONIC_COARSE);
}

static inline uint64_t apps_now_ns(void)
{
	return clock_now_ns(CLOCK_MONOTONIC);
}

/* Whether nothing is to be done for it until its socket wakes us. */
static inline bool apps_awaits(const struct application *one)
{
	return one->step == APPLICATION_RECORDING && one->heard && !one->select_due &&
	       !one->adding && !one->stop_due && !one->connection->busy && !one->connection->inbox;
}

/* The accounts of those whose applications take part. */
static inline struct principals *apps_principals(const struct apps *apps)
{
	return apps->counting ? apps->counting->principals : recorder_principals(apps->recorder);
}

/* apps_connect.c */

/* Accepts a bounded number of pending connections. */
void apps_accept_new(struct apps *apps);

/* Returns a descriptor that can be closed to accept a connection when none is left; -1: none.  Of
 * a file that nobody else has: others may delay who opens or closes a file (own_proc.h). */
int apps_spare(const struct apps *apps);

/* apps.c */

/* Has what arrives at a descriptor wake the loop.  0 or -1. */
int apps_watch(const struct apps *apps, int fd, struct strata_error *error);

/* The opposite, before it is closed: others may have a copy of it. */
void apps_unwatch(const struct apps *apps, int fd);

/*
 * Replaces a helper process that has ended, unless that was tried a moment ago.
 * @again_ms: not before; of this helper
 * @socket:   its connection to the helper, which @reopen sets
 * @does:     what the process does, for messages
 * @reopen:   closes the helper, has its open questions asked again, and starts another one: 0 or -1
 */
void apps_replace_helper(struct apps *apps, uint64_t *again_ms, const int *socket, const char *does,
			 int (*reopen)(struct apps *apps, struct strata_error *error));

/* apps_look.c */

/* Has the process of a new application looked at.  False: the application was freed. */
bool apps_ask(struct apps *apps, size_t index);

/* After apps_ask(), waits for the answer, and identifies the application.  False: it was freed. */
bool apps_still_asked(struct apps *apps, size_t index);

/* At the end: leaves out those that have waited for their turn for long. */
void apps_name_waiting(struct apps *apps);

/* Takes the answers that have come. */
void apps_take_looks(struct apps *apps);

/* apps_questions.c */

/* Returns how many questions about a user's processes are open: orders of memory, or looks. */
unsigned int apps_nr_questions(const struct apps *apps, const struct principal *who,
			       bool of_memory);

/* Whether another such question may be asked now. */
bool apps_may_ask(const struct apps *apps, const struct principal *who, bool of_memory);

/* Asks for the names of an application's process, or orders @bytes of memory for it.  Returns the
 * question's number; 0: not now. */
uint64_t apps_ask_about(struct apps *apps, const struct application *one, size_t bytes);

/* Takes a question that is answered out of the list of open ones.  False: it is not there. */
bool apps_close_question(struct apps *apps, uint64_t number, struct application_look *asked);

/* apps_memory.c */

/* Whether the kernel's memory is to be made for an application. */
bool apps_needs_memory(const struct apps *apps, const struct application *one);

/* Claims memory of its user's share for an application, once.  0 or -1. */
int apps_claim_memory(const struct apps *apps, struct application *one, uint64_t bytes,
		      struct strata_error *error);

/* Has the memory made, if a selection may choose events of it.  What fails now is tried again, and
 * said, by apps_await_memory(). */
void apps_order_memory(struct apps *apps, struct application *one);

/* Has the memory made, unless that is being done.  1: it is there, for app_give_rings(); 0: not
 * yet; -1.  Its connection is not busy. */
int apps_await_memory(struct apps *apps, struct application *one, struct strata_error *error);

/* Takes the memory that has been made. */
void apps_take_memory(struct apps *apps);

/* Seals anonymous memory that the application has mapped.  0 or -1. */
int apps_seal_memory(const struct apps *apps, struct application *one, struct strata_error *error);

/* Frees memory that was made for the application, or still is being made, if the application has
 * not taken it.  @who: as of apps_return_memory().  Returns whether it frees any. */
bool apps_abandon_memory(struct apps *apps, struct application *one, struct principal *who);

/* apps_talk.c */

/* Handles messages of one application, as far as its user's share of this turn allows, then
 * continues its pending work.  False: another application may have its index now. */
bool apps_hear(struct apps *apps, size_t index);

/* Has messages received, if there are any.  0 or -1. */
int apps_receive(struct apps *apps, struct application *one, struct strata_error *error);

/* Has the messages in an application's socket wake the loop, or not. */
void apps_listen(struct apps *apps, struct application *one, bool on);

/* Tells an application to stop, or notes that it is to be told. */
void apps_tell_stop(struct apps *apps, struct application *one);

/* apps_leave.c */

/* Ends an application's source, if it has one, and its connection.  Its connection is not busy.
 * False: the application was freed. */
bool apps_let_go(struct apps *apps, size_t index, enum strata_source_end reason);

/* After apps_let_go(), checks whether the rings have been drained and the socket is closed.  False:
 * yes, and the application was freed. */
bool apps_still_leaves(struct apps *apps, size_t index);

/* Keeps the file of its rings and reports its place, because its events could not be written. */
void apps_keep_file(struct application *one);

/* Frees the memory of an application's rings, also memory that is made for them.  @who: charged for
 * it until then, or NULL.  False: no memory that a program could keep. */
bool apps_return_memory(struct apps *apps, struct application *one, struct principal *who);

/* Frees the list of files of ended applications.  @remove: removes the files, too. */
void apps_forget_files(struct apps *apps, bool remove);

/* apps_report.c */

/* The name of an application, escaped into @text. */
const char *apps_shown_name(const struct application *one, char text[STRATA_ESCAPED_BYTES(32)]);

/* Counts and reports an application that is not recorded. */
void apps_leave_out(struct apps *apps, const struct application *one,
		    const struct strata_error *why);

/* Reports an application that did not wait for its first selection, or its next one, to the end. */
void apps_note_late(const struct application *one);

/* Counts an application beyond a limit; reports the limit the first time. */
void apps_note_one_too_many(struct apps *apps, const char *of_what);

#endif /* STRATA_STRATAD_APPS_INTERNAL_H */
