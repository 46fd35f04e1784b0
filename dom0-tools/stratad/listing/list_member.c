// SPDX-License-Identifier: GPL-2.0-or-later
/* list_member.c - see list_member.h. */
#include "stratad/listing/list_member.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "control/message.h"
#include "stratad/listing/list_json.h"
#include "stratad/listing/list_request.h"

/* stratad sends the request at once. */
#define REQUEST_BYTES 65536u
#define REQUEST_MS    10000

/* The member reads his reply. */
#define REPLY_MS 10000

/* Bytes of messages that the reply has; guests can cause many, of which no more are kept. */
#define MESSAGES_BYTES 16384u

/* Has our messages go to a file, from which the reply gets them.  A descriptor, or -1: they go
 * where stratad's go. */
static int collect_messages(void)
{
	const struct rlimit most = { 2 * MESSAGES_BYTES, 2 * MESSAGES_BYTES };
	const int file = memfd_create("messages", MFD_CLOEXEC);

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
	if (file >= 0)
		dup2(file, STDERR_FILENO);
	return file;
}

/* Adds a note, in which invalid UTF-8 is replaced. */
static void add_note(struct json_object *notes, const char *text)
{
	char valid[3 * MESSAGES_BYTES];

	strata_valid_utf8_copy(valid, sizeof(valid), text);
	json_object_array_add(notes, json_object_new_string(valid));
}

static void add_messages(struct json_object *reply, int file)
{
	char text[MESSAGES_BYTES], *line, *rest;
	const ssize_t length = pread(file, text, sizeof(text) - 1, 0);
	struct json_object *notes;

	if (length <= 0)
		return;
	notes = list_json_array(reply, "notes");
	text[length] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_note(notes, line);
	if (length == sizeof(text) - 1)
		add_note(notes, "strata: further messages are left out");
}

int list_member_serve(int request_socket, int client)
{
	struct strata_error error = { "" };
	struct json_object *request, *reply;
	int messages, failed;

	alarm(LIST_MEMBER_S);
	signal(SIGPIPE, SIG_IGN);
	request = message_receive(request_socket, REQUEST_BYTES, REQUEST_MS, &error);
	if (!request)
		return STRATA_STATUS_USAGE;
	json_object_object_add(request, "member", json_object_new_boolean(true));
	messages = collect_messages();
	reply = list_request_answer(request);
	if (messages >= 0)
		add_messages(reply, messages);
	failed = message_send(client, reply, REPLY_MS, &error);
	json_object_put(reply);
	json_object_put(request);
	return failed ? STRATA_STATUS_FAILED : STRATA_STATUS_OK;
}
