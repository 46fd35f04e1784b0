/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_verbs.h - what stratad does for each request (docs/formats.md). */
#ifndef STRATA_STRATAD_SESSION_VERBS_H
#define STRATA_STRATAD_SESSION_VERBS_H

#include <json-c/json.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Executes a request, however long that takes.  Called from any thread.
 * @owner: of the sessions that it may be about: SESSION_OWNER_SELF: all; or a member of the group
 *         tracing, for his own
 * Returns the reply, for json_object_put().
 */
struct json_object *session_verbs_serve(uid_t owner, struct json_object *request);

/* Loads the sessions of an earlier stratad, and finds the consumers that run.  Before the first
 * request.  0 or -1. */
int session_verbs_restore(struct strata_error *error);

#endif /* STRATA_STRATAD_SESSION_VERBS_H */
