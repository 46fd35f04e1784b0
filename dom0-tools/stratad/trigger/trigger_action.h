/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger_action.h - the action of a trigger: a snapshot, or a rotation, for which stratad is asked
 * in a thread.
 *
 * It takes as long as the disk, which another user may keep busy.  Meanwhile the trigger counts,
 * and programs that start do not wait for it.
 */
#ifndef STRATA_STRATAD_TRIGGER_ACTION_H
#define STRATA_STRATAD_TRIGGER_ACTION_H

#include <limits.h>
#include <stdbool.h>

#include <strata/control_client.h>

#include "base/error.h"
#include "consumerd/host/worker.h"

struct trigger_action {
	struct work work; /* first: they are converted */
	struct worker *worker;
	/* Set by the caller. */
	const struct strata_trigger *model;
	const char *session;                  /* NULL: the current one */
	struct strata_control *(*open)(void); /* makes a handle; NULL: it has printed why */

	bool is_under_way; /* the rest is the thread's then */
	bool failed;
	bool counts;                /* it was asked for, and not left for want of room */
	char done[PATH_MAX + 1024]; /* what was done, or why it failed */
	char written[PATH_MAX];     /* the directory with the snapshots; "" before the first one */
};

/* Starts the thread.  0 or -1. */
int trigger_action_open(struct trigger_action *action, struct strata_error *error);

/* Begins an action; none is under way. */
void trigger_action_begin(struct trigger_action *action);

/* Whether the action that was under way has ended since the last call. */
bool trigger_action_ends(struct trigger_action *action);

/* Ends the thread; no action is under way.  Also if it was not started. */
void trigger_action_close(struct trigger_action *action);

#endif /* STRATA_STRATAD_TRIGGER_ACTION_H */
