/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask.h - sends a request to stratad, which is started if it does not run. */
#ifndef STRATA_CONTROL_LIBRARY_ASK_H
#define STRATA_CONTROL_LIBRARY_ASK_H

#include <json-c/json.h>
#include <stdbool.h>

#include "control/library/handle.h"

/* Makes a request.  @name: of a session; NULL: the current one.  NULL: out of memory. */
struct json_object *ask_make(const char *verb, const char *name);

/*
 * Sends a request, frees it, and waits for its reply, whose message, notes and JSON the handle has
 * then.
 * @request: NULL: out of memory
 * @start:   starts stratad if it does not run; else only if an earlier one had sessions
 */
enum strata_control_result ask(struct strata_control *control, struct json_object *request,
			       bool start);

/*
 * Sends a request over a connected socket, and takes its reply, likewise.
 * @result: OUT, the reply's
 * 0, or -1 with the reason: there is no valid reply.
 */
int ask_over(struct strata_control *control, int fd, struct json_object *request,
	     enum strata_control_result *result, struct strata_error *error);

#endif /* STRATA_CONTROL_LIBRARY_ASK_H */
