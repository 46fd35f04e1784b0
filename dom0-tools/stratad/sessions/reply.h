/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.h - the message and the notes of a reply to a request (docs/formats.md). */
#ifndef STRATA_STRATAD_REPLY_H
#define STRATA_STRATAD_REPLY_H

#include <json-c/json.h>

/* Sets the message, a line for the user.  Returns @status. */
int reply_say(struct json_object *reply, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a note: a line that may have names of guests in it.  Invalid UTF-8 is replaced. */
void reply_note(struct json_object *reply, const char *text);

/* Adds a note about a part of a session.  @what: "trigger" */
void reply_note_about(struct json_object *reply, const char *what, const char *name,
		      const char *text);

/* Adds a note about one of several channels. */
void reply_note_of(struct json_object *reply, const char *channel, const char *text);

/* Sets a member that is a path; invalid UTF-8 is replaced. */
void reply_path(struct json_object *reply, const char *key, const char *path);

#endif /* STRATA_STRATAD_REPLY_H */
