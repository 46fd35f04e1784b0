/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handle.h - what a handle of <strata/control_client.h> holds: settings, and results of its last
 * call. */
#ifndef STRATA_CONTROL_LIBRARY_HANDLE_H
#define STRATA_CONTROL_LIBRARY_HANDLE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include <strata/control_client.h>

#include "base/error.h"

struct strata_control {
	int timeout_ms; /* -1: none */
	bool system;    /* root's stratad, through the socket for members */
	char *stratad;  /* NULL: it is looked for */

	/* Results of the last call. */
	char *message;
	char **notes;
	size_t nr_notes;
	char *text;                /* strata_control_session_text() */
	struct json_object *reply; /* NULL: none */
	bool hung_up;              /* stratad closed the connection without a reply */
	struct strata_session_status **sessions;
	size_t nr_sessions;
	struct listing *listing; /* NULL: nothing was listed */
};

/* Frees the results of the last call.  Arguments of this one may be among them: it is called when
 * they are copied. */
void handle_begin(struct strata_control *control);

/* Sets the message of a call, made fit to be shown, and returns @result. */
enum strata_control_result handle_end(struct strata_control *control,
				      enum strata_control_result result, const char *message);

/* These end a call that sent nothing, and free the results of the last one. */
enum strata_control_result handle_wrong(struct strata_control *control,
					const struct strata_error *error);
enum strata_control_result handle_out_of_memory(struct strata_control *control);
enum strata_control_result handle_ok(struct strata_control *control);

/* Adds a note, likewise; without memory there is one less. */
void handle_note(struct strata_control *control, const char *text);

#endif /* STRATA_CONTROL_LIBRARY_HANDLE_H */
