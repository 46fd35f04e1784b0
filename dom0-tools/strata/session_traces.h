/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_traces.h - finds what a session has recorded, for verbs that read traces. */
#ifndef STRATA_STRATA_SESSION_TRACES_H
#define STRATA_STRATA_SESSION_TRACES_H

#include <stdbool.h>

/*
 * Finds the directory of a session's recordings, and says which one it is.
 * @verb:    for messages
 * @session: NULL: the current one
 * @newest:  only the recording of the last start
 * @path:    OUT, for free()
 * Returns an exit status, after a message: STRATA_STATUS_USAGE without a current session.
 */
int session_traces_find(const char *verb, const char *session, bool newest, char **path);

#endif /* STRATA_STRATA_SESSION_TRACES_H */
