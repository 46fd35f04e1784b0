/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_trigger.h - operations on the triggers of sessions (<strata/control.h>), as those of
 * session_model.h.  Whether what a trigger counts exists is checked by stratad, which can look.
 */
#ifndef STRATA_CONTROL_SESSION_TRIGGER_H
#define STRATA_CONTROL_SESSION_TRIGGER_H

#include <stdbool.h>

#include <strata/control.h>

#include "base/error.h"

/* A trigger for which nothing else is asked: acts when an event or time is counted. */
#define SESSION_TRIGGER_INTERVAL_MS 100u
#define SESSION_TRIGGER_PAUSE_MS    10000u
#define SESSION_TRIGGER_KEEP_FREE   15u

/* Makes a trigger that counts nothing yet.  It belongs to the caller, for
 * session_trigger_clear(). */
int session_trigger_init(struct strata_trigger *trigger, const char *name, const char *spec,
			 struct strata_error *error);

void session_trigger_clear(struct strata_trigger *trigger);

/* Adds a rule about where the trigger counts, unless it has that rule. */
int session_trigger_add_rule(struct strata_trigger *trigger, enum strata_domain domain,
			     const struct strata_rule *rule, struct strata_error *error);

/* Checks name and numbers of a trigger, and that condition and specification fit. */
int session_trigger_check(const struct strata_trigger *trigger, struct strata_error *error);

/* Finds a trigger.  NULL: it does not exist. */
struct strata_trigger *session_trigger_find(struct strata_session *session, const char *name);

/* Checks a trigger, and adds a copy of it to a session. */
int session_trigger_add(struct strata_session *session, const struct strata_trigger *trigger,
			struct strata_error *error);

/* Removes a trigger from a session. */
int session_trigger_remove(struct strata_session *session, const char *name,
			   struct strata_error *error);

#endif /* STRATA_CONTROL_SESSION_TRIGGER_H */
