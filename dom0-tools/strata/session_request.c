// SPDX-License-Identifier: GPL-2.0-or-later
/* session_request.c - see session_request.h. */
#include "strata/session_request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "control/client.h"

struct json_object *session_request_make(const char *verb, const char *session)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "verb", json_object_new_string(verb));
	if (session)
		json_object_object_add(request, "name", json_object_new_string(session));
	return request;
}

/* Names in it may be a guest's. */
static void print_text(const char *prefix, const char *text)
{
	char shown[4096], *byte;

	strata_valid_utf8_copy(shown, sizeof(shown), text);
	for (byte = shown; *byte; byte++)
		if ((unsigned char)*byte < ' ' || *byte == 0x7f)
			*byte = '?';
	fprintf(stderr, "%s%s\n", prefix, shown);
}

static void print_reply(struct json_object *reply)
{
	struct json_object *message, *notes;
	size_t i;

	if (json_object_object_get_ex(reply, "message", &message))
		print_text("strata: ", json_object_get_string(message));
	if (!json_object_object_get_ex(reply, "notes", &notes) ||
	    !json_object_is_type(notes, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(notes); i++)
		print_text("", json_object_get_string(json_object_array_get_idx(notes, i)));
}

int session_request_run(struct json_object *request, bool start, bool json)
{
	struct strata_error error = { "" };
	struct json_object *reply;
	int status = client_ask(request, start, &reply, &error);

	json_object_put(request);
	if (status < 0) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (json)
		printf("%s\n",
		       json_object_to_json_string_ext(
			       reply, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		print_reply(reply);
	json_object_put(reply);
	return status;
}

int session_request_path(const char *path, char absolute[PATH_MAX], struct strata_error *error)
{
	char here[PATH_MAX] = "";

	if (strchr(path, '\n'))
		return strata_fail(error, "a directory's name must not contain a newline");
	if (path[0] != '/' && !getcwd(here, sizeof(here)))
		return strata_fail(error, "the current directory has no path: %s", strerror(errno));
	if (snprintf(absolute, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", path) >= PATH_MAX)
		return strata_fail(error, "%s: the path is too long", path);
	return 0;
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
