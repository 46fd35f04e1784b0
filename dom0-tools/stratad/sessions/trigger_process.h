/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trigger_process.h - the processes of a session's triggers.  The caller holds the session
 * (session_table_hold()).
 */
#ifndef STRATA_STRATAD_TRIGGER_PROCESS_H
#define STRATA_STRATAD_TRIGGER_PROCESS_H

#include <json-c/json.h>

#include "base/error.h"
#include "stratad/sessions/session_table.h"

/*
 * Starts all triggers of the session, except for those that name only kernels which were left out:
 * no guest keeps a session from recording.  @reply: names these.  Returns OK, PARTIAL if there is
 * one of these, or -1 if another one cannot start.
 */
int trigger_process_start_all(struct managed_session *session, struct json_object *reply,
			      struct strata_error *error);

/* Finds the triggers of the session that run, for a stratad that has started, and how the others
 * ended. */
void trigger_process_find_all(struct managed_session *session);

/* Adds to a reply what the triggers did, and how they ended, if that was not reported yet.  Returns
 * OK, or PARTIAL if one failed. */
int trigger_process_report(struct managed_session *session, struct json_object *reply);

/* The ends of triggers are no news. */
void trigger_process_forget_all(struct managed_session *session);

/* Describes the triggers, for the status of the session.  For json_object_put(). */
struct json_object *trigger_process_describe(struct managed_session *session);

/* Adds a trigger to the session, removes one.  Verbs (session_run.h), except that the second one
 * releases the session. */
int trigger_process_add(struct managed_session *session, struct json_object *request,
			struct json_object *reply, struct strata_error *error);
int trigger_process_remove(struct managed_session *session, struct json_object *request,
			   struct json_object *reply, struct strata_error *error);

#endif /* STRATA_STRATAD_TRIGGER_PROCESS_H */
