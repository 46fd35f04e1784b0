// SPDX-License-Identifier: GPL-2.0-or-later
/* session_traces.c - see session_traces.h. */
#include "strata/session_traces.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "strata/session_request.h"

static const struct strata_session_status *find(const struct strata_control *control, bool current)
{
	const struct strata_session_status *session;
	size_t i;

	for (i = 0; i < strata_control_nr_sessions(control); i++) {
		session = strata_control_session(control, i);
		if (!current || session->current)
			return session;
	}
	return NULL;
}

/* The path, or NULL after a message. */
static char *choose(const char *verb, const struct strata_session_status *session, bool newest)
{
	const char *path;
	char shown[256];

	if (!session) {
		fprintf(stderr,
			"strata: %s: no session is chosen: name a trace, or choose one "
			"with `strata set-session NAME`\n",
			verb);
		return NULL;
	}
	if (!session->recording[0]) {
		fprintf(stderr,
			"strata: %s: session %s has recorded nothing yet; "
			"`strata start %s` starts it\n",
			verb, session->model->name, session->model->name);
		return NULL;
	}
	path = newest ? session->recording : session->model->output;
	fprintf(stderr, "strata: %s: session %s, %s\n", verb, session->model->name,
		strata_escape_name(shown, sizeof(shown), path));
	return strdup(path);
}

char *session_traces_find(const char *verb, const char *session, bool newest)
{
	struct strata_control *control = session_request_begin();
	enum strata_control_result result;
	char *path = NULL;

	if (!control)
		return NULL;
	result = strata_control_status(control, session);
	if (result == STRATA_CONTROL_OK)
		path = choose(verb, find(control, !session), newest);
	else
		fprintf(stderr, "strata: %s: no trace is named, and %s\n", verb,
			strata_control_message(control));
	strata_control_free(control);
	return path;
}
