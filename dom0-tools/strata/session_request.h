/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_request.h - what the verbs of sessions share: a handle of <strata/control_client.h>, and
 * the result of a call on the screen. */
#ifndef STRATA_SESSION_REQUEST_H
#define STRATA_SESSION_REQUEST_H

#include <stdbool.h>

#include <strata/control_client.h>

/* Has the handles of this process ask root's stratad: `strata --system VERB`. */
void session_request_set_system(void);

/* Whether they do. */
bool session_request_is_system(void);

/* Makes a handle that starts the stratad beside this program.  NULL after a message. */
struct strata_control *session_request_begin(void);

/*
 * Prints message and notes of a call on stderr, and frees the handle.
 * @json: prints the reply on stdout instead, if there was one
 * Returns an exit status.
 */
int session_request_end(struct strata_control *control, enum strata_control_result result,
			bool json);

/* Prints a message about the command line of @verb.  Returns STRATA_STATUS_USAGE. */
int session_request_wrong(const char *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STRATA_SESSION_REQUEST_H */
