// SPDX-License-Identifier: GPL-2.0-or-later
/* session_request.c - see session_request.h. */
#include "strata/session_request.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "control/sibling.h"

static bool system_wide;

void session_request_set_system(void)
{
	system_wide = true;
}

struct strata_control *session_request_begin(void)
{
	struct strata_control *control = strata_control_new();
	struct strata_error error = { "" };
	char path[PATH_MAX] = "";

	if (control)
		strata_control_set_system(control, system_wide);
	/* A missing program is no error before it is needed. */
	sibling_path("stratad", path, &error);
	if (control && path[0] && strata_control_set_stratad(control, path) == STRATA_CONTROL_OK)
		return control;
	strata_control_free(control);
	fprintf(stderr, "strata: %s\n", error.text[0] ? error.text : "out of memory");
	return NULL;
}

int session_request_end(struct strata_control *control, enum strata_control_result result,
			bool json)
{
	const char *message = strata_control_message(control);
	const char *reply = json ? strata_control_reply(control) : NULL;
	size_t i;

	if (reply) {
		printf("%s\n", reply);
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
