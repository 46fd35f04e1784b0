/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_run.h - starts, stops, snapshots and describes a session that the caller holds
 * (session_table_hold()).
 *
 * Each fills the reply with members of its own, and returns a status, or -1 with the reason.
 */
#ifndef STRATA_STRATAD_SESSION_RUN_H
#define STRATA_STRATAD_SESSION_RUN_H

#include <json-c/json.h>

#include "base/error.h"
#include "stratad/sessions/session_table.h"

/* Each has the form of a verb; a request that is not mentioned has no members for it. */
typedef int session_run_fn(struct managed_session *session, struct json_object *request,
			   struct json_object *reply, struct strata_error *error);

/* Returns when all channels with events record. */
session_run_fn session_run_start;

/* Returns when the recording is complete. */
session_run_fn session_run_stop;

/* Writes what a flight recorder has in memory.  The request may name an output directory. */
session_run_fn session_run_snapshot;

/* Rotates the recording. */
session_run_fn session_run_rotate;

/* Removes the events since the start; recording continues. */
session_run_fn session_run_clear;

/* Tells the consumers of a session that records when to rotate. */
int session_run_set_rotation(struct managed_session *session, const struct strata_rotation *when,
			     struct json_object *reply, struct strata_error *error);

/* The session's model and state, for json_object_put(). */
struct json_object *session_run_describe(struct managed_session *session);

#endif /* STRATA_STRATAD_SESSION_RUN_H */
