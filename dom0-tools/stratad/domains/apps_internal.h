/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apps_internal.h - functions shared by the apps files.  No other file includes it. */
#ifndef STRATA_STRATAD_APPS_INTERNAL_H
#define STRATA_STRATAD_APPS_INTERNAL_H

#include <time.h>

#include "stratad/domains/apps.h"
#include "base/escape.h"

static inline uint64_t apps_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static inline uint64_t apps_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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

/* apps_look.c */

/* Has the process of a new application looked at.  False: the application was freed. */
bool apps_ask(struct apps *apps, size_t index);

/* After apps_ask(), waits for the answer.  False: it is late, and the application was freed. */
bool apps_still_asked(struct apps *apps, size_t index);

/* Takes the answers that have come, and identifies their applications, which may be freed. */
void apps_take_looks(struct apps *apps);

/* apps_talk.c */

/* Handles messages of one application, as far as its user's share of this turn allows, then
 * continues its pending work.  False: another application may have its index now. */
bool apps_hear(struct apps *apps, size_t index);

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

/* Frees the memory of an application's rings.  @who: charged for it until then, or NULL.  False: no
 * memory that a program could keep. */
bool apps_return_memory(struct apps *apps, struct application *one, struct principal *who);

/* Frees the list of files of ended applications.  @remove: removes the files, too. */
void apps_forget_files(struct apps *apps, bool remove);

/* apps_report.c */

/* The name of an application, escaped into @text. */
const char *apps_shown_name(const struct application *one, char text[STRATA_ESCAPED_BYTES(32)]);

/* Counts and reports an application that is not recorded. */
void apps_leave_out(struct apps *apps, const struct application *one,
		    const struct strata_error *why);

/* Counts an application beyond a limit; reports the limit the first time. */
void apps_note_one_too_many(struct apps *apps, const char *of_what);

#endif /* STRATA_STRATAD_APPS_INTERNAL_H */
