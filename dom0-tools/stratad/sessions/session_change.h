/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_change.h - changes the model of a session that the caller holds (session_table_hold()):
 * rules, channels, rotation.
 *
 * Each change is done as a whole or not at all: the consumers first, because they may refuse, then
 * the file, then the model.  All have the form of a verb, session_run_fn.
 */
#ifndef STRATA_STRATAD_SESSION_CHANGE_H
#define STRATA_STRATAD_SESSION_CHANGE_H

#include "stratad/sessions/session_run.h"

/* Checks the rules of a new session, as its recorders will.  0 or -1. */
int session_change_check(const struct strata_session *model, struct strata_error *error);

/* Adds "rules" to a channel of the session, or removes them. */
session_run_fn session_change_enable;
session_run_fn session_change_disable;

/* Makes a channel, unless it exists, enables it, and sets its "attributes" in a domain. */
session_run_fn session_change_enable_channel;

/* Keeps a channel from being recorded, from the next start on. */
session_run_fn session_change_disable_channel;

/* Sets when the session rotates. */
session_run_fn session_change_rotation;

#endif /* STRATA_STRATAD_SESSION_CHANGE_H */
