// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_process.c - see trigger_process.h. */
#include "stratad/sessions/trigger_process.h"

#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/json_members.h"
#include "control/session_model.h"
#include "control/session_trigger.h"
#include "control/trigger_json.h"
#include "stratad/sessions/member_share.h"
#include "stratad/sessions/reply.h"
#include "stratad/sessions/watched_start.h"
#include "stratad/trigger/trigger.h"

/* Of a trigger's log, what a stop shows and a status looks at. */
#define LOG_BYTES 16384u

/* Up to this line, a trigger says what it did to begin, which is no news once it counts. */
#define BEGINS "strata: counting "

/* Starts a trigger of @model, which is the session's, or will be; returns when it counts.  0; 1:
 * all that it names are kernels that were left out; or -1. */
static int start(struct managed_session *session, const struct strata_session *model,
		 const struct strata_trigger *trigger, struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(model, &trigger->counted);
	struct managed_channel *place = session_table_trigger(session, &of, true);

	if (!place)
		return strata_fail(error, "triggers that were removed have not ended; try again");
	if (!watched_start(place, model, &trigger->counted, "", error))
		return 0;
	strata_fail_in(error, "trigger %s", trigger->counted.name);
	if (session_files_read_ended(&of) == STRATA_STATUS_PARTIAL) {
		place->ended = STRATA_STATUS_PARTIAL;
		return 1;
	}
	/* What it left says nothing that the error does not. */
	session_files_remove_consumer(&of);
	return -1;
}

int trigger_process_start_all(struct managed_session *session, struct json_object *reply,
			      struct strata_error *error)
{
	int status = STRATA_STATUS_OK;
	size_t i;

	for (i = 0; i < session->model.nr_triggers; i++) {
		const int started =
			start(session, &session->model, &session->model.triggers[i], error);

		if (started < 0)
			return -1;
		if (!started)
			continue;
		status = STRATA_STATUS_PARTIAL;
		reply_note_about(reply, "session", session->model.name, error->text);
		reply_note_about(reply, "session", session->model.name,
				 "records without that trigger");
	}
	return status;
}

void trigger_process_find_all(struct managed_session *session)
{
	size_t i;

	for (i = 0; i < session->model.nr_triggers; i++) {
		const struct session_consumer of = session_files_consumer(
			&session->model, &session->model.triggers[i].counted);
		struct managed_channel *place = session_table_trigger(session, &of, true);
		struct strata_error error;
		struct consumer consumer;

		if (!consumer_find(&consumer, &of))
			place->ended = session_files_read_ended(&of);
		else if (session_table_watch(place, &of, &consumer, &error))
			fprintf(stderr, "stratad: %s\n", error.text);
	}
}

/* The first line of a log that is news. */
static char *find_news(char *text)
{
	char *begins = strncmp(text, BEGINS, sizeof(BEGINS) - 1) ? strstr(text, "\n" BEGINS) : text;

	if (begins)
		return begins + 1 + strcspn(begins + 1, "\n");
	/* The end of a longer log, from the next whole line on; or it did not begin. */
	return strlen(text) == LOG_BYTES - 1 ? text + strcspn(text, "\n") : text;
}

/* Calls @take for each message in a trigger's log. */
static void read_log(const struct session_consumer *of, void (*take)(void *data, const char *line),
		     void *data)
{
	char text[LOG_BYTES], *line, *rest;

	session_files_read_log(of, text, sizeof(text));
	for (line = strtok_r(find_news(text), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		take(data, line);
}

struct report {
	struct json_object *reply;
	const char *name; /* of the trigger */
};

static void note(void *data, const char *line)
{
	const struct report *report = data;
	const size_t prefix = strncmp(line, "strata: ", 8) ? 0 : 8;

	reply_note_about(report->reply, "trigger", report->name, line + prefix);
}

/* The end of a trigger is reported: also for a stratad that comes later. */
static void forget_end(struct managed_channel *place)
{
	struct strata_error ignored;

	place->ended = SESSION_NO_NEWS;
	session_files_write_ended(&place->of, SESSION_NO_NEWS, &ignored);
}

int trigger_process_report(struct managed_session *session, struct json_object *reply)
{
	int status = STRATA_STATUS_OK;
	size_t i;

	for (i = 0; i < session->model.nr_triggers; i++) {
		const char *const name = session->model.triggers[i].counted.name;
		const struct session_consumer of = session_files_consumer(
			&session->model, &session->model.triggers[i].counted);
		struct managed_channel *place = session_table_trigger(session, &of, false);
		struct report report = { .reply = reply, .name = name };

		if (!place || place->ended == SESSION_NO_NEWS)
			continue;
		read_log(&of, note, &report);
		if (place->ended == SESSION_KILLED)
			note(&report, "its process was killed");
		if (place->ended != STRATA_STATUS_OK)
			status = STRATA_STATUS_PARTIAL;
		forget_end(place);
	}
	return status;
}

void trigger_process_forget_all(struct managed_session *session)
{
	size_t i;

	for (i = 0; i < session->model.nr_triggers; i++) {
		const struct session_consumer of = session_files_consumer(
			&session->model, &session->model.triggers[i].counted);
		struct managed_channel *place = session_table_trigger(session, &of, false);

		if (place && place->ended != SESSION_NO_NEWS)
			forget_end(place);
	}
}

static void keep_last(void *data, const char *line)
{
	snprintf(data, LOG_BYTES, "%s", line);
}

static struct json_object *describe(struct managed_session *session,
				    const struct strata_trigger *trigger)
{
	const struct session_consumer of =
		session_files_consumer(&session->model, &trigger->counted);
	const struct managed_channel *place = session_table_trigger(session, &of, false);
	struct json_object *object = json_object_new_object();
	struct consumer consumer = { .process = -1 };
	const bool counts = place && session_table_consumer(place, &consumer);
	char last[LOG_BYTES] = "";

	json_object_object_add(object, "name", json_object_new_string(trigger->counted.name));
	json_object_object_add(object, "counts", json_object_new_boolean(counts));
	if (counts)
		json_object_object_add(object, "process", json_object_new_int(consumer.pid));
	else if (place && place->ended != SESSION_NO_NEWS)
		json_object_object_add(object, "ended",
				       place->ended == SESSION_KILLED
					       ? json_object_new_string("killed")
					       : json_object_new_int(place->ended));
	if (place)
		read_log(&of, keep_last, last);
	if (last[0])
		reply_path(object, "last", last);
	return object;
}

struct json_object *trigger_process_describe(struct managed_session *session)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < session->model.nr_triggers; i++)
		json_object_array_add(list, describe(session, &session->model.triggers[i]));
	return list;
}

/* Whether another trigger of that name, which was removed, still has its place: its process is
 * being waited for, without the session being held.  0 or -1. */
static int check_place(struct managed_session *session, const struct strata_session *model,
		       const struct strata_trigger *trigger, struct strata_error *error)
{
	const struct session_consumer of = session_files_consumer(model, &trigger->counted);

	if (!session_table_trigger(session, &of, false))
		return 0;
	return strata_fail(error,
			   "trigger %s was removed, and its process has not ended; try again",
			   trigger->counted.name);
}

/* Adds a trigger to the session's model, and starts it if the session records.  The file is first:
 * a trigger that counts must not be unknown to the next stratad.  0 or -1. */
static int add(struct managed_session *session, const struct strata_trigger *trigger,
	       struct strata_error *error)
{
	struct strata_error ignored;
	struct strata_session model;

	if (session_model_copy(&model, &session->model, error))
		return -1;
	if (session_trigger_add(&model, trigger, error) || trigger_check(trigger, error) ||
	    member_share_check(&model, error) || check_place(session, &model, trigger, error) ||
	    session_files_save(&model, error)) {
		session_model_clear(&model);
		return -1;
	}
	if (session_table_count_recording(session) && start(session, &model, trigger, error)) {
		const struct session_consumer of =
			session_files_consumer(&model, &trigger->counted);
		struct managed_channel *place = session_table_trigger(session, &of, false);

		if (place)
			session_table_unclaim(place);
		session_files_remove_consumer(&of);
		session_files_save(&session->model, &ignored);
		session_model_clear(&model);
		return -1;
	}
	session_table_adopt(session, &model);
	return 0;
}

int trigger_process_add(struct managed_session *session, struct json_object *request,
			struct json_object *reply, struct strata_error *error)
{
	struct strata_trigger trigger;
	struct json_object *object;
	char name[STRATA_CHANNEL_NAME_BYTES];

	if (!json_object_object_get_ex(request, "trigger", &object))
		return strata_fail(error, "\"trigger\" is missing");
	if (trigger_json_read(object, &trigger, error))
		return -1;
	memcpy(name, trigger.counted.name, sizeof(name));
	if (add(session, &trigger, error)) {
		session_trigger_clear(&trigger);
		return -1;
	}
	session_trigger_clear(&trigger);
	return reply_say(reply, STRATA_STATUS_OK, "session %s: trigger %s is added%s",
			 session->model.name, name,
			 session_table_count_recording(session) ? ", and counts" : "");
}

int trigger_process_remove(struct managed_session *session, struct json_object *request,
			   struct json_object *reply, struct strata_error *error)
{
	char name[STRATA_CHANNEL_NAME_BYTES] = "";
	struct managed_channel *place;
	struct session_consumer of;
	struct strata_session model;
	int result = strata_json_text(request, "trigger", name, sizeof(name), error);

	if (result || session_model_copy(&model, &session->model, error)) {
		session_table_release(session);
		return -1;
	}
	result = session_trigger_remove(&model, name, error);
	if (!result)
		result = session_files_save(&model, error);
	if (result) {
		session_model_clear(&model);
		session_table_release(session);
		return -1;
	}
	of = session_files_consumer(&model, &session_trigger_find(&session->model, name)->counted);
	place = session_table_trigger(session, &of, false);
	reply_say(reply, STRATA_STATUS_OK, "session %s: trigger %s is removed", model.name, name);
	session_table_adopt(session, &model);
	if (place) {
		struct report report = { .reply = reply, .name = name };

		session_table_release_and_end(place);
		read_log(&of, note, &report);
	}
	session_files_remove_consumer(&of);
	if (place)
		session_table_free_trigger(place);
	else
		session_table_release(session);
	return STRATA_STATUS_OK;
}
