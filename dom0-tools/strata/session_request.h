/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_request.h - sends a request about sessions to stratad, and shows the reply. */
#ifndef STRATA_SESSION_REQUEST_H
#define STRATA_SESSION_REQUEST_H

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* Makes a request.  @session: NULL: the current one */
struct json_object *session_request_make(const char *verb, const char *session);

/*
 * Sends a request, prints message and notes of the reply on stderr, and frees the request.
 * @start: as of client_ask()
 * @json: prints the whole reply on stdout instead
 * Returns an exit status.
 */
int session_request_run(struct json_object *request, bool start, bool json);

/* Makes a path absolute, because stratad runs in another directory.  0 or -1. */
int session_request_path(const char *path, char absolute[PATH_MAX], struct strata_error *error);

/* Prints a message about the command line of @verb.  Returns STRATA_STATUS_USAGE. */
int session_request_wrong(const char *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STRATA_SESSION_REQUEST_H */
