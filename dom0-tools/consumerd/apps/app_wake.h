/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app_wake.h - calls the programs that wait for a recorder, in a child process, so that
 * the recorder never waits for a program.
 *
 * The child goes through all processes of the machine, in slices of time, one user after the other
 * (app_search.h).  If it is blocked for WAKE_STUCK_MS, it is killed, and another child
 * continues at once; from then on the user whose process blocked it comes last.  The child ends
 * when all called programs have answered, or WAKE_ANSWER_MS after its last call.
 *
 * `strata list` uses it to list the programs instead.
 */
#ifndef STRATA_CONSUMERD_APP_WAKE_H
#define STRATA_CONSUMERD_APP_WAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "consumerd/apps/app_find.h"

#define WAKE_STUCK_MS  1000u
#define WAKE_LOOK_MS   100u /* one look shows that it is blocked for no longer than this */
#define WAKE_ANSWER_MS 1000u

/* How many children may be blocked, one after the other. */
#define WAKE_CHILDREN_MAX 256u

struct app_wake_progress;

struct app_wake {
	/* Set by the caller: lists a program, in the child, instead of calling it.  NULL: programs
	 * are called. */
	void (*lists)(const struct app_process *process);
	/* Set by the caller: makes a list, in the child, of processes that need no call, because
	 * they are connected, with their users; the child keeps it.  NULL, or an answer of NULL:
	 * none. */
	struct app_process *(*connected)(const void *data, size_t *nr);
	const void *data;   /* for it */
	bool names_blocked; /* set by the caller: also names processes that block a search that
			       calls */
	struct app_wake_progress *progress; /* shared with that process; NULL: not begun */
	pid_t child;                        /* 0: it has ended */
	/* Those that were blocked, and have not ended since we killed them. */
	pid_t killed[WAKE_CHILDREN_MAX + 1];
	unsigned int nr_killed;
	uint64_t steps;     /* its progress at the last look */
	uint64_t looked_ms; /* when that was */
	uint64_t stuck_ms;  /* for how long looks have found it blocked, without progress */
};

/* Begins; to be called when the recorder listens.  0 or -1. */
int app_wake_begin(struct app_wake *wake, struct strata_error *error);

/* Calls all programs once more, after the first search has settled.  0 or -1. */
int app_wake_again(struct app_wake *wake, struct strata_error *error);

/* Supervises the child without waiting. Call it often. */
void app_wake_tend(struct app_wake *wake);

/* Whether all programs have been called, and had time to connect. */
bool app_wake_settled(const struct app_wake *wake);

/* Ends it.  Also if it never began. */
void app_wake_end(struct app_wake *wake);

#endif /* STRATA_CONSUMERD_APP_WAKE_H */
