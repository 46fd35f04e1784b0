/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - asks stratad, and starts it if it does not run. */
#ifndef STRATA_CONTROL_CLIENT_H
#define STRATA_CONTROL_CLIENT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Sends a request, and waits for its reply however long stratad works on it.
 * @start: starts stratad if it does not run; else only if an earlier one had sessions
 * @reply: OUT, for json_object_put()
 * Returns the status in the reply, an enum strata_status, or -1: stratad cannot be reached.
 */
int client_ask(struct json_object *request, bool start, struct json_object **reply,
	       struct strata_error *error);

#endif /* STRATA_CONTROL_CLIENT_H */
