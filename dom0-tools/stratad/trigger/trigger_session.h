/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger_session.h - a trigger that is a part of a session, in a process of its own. */
#ifndef STRATA_STRATAD_TRIGGER_SESSION_H
#define STRATA_STRATAD_TRIGGER_SESSION_H

#include <stdbool.h>

#include <strata/control.h>

/*
 * Counts and acts until SIGINT, or until the trigger has had its actions.  Its messages, and a line
 * for each action, go to stderr, a log.
 * @session: its name
 * @without_probes: no event of a probe counts
 * @ready_fd: gets a line when it counts
 * Returns an exit status; errors have been printed.
 */
int trigger_session(const char *session, const struct strata_trigger *trigger, bool without_probes,
		    int ready_fd);

#endif /* STRATA_STRATAD_TRIGGER_SESSION_H */
