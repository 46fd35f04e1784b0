// SPDX-License-Identifier: GPL-2.0-or-later
/* session_traces.c - see session_traces.h. */
#include "strata/session_traces.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
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

/* Returns an exit status, after a message. */
static int choose(const char *verb, const struct strata_session_status *session, bool newest,
		  char **path)
{
	char shown[256];

	if (!session) {
		fprintf(stderr,
			"strata: %s: name a trace, or choose a session with `strata set-session "
			"NAME`\n",
			verb);
		return STRATA_STATUS_USAGE;
	}
	if (!session->recording[0]) {
		fprintf(stderr,
			"strata: %s: session %s has recorded nothing yet; `strata start %s` starts "
			"it\n",
			verb, session->model->name, session->model->name);
		return STRATA_STATUS_FAILED;
	}
	*path = strdup(newest ? session->recording : session->model->output);
	if (!*path) {
		fprintf(stderr, "strata: %s: out of memory\n", verb);
		return STRATA_STATUS_FAILED;
	}
	fprintf(stderr, "strata: %s: session %s, %s\n", verb, session->model->name,
		strata_escape_name(shown, sizeof(shown), *path));
	return STRATA_STATUS_OK;
}

int session_traces_find(const char *verb, const char *session, bool newest, char **path)
{
	struct strata_control *control = session_request_begin();
	int status = session ? STRATA_STATUS_FAILED : STRATA_STATUS_USAGE;

	if (!control)
		return STRATA_STATUS_FAILED;
	if (strata_control_status(control, session) == STRATA_CONTROL_OK)
		status = choose(verb, find(control, !session), newest, path);
	else
		fprintf(stderr, "strata: %s: %s%s\n", verb,
			session ? "" : "name a trace: ", strata_control_message(control));
	strata_control_free(control);
	return status;
}
