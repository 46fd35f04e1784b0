/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apps_internal.h - what the apps files call of one another.  No other file includes it. */
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

/* apps_connect.c */

/* Accepts the connections that wait, in bounded number. */
void apps_accept_new(struct apps *apps);

/* Finds out which process an application is that has arrived.  False: it is forgotten. */
bool apps_receive(struct apps *apps, size_t index);

/* apps_talk.c */

/* Takes messages of one application, as far as its user's share of this turn goes, then goes on
 * with what it waits for.  False: another application may have its index now. */
bool apps_hear(struct apps *apps, size_t index);

/* apps_leave.c */

/* Ends the source of one application, or forgets one that has none yet.  False: it is forgotten. */
bool apps_let_go(struct apps *apps, size_t index, enum strata_source_end reason);

/* Checks whether what the rings of an application hold has been taken, after apps_let_go().  False:
 * it has, and the application is forgotten. */
bool apps_still_leaves(struct apps *apps, size_t index);

/* Keeps the file of its rings and says where it is: what they held could not be written, and the
 * file is all that there is of it. */
void apps_keep_file(struct application *one);

/* Gives the memory of an application's rings back.  @who: whose share it counts in until then;
 * NULL: nobody's.  False: there is no memory that a program could keep. */
bool apps_return_memory(struct apps *apps, struct application *one, struct principal *who);

/* Frees the list of files of ended applications.  @remove: removes the files, too. */
void apps_forget_files(struct apps *apps, bool remove);

/* apps_report.c */

/* The name of an application, escaped into @text. */
const char *apps_shown_name(const struct application *one, char text[STRATA_ESCAPED_BYTES(32)]);

/* Counts an application that is not recorded, and says why. */
void apps_leave_out(struct apps *apps, const struct application *one,
		    const struct strata_error *why);

/* Counts an application that finds no room; the first time, says of what there are too many. */
void apps_note_one_too_many(struct apps *apps, const char *of_what);

#endif /* STRATA_STRATAD_APPS_INTERNAL_H */
