// SPDX-License-Identifier: GPL-2.0-or-later
/* session_run.c - see session_run.h. */
#include "stratad/sessions/session_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/json_members.h"
#include "consumerd/host/control_socket.h"
#include "consumerd/output_dir.h"
#include "control/session_json.h"
#include "control/session_model.h"
#include "files/safe_dir.h"
#include "stratad/sessions/session_files.h"

/* Of a consumer's log, what a stop shows and a status looks at. */
#define LOG_BYTES 16384u

/* Adds the messages of the consumer since it began: its report. */
static void add_notes(struct json_object *reply, const char *session)
{
	char text[LOG_BYTES], shown[3 * 512], *lines = text, *line, *rest;
	struct json_object *notes = json_object_new_array();
	bool began;

	session_files_read_log(session, text, sizeof(text));
	/* The end of a longer log, from the next whole line on: the recording began before it. */
	began = strlen(text) == sizeof(text) - 1;
	if (began)
		lines += strcspn(lines, "\n");
	for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const bool begins = !strncmp(line, "strata: recording ", 18);

		if (began && !begins) {
			strata_valid_utf8_copy(shown, sizeof(shown), line);
			json_object_array_add(notes, json_object_new_string(shown));
		}
		began |= begins;
	}
	json_object_object_add(reply, "notes", notes);
}

/* Asks a consumer for its status, for json_object_put().  NULL with the reason.  Notes where it
 * records: it chooses the names of its directories. */
static struct json_object *ask_status(struct managed_session *session,
				      const struct consumer *consumer, struct strata_error *error)
{
	char text[CONTROL_LINE_BYTES];
	struct json_object *status;
	struct strata_error absent;
	const int result = consumer_ask(consumer, "status", text, sizeof(text), error);

	if (result > 0)
		strata_fail(error, "%.900s", text);
	if (result)
		return NULL;
	status = session_json_parse(text, strlen(text), error);
	if (status)
		strata_json_text(status, "recording", session->recording,
				 sizeof(session->recording), &absent);
	return status;
}

/* Notes where a consumer records. */
static void note_recording(struct managed_session *session, const struct consumer *consumer)
{
	struct strata_error ignored;

	json_object_put(ask_status(session, consumer, &ignored));
}

/* Adds a warning, unless it is empty, to the notes of a reply. */
static void add_warning(struct json_object *reply, const struct strata_error *warning)
{
	struct json_object *notes;
	char text[sizeof(warning->text) + 16], shown[3 * sizeof(text)];

	if (!warning->text[0])
		return;
	snprintf(text, sizeof(text), "strata: %s", warning->text);
	strata_valid_utf8_copy(shown, sizeof(shown), text);
	notes = json_object_new_array();
	json_object_array_add(notes, json_object_new_string(shown));
	json_object_object_add(reply, "notes", notes);
}

int session_run_start(struct managed_session *session, struct json_object *reply,
		      struct strata_error *error)
{
	const struct strata_session *model = &session->model;
	struct strata_error warning;
	struct consumer consumer;
	char path[PATH_MAX];

	if (session_table_records(session, &consumer))
		return strata_fail(error, "session %s records already", model->name);
	if (!session_model_has_events(model))
		return strata_fail(error,
				   "session %s has no events; `strata enable-event` adds some",
				   model->name);
	if (output_dir_of_many(model->output, &warning, error) ||
	    output_dir_dated(path, model->output, "recording", error) ||
	    consumer_start(&consumer, model, path, error))
		return -1;
	session->ended = SESSION_NO_NEWS;
	snprintf(session->recording, sizeof(session->recording), "%s", path);
	if (!session_table_watch(session, &consumer, error)) {
		note_recording(session, &consumer);
		add_warning(reply, &warning);
		return STRATA_STATUS_OK;
	}
	consumer_end(&consumer);
	consumer_wait(&consumer);
	consumer_forget(&consumer);
	return -1;
}

int session_run_stop(struct managed_session *session, struct json_object *reply,
		     struct strata_error *error)
{
	const char *name = session->model.name;
	struct strata_error ignored;
	struct consumer consumer;
	int ended;

	if (!session_table_records(session, &consumer) && session->ended == SESSION_NO_NEWS)
		return strata_fail(error, "session %s does not record; `strata start %s` starts it",
				   name, name);
	/* It may have rotated since the start. */
	if (consumer.number >= 0)
		note_recording(session, &consumer);
	/* One that has ended by itself is told of once. */
	ended = session_table_end(session);
	add_notes(reply, name);
	session->ended = SESSION_NO_NEWS;
	/* Also for a stratad that comes later; one that does not know it reports the end again. */
	session_files_write_ended(name, SESSION_NO_NEWS, &ignored);
	if (ended == SESSION_KILLED)
		return strata_fail(
			error,
			"the consumer of session %s was killed; `strata recover %s` "
			"restores what it had recorded",
			name, session->recording[0] ? session->recording : session->model.output);
	return ended;
}

static void add_path(struct json_object *reply, const char *path)
{
	char shown[3 * PATH_MAX];

	strata_valid_utf8_copy(shown, sizeof(shown), path);
	json_object_object_add(reply, "output", json_object_new_string(shown));
}

int session_run_snapshot(struct managed_session *session, struct json_object *request,
			 struct json_object *reply, struct strata_error *error)
{
	const struct strata_session *model = &session->model;
	char path[PATH_MAX], line[CONTROL_LINE_BYTES], text[CONTROL_LINE_BYTES];
	struct consumer consumer;
	int status;

	if (!session_table_records(session, &consumer))
		return strata_fail(error, "session %s does not record; `strata start %s` starts it",
				   model->name, model->name);
	if (strata_json_has(request, "output")) {
		if (strata_json_text(request, "output", path, sizeof(path), error))
			return -1;
		if (path[0] != '/' || strchr(path, '\n'))
			return strata_fail(error, "\"output\" is not an absolute path of one line");
	} else if (output_dir_dated(path, model->output, "snapshot", error)) {
		return -1;
	}
	if (snprintf(line, sizeof(line), "snapshot %s", path) >= (int)sizeof(line))
		return strata_fail(error, "%.200s...: the path is too long", path);
	status = consumer_ask(&consumer, line, text, sizeof(text), error);
	if (status >= 0)
		json_object_object_add(reply, "message", json_object_new_string(text));
	if (status == STRATA_STATUS_OK || status == STRATA_STATUS_PARTIAL)
		add_path(reply, path);
	return status;
}

/* Sends a command to the consumer; its answer becomes the reply's message. */
static int ask_consumer(struct managed_session *session, const char *line,
			struct json_object *reply, struct strata_error *error)
{
	char text[CONTROL_LINE_BYTES];
	struct consumer consumer;
	int status;

	if (!session_table_records(session, &consumer))
		return strata_fail(error, "session %s does not record; `strata start %s` starts it",
				   session->model.name, session->model.name);
	status = consumer_ask(&consumer, line, text, sizeof(text), error);
	if (status >= 0)
		json_object_object_add(reply, "message", json_object_new_string(text));
	if (!status)
		note_recording(session, &consumer);
	return status;
}

int session_run_rotate(struct managed_session *session, struct json_object *reply,
		       struct strata_error *error)
{
	return ask_consumer(session, "rotate", reply, error);
}

int session_run_clear(struct managed_session *session, struct json_object *reply,
		      struct strata_error *error)
{
	return ask_consumer(session, "clear", reply, error);
}

int session_run_set_rotation(struct managed_session *session, const struct strata_rotation *when,
			     struct json_object *reply, struct strata_error *error)
{
	struct consumer consumer;
	char line[80];

	if (!session_table_records(session, &consumer))
		return STRATA_STATUS_OK;
	snprintf(line, sizeof(line), "rotation %" PRIu64 " %u %u", when->bytes, when->ms,
		 when->keep);
	return ask_consumer(session, line, reply, error);
}

struct json_object *session_run_describe(struct managed_session *session)
{
	struct json_object *object = json_object_new_object(), *status = NULL;
	struct strata_error error = { "" };
	struct consumer consumer;
	const bool records = session_table_records(session, &consumer);

	if (records)
		status = ask_status(session, &consumer, &error);
	json_object_object_add(object, "model", session_json_make(&session->model));
	json_object_object_add(object, "records", json_object_new_boolean(records));
	if (session->recording[0])
		json_object_object_add(object, "recording",
				       json_object_new_string(session->recording));
	if (!records && session->ended != SESSION_NO_NEWS)
		json_object_object_add(object, "ended",
				       session->ended == SESSION_KILLED
					       ? json_object_new_string("killed")
					       : json_object_new_int(session->ended));
	if (!records)
		return object;
	json_object_object_add(object, "process", json_object_new_int(consumer.pid));
	json_object_object_add(object, status ? "status" : "no_status",
			       status ? status : json_object_new_string(error.text));
	return object;
}
