// SPDX-License-Identifier: GPL-2.0-or-later
/* reply.c - see reply.h. */
#include "stratad/sessions/reply.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"
#include "consumerd/host/control_socket.h"

int reply_say(struct json_object *reply, int status, const char *format, ...)
{
	char text[CONTROL_LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	json_object_object_add(reply, "message", json_object_new_string(text));
	return status;
}

void reply_note(struct json_object *reply, const char *text)
{
	char shown[3 * CONTROL_LINE_BYTES];
	struct json_object *notes;

	if (!json_object_object_get_ex(reply, "notes", &notes)) {
		notes = json_object_new_array();
		json_object_object_add(reply, "notes", notes);
	}
	strata_valid_utf8_copy(shown, sizeof(shown), text);
	json_object_array_add(notes, json_object_new_string(shown));
}

void reply_note_about(struct json_object *reply, const char *what, const char *name,
		      const char *text)
{
	char line[CONTROL_LINE_BYTES];

	snprintf(line, sizeof(line), "strata: %s %s: %s", what, name, text);
	reply_note(reply, line);
}

void reply_note_of(struct json_object *reply, const char *channel, const char *text)
{
	reply_note_about(reply, "channel", channel, text);
}

void reply_path(struct json_object *reply, const char *key, const char *path)
{
	char shown[3 * PATH_MAX];

	strata_valid_utf8_copy(shown, sizeof(shown), path);
	json_object_object_add(reply, key, json_object_new_string(shown));
}
