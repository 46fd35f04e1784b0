// SPDX-License-Identifier: GPL-2.0-or-later
/* session_request.c - see session_request.h. */
#include "strata/session_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "control/handle_beside.h"

static bool system_wide;

void session_request_set_system(void)
{
	system_wide = true;
}

bool session_request_is_system(void)
{
	return system_wide;
}

struct strata_control *session_request_begin(void)
{
	struct strata_error error = { "" };
	struct strata_control *control = handle_beside(&error);

	if (control)
		strata_control_set_system(control, system_wide);
	else
		fprintf(stderr, "strata: %s\n", error.text);
	return control;
}

int session_request_end(struct strata_control *control, enum strata_control_result result,
			bool json)
{
	const char *message = strata_control_message(control);
	const char *reply = json ? strata_control_reply(control) : NULL;
	char *safe = reply ? strata_safe_json(reply) : NULL;
	size_t i;

	if (safe) {
		printf("%s\n", safe);
		free(safe);
	} else if (reply) {
		fprintf(stderr, "strata: out of memory for the reply\n");
		result = STRATA_CONTROL_NO_REPLY;
	} else {
		if (message[0])
			fprintf(stderr, "strata: %s\n", message);
		for (i = 0; i < strata_control_nr_notes(control); i++)
			fprintf(stderr, "%s\n", strata_control_note(control, i));
	}
	strata_control_free(control);
	return result == STRATA_CONTROL_NO_REPLY ? STRATA_STATUS_FAILED : (int)result;
}

int session_request_wrong(const char *verb, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "strata: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; `strata %s --help` says how\n", verb);
	return STRATA_STATUS_USAGE;
}
