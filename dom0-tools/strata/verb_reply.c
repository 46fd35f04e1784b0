// SPDX-License-Identifier: GPL-2.0-or-later
/* verb_reply.c - see verb_reply.h. */
#include "strata/verb_reply.h"

#include <stdio.h>

#include "base/exit_status.h"
#include "outputs/figures_json.h"
#include "stratad/listing/list_json.h"

struct json_object *verb_reply_new(int status, const char *message)
{
	struct json_object *reply = json_object_new_object();

	json_object_object_add(reply, "status", json_object_new_int(status));
	if (message)
		list_json_text(reply, "message", message);
	return reply;
}

struct json_object *verb_reply_of_traces(int status, const char *verb, const char *output,
					 const struct strata_ctf_tally *tally,
					 const struct strata_error *error)
{
	struct strata_error message;
	struct json_object *reply;

	if (error) {
		message = *error;
		strata_fail_in(&message, "%s", verb);
		return verb_reply_new(status, message.text);
	}
	reply = verb_reply_new(status, NULL);
	list_json_text(reply, "output", output);
	strata_json_add_tally(reply, tally);
	return reply;
}

int verb_reply_print(struct json_object *reply)
{
	const int status = json_object_get_int(json_object_object_get(reply, "status"));
	const int length = printf(
		"%s\n", json_object_to_json_string_ext(
				reply, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));

	json_object_put(reply);
	return length > 0 ? status : STRATA_STATUS_FAILED;
}

int verb_reply_end(bool json, int status, const char *message)
{
	if (json)
		return verb_reply_print(verb_reply_new(status, message));
	fprintf(stderr, "strata: %s\n", message);
	return status;
}
