// SPDX-License-Identifier: GPL-2.0-or-later
/* list_request.c - see list_request.h. */
#include "stratad/listing/list_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "control/message.h"
#include "stratad/listing/list_app.h"
#include "stratad/listing/list_host.h"
#include "stratad/listing/list_json.h"

/* How long the program that started us may take to send its request. */
#define REQUEST_MS 60000

static bool is_true(struct json_object *request, const char *key)
{
	return json_object_get_boolean(json_object_object_get(request, key));
}

/* A copy of a text, for free().  NULL: it is absent. */
static char *copy_text(struct json_object *request, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(request, key));

	return text ? strdup(text) : NULL;
}

/* Divides a list at its commas.  0 or -1. */
static int divide(char *text, struct list_choice *choice, struct strata_error *error)
{
	char *word, *rest;

	choice->patterns = calloc(text ? strlen(text) / 2 + 1 : 1, sizeof(*choice->patterns));
	if (!choice->patterns)
		return strata_fail(error, "out of memory");
	for (word = text ? strtok_r(text, ",", &rest) : NULL; word;
	     word = strtok_r(NULL, ",", &rest))
		choice->patterns[choice->nr_patterns++] = word;
	return 0;
}

struct json_object *list_request_answer(struct json_object *request)
{
	struct list_choice choice = { .events = is_true(request, "events"),
				      .fields = is_true(request, "fields"),
				      .for_member = is_true(request, "member") };
	struct json_object *reply = json_object_new_object();
	struct strata_error error = { "" };
	char *target = copy_text(request, "target"), *patterns = copy_text(request, "patterns");
	int failed = divide(patterns, &choice, &error);

	/* The first member, as in other replies. */
	json_object_object_add(reply, "status", json_object_new_int(STRATA_STATUS_OK));
	if (!failed)
		failed = is_true(request, "apps") ? list_apps(&choice, reply, &error)
						  : list_host(target, &choice, reply, &error);
	if (failed) {
		json_object_object_add(reply, "status", json_object_new_int(STRATA_STATUS_FAILED));
		list_json_text(reply, "message", error.text);
	}
	free(choice.patterns);
	free(patterns);
	free(target);
	return reply;
}

int list_request_serve(int socket)
{
	struct strata_error error = { "" };
	struct json_object *request, *reply;
	int failed;

	request = message_receive(socket, MESSAGE_REQUEST_BYTES, REQUEST_MS, &error);
	if (!request) {
		fprintf(stderr, "stratad: no request: %s; `strata list` sends one\n", error.text);
		return STRATA_STATUS_USAGE;
	}
	reply = list_request_answer(request);
	failed = message_send(socket, reply, -1, &error);
	if (failed)
		fprintf(stderr, "stratad: the list could not be sent: %s\n", error.text);
	json_object_put(reply);
	json_object_put(request);
	return failed ? STRATA_STATUS_FAILED : STRATA_STATUS_OK;
}
